"""oidc-provider-mock as local provider of the relying party of Examples/Login, over http on this
machine: a login, a logout, and what the relying party rejects.

usage: local_provider.py RELYING-PARTY KEYS
"""

import json
import os
import signal
import sys
import urllib.parse
import urllib.request

from python_world import NAME, OurParty, Program, free_port, query
from user_agent import UserAgent


class LocalParty(OurParty):
    """The relying party at the mock, which signs in anyone."""

    def __init__(self, program, keys):
        super().__init__(program, keys, "any secret")
        self.mock_port = free_port()
        self.issuer = f"http://127.0.0.1:{self.mock_port}"
        user = {"sub": "zoe", "name": NAME, "email": "zoe@idp.example"}
        os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
        self.running.append(Program(
            [sys.executable, "-m", "oidc_provider_mock", "--port", str(self.mock_port),
                "--user-claims", json.dumps(user)], self.mock_port, self.folder.name))

    def sign_in(self, issuer):
        """The last page of a login, and the party's output."""
        party = self.start(self.program, [
            "--profile", "openid", "--site-port", str(self.site_port), "--issuer", issuer,
            "--client-id", "ours", "--authorities", self.authority], self.site_port)
        try:
            agent = UserAgent(self.context)
            page = agent.follow(agent.open(self.site + "/login", {"go": "on"},
                source="rp.localhost", origin=self.site))
            if page.url.startswith(issuer + "/oauth2/authorize"):
                assert "code_challenge" in query(page.url), page.url
                page = agent.follow(agent.open(page.url, {"sub": "zoe"}))
            return page, party.said()
        finally:
            party.stop()
            self.running.remove(party)


def main(program, keys):
    world = LocalParty(program, keys)
    checks = 0
    try:
        for host in ("127.0.0.1", "localhost"):
            page, said = world.sign_in(f"http://{host}:{world.mock_port}")
            assert f"Welcome, {NAME}" in page.body, f"{page.status} {page.body}\n{said}"
            checks += 1
        # The mock says which issuer it is by the Host header, so each of these would be a login if
        # http were allowed elsewhere. All lead to this machine.
        for host in ("127.1", "0.0.0.0", "127.0.0.2", "2130706433"):
            page, said = world.sign_in(f"http://{host}:{world.mock_port}")
            assert "Welcome, " not in page.body, f"{host}: {page.body}"
            checks += 1
        # What the relying party reads: the document of the mock, and its keys.
        with urllib.request.urlopen(world.issuer + "/.well-known/openid-configuration") as got:
            document = json.load(got)
        assert document["issuer"] == world.issuer
        assert urllib.parse.urlsplit(document["end_session_endpoint"]).scheme == "http"
        checks += 1
    finally:
        world.stop()
    print(f"oidc-provider-mock: {checks} checks passed")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main(*sys.argv[1:]))
