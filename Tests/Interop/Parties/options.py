"""The two programs of Examples/Login with their options: combinations that sign a user in, and
those where the sides disagree.

usage: options.py PROVIDER RELYING-PARTY KEYS SIGNATURE
"""

import signal
import subprocess
import sys
import time

from apache import Cases
from python_world import NAME, UserAgent, World, free_port

POST = ["--client-authentication", "client_secret_post"]
ASSERTION = ["--client-authentication", "private_key_jwt"]
SIGNED, NESTED, PLAIN = (["--user-info", word] for word in ("signed", "nested", "json"))
RAW = ["--basic", "unencoded"]


class Pair(World):
    def __init__(self, provider, party, keys):
        super().__init__(keys)
        self.programs = provider, party
        self.port, self.site_port = free_port(), free_port()
        self.site = f"https://rp.localhost:{self.site_port}"
        self.words = ["--profile", "openid", "--provider-port", str(self.port), "--site-port",
            str(self.site_port)]

    def log_in(self, ours, theirs=None):
        """The last page, and the output of both. `theirs` are the provider's options if they
        differ."""
        try:
            provider = self.start(self.programs[0],
                self.words + (ours if theirs is None else theirs), self.port)
            party = self.start(self.programs[1], self.words + ours, self.site_port)
            agent = UserAgent(self.context)
            page = agent.follow(agent.open(self.site + "/login", {"go": "on"},
                source="rp.localhost", origin=self.site))
            if "Do you sign in?" in page.body:
                page = agent.post(page, answer="yes")
                page = agent.follow(page if page.location else agent.post(page))
            return page, provider.said() + party.said()
        finally:
            while self.running:
                self.running.pop().stop()

    def passes(self, ours):
        page, said = self.log_in(ours)
        assert f"Welcome, {NAME}" in page.body, f"{page.status} {page.url}: {page.body}\n{said}"

    def fails(self, reason, ours, theirs):
        page, said = self.log_in(ours, theirs)
        assert "Welcome, " not in page.body and reason in said, f"{page.body}\n{said}"

    def ends(self, reason, *options):
        """Neither program starts with these options."""
        for program in self.programs:
            ended = subprocess.run(
                [program, "--keys", self.keys, *self.words, *options], capture_output=True,
                text=True, timeout=20)
            assert ended.returncode == 1 and reason in ended.stdout, ended


def main(provider, party, keys, signature):
    begun, cases = time.monotonic(), Cases()
    world = Pair(provider, party, keys)
    by, other = ["--algorithm", signature], "ES256" if signature == "RS256" else "RS256"
    try:
        for options in (
            by, [*by, *POST], [*by, *ASSERTION], [*by, *SIGNED], [*by, *NESTED, *RAW],
            [*by, *PLAIN, *RAW], [*by, *SIGNED, *POST], [*by, *NESTED, *ASSERTION],
        ):
            cases.run(" ".join(options), world.passes, options)
        for title, reason, ours, theirs in (
            ("signed UserInfo at a provider of JSON",
                "claim userinfo_signing_alg_values_supported: it is missing", SIGNED, []),
            ("JSON at a provider of signed UserInfo", "application/jwt, not application/json", [],
                SIGNED),
            ("another algorithm", f"it does not list {other}", ["--algorithm", other], []),
            ("HS256 at a provider of its own keys", "rejects the answer", ["--algorithm", "HS256"],
                []),
            ("an assertion at a provider of secrets", "it does not list private_key_jwt", ASSERTION,
                []),
            ("the secret in the form at a provider of HTTP Basic", "invalid_client", POST, []),
            ("HTTP Basic at a provider of the form",
                "it came by HTTP Basic; the client registered client_secret_post", [], POST),
            ("HTTP Basic at a provider of assertions",
                "neither client_secret_basic nor client_secret_post", [], ASSERTION),
        ):
            if "another algorithm" in title and signature != "RS256":
                continue
            cases.run(f"rejected: {title}", world.fails, reason,
                [*by, *ours] if "--algorithm" not in ours else ours, [*by, *theirs])
        for reason, options in (
            ("--algorithm none: use a public-key algorithm such as ES256, or HS256",
                ["--algorithm", "none"]),
            ("--algorithm HS512: use", ["--algorithm", "HS512"]),
            ("--algorithm dir: use", ["--algorithm", "dir"]),
            ("--user-info encrypted: use one of json, signed, nested",
                ["--user-info", "encrypted"]),
            ("--client-authentication none: use one of client_secret_basic",
                ["--client-authentication", "none"]),
            ("--basic raw: use one of encoded, unencoded", ["--basic", "raw"]),
            ("no key in ", ["--algorithm", other, *ASSERTION]),
        ):
            cases.run(f"does not start: {' '.join(options)}", world.ends, reason, *options)
    finally:
        world.stop()
    print(f"options, {signature}: {cases.passed} cases passed, {len(cases.failed)} failed, "
          f"{time.monotonic() - begun:.1f} s")
    return 1 if cases.failed or not cases.passed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main(*sys.argv[1:]))
