"""simple_openid_connect as relying party of the provider of Examples/Login: what passes, and what
each side rejects.

usage: simple.py PROVIDER KEYS
"""

import importlib.metadata
import signal
import sys
import time

from apache import Cases
from python_world import (
    NAME, OurProvider, UserAgent, query, resigned, with_id_token, with_json, wrong_tokens)
from simple_openid_connect.client import OpenidClient
from simple_openid_connect.data import TokenErrorResponse
from simple_openid_connect.pkce import generate_pkce_pair
from wrongs import with_query

CALLBACK = "https://rp.localhost/callback"


class Rejected(Exception):
    """The provider's error at the token endpoint."""


class Played:
    def __init__(self, cases, world):
        self.cases, self.world = cases, world

    def login(self, word="yes", callback=None, asked=None, **changes):
        """The claims of ID Token and UserInfo. Raises if either side rejects something."""
        world = self.world
        client = OpenidClient.from_issuer_url(
            world.issuer, CALLBACK, world.client["client_id"],
            changes.get("secret", world.client["client_secret"]), scope="openid profile email")
        verifier, challenge = generate_pkce_pair()
        code = {"code_challenge": challenge, "code_challenge_method": "S256"}
        url = client.authorization_code_flow.start_authentication(state="s", nonce="n", **code)
        agent = UserAgent(world.context)
        page = agent.open(asked(url) if asked else url)
        back = page.location or agent.post(page, answer=word).location
        tokens = client.authorization_code_flow.handle_authentication_result(
            callback(back) if callback else back, state="s",
            code_verifier=changes.get("verifier", verifier), **code)
        if isinstance(tokens, TokenErrorResponse):
            raise Rejected(tokens.error)
        said = client.decode_id_token(tokens.id_token, nonce="n")
        told = client.fetch_userinfo(tokens.access_token)
        return said, told

    def passes(self, **words):
        said, told = self.login(**words)
        assert said.sub == told.sub and told.name == NAME, (said, told)
        return said

    def fails(self, said, **words):
        try:
            self.login(**words)
        except Exception as error:
            assert said in f"{type(error).__name__}: {error}", f"{type(error).__name__}: {error}"
        else:
            raise AssertionError("nothing was rejected")

    def wrong(self, said, change, path="/token", key="answer"):
        with self.world.changing(path, **{key: change}):
            self.fails(said)

    def all(self):
        run, world = self.cases.run, self.world
        run("a login", self.passes)

        def acr():
            assert self.passes(asked=with_query({"acr_values": "gold"})).acr == "0"
        run("acr_values are a wish: the token states what was reached", acr)
        run("the user says no", self.fails, "AuthenticationFailedError", word="no")

        def right():
            with world.changing("/token",
                    answer=with_id_token(lambda token: resigned(token, world.key))):
                self.passes()
        run("an ID Token signed by us, with nothing wrong", right)
        ignored = {"at_hash of another token", "it is from the future"}
        for title, damage in wrong_tokens(world.key, world.issuer, world.client["client_id"]):
            if title not in ignored:
                run(f"it rejects an ID Token: {title}", self.wrong, "", with_id_token(damage))
        run("it rejects another state", self.fails, "state",
            callback=with_query({"state": "another"}))
        run("it rejects UserInfo without sub", self.wrong, "sub", with_json({"sub": None}),
            "/userinfo")
        for title, words in (
            ("another code", {"callback": with_query({"code": "another"})}),
            ("another code verifier", {"verifier": "A" * 43}),
            ("no code verifier", {"verifier": None}),
        ):
            run(f"the provider rejects: {title}", self.fails, "Rejected: invalid_grant", **words)
        run("the provider rejects: another secret", self.fails, "Rejected: invalid_client",
            secret="x")
        run("the provider rejects: no code challenge", self.fails, "invalid_request",
            asked=with_query({"code_challenge": None, "code_challenge_method": None}))
        run("the provider rejects: another response type", self.fails, "unsupported_response_type",
            asked=with_query({"response_type": "id_token"}))

        def foreign():
            page = UserAgent(world.context).open(
                f"{world.issuer}/authorization?client_id=foreign&response_type=code&scope=openid"
                "&redirect_uri=https%3A%2F%2Frp.localhost%2Fanother")
            assert page.status == 400 and page.location is None and not query(page.url).get(
                "error"), page
        run("the provider rejects: an address that is not registered", foreign)
        run("at the end: a login", self.passes)


def main(provider, keys):
    begun, cases = time.monotonic(), Cases()
    # Its HTTP Basic header is not form-encoded: the provider compares both readings.
    world = OurProvider(
        provider, keys, redirect_uris=[CALLBACK], token_endpoint_auth_method="client_secret_basic",
        client_name="simple", contacts=["nobody@example.org"])
    try:
        Played(cases, world).all()
    finally:
        world.stop()
    version = importlib.metadata.version("simple_openid_connect")
    print(f"simple_openid_connect {version}: {cases.passed} cases passed, "
          f"{len(cases.failed)} failed, {time.monotonic() - begun:.1f} s")
    return 1 if cases.failed or not cases.passed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main(*sys.argv[1:]))
