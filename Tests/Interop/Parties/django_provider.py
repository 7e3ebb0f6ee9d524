"""A Django package as provider of the relying party of Examples/Login: the cases common to all
packages."""

import importlib.metadata
import time

from apache import Cases
from django_site import Site, make_user
from jwcrypto.jwk import JWK
from python_world import NAME, OurParty, resigned, with_id_token, with_json, wrong_tokens
from wrongs import with_query

# Characters that form encoding would change, and more than 32 bytes for HS256. One of the providers
# cannot read a colon.
SECRET = "a+b/c=d%7E&of*a*client-that-signs-in"
CLIENT = "ours"


def userinfo(claims, user):
    """The provider's claims about its user: a name, and many empty ones."""
    claims.update(name=NAME, given_name=user.first_name, family_name=user.last_name,
        email=user.email)
    return claims


def main(package, configure, prefix, ways, party, keys):
    """Runs all cases. `configure` sets the site up and returns its URLs and the paths of token and
    UserInfo endpoint. `ways` are options of the relying party, each with whether it signs the user
    in."""
    begun, cases = time.monotonic(), Cases()
    world = OurParty(party, keys, SECRET)
    world.issuer = world.origin + prefix
    try:
        world.key = JWK.generate(kty="RSA", size=2048)
        site = Site(world.folder.name, world.keys, "idp.localhost", world.behind)
        patterns, token, info = configure(site, world)
        make_user()
        world.running.append(site.serve(patterns))
        world.front(world.port, world.behind)
        Played(cases, world, prefix, token, info, ways).all()
    finally:
        world.stop()
    print(f"{package} {importlib.metadata.version(package)}: {cases.passed} cases passed, "
          f"{len(cases.failed)} failed, {time.monotonic() - begun:.1f} s")
    return 1 if cases.failed or not cases.passed else 0


class Played:
    def __init__(self, cases, world, prefix, token, info, ways):
        self.cases, self.world, self.token, self.info, self.ways = cases, world, token, info, ways
        self.document = prefix + "/.well-known/openid-configuration"
        self.usual = ways[0][0]

    def all(self):
        run, world = self.cases.run, self.world
        for options, client, passes in self.ways:
            run(f"{' '.join([client, *options])}: {'signs the user in' if passes else 'is rejected'}",
                world.log_in, *options, client=client, expect=passes)
        key = {**world.key.export(as_dict=True)}
        run("an ID Token signed by us, with nothing wrong", self.changed, self.token,
            with_id_token(lambda token: resigned(token, key)))
        for title, damage in wrong_tokens(key, world.issuer, CLIENT):
            run(f"the party rejects an ID Token: {title}", self.rejected, self.token,
                with_id_token(damage), "rejects the answer", 400)
        for title, change, reason in (
            ("of another user", {"sub": "another"}, "claim sub"),
            ("without sub", {"sub": None}, "claim sub"),
            ("of another issuer", {"iss": "https://another.example"}, "claim iss"),
            ("that is an ID Token", {"nonce": "x"}, "claim nonce"),
            ("with a name that is no text", {"name": 1}, "claim name"),
        ):
            run(f"the party rejects UserInfo: {title}", self.rejected, self.info, with_json(change),
                reason, 400)
        run("UserInfo with null and empty strings", self.changed, self.info, with_json(
            {"email": "", "birthdate": "", "phone_number": "", "locale": "", "picture": ""}))
        run("the party rejects UserInfo: another media type, by its name", self.rejected, self.info,
            media_type("application/jwt"), "application/jwt, not application/json", 400)
        for title, change, reason in (
            ("another issuer", {"issuer": "https://another.example"}, "claim issuer"),
            ("no algorithm of ours", {"id_token_signing_alg_values_supported": ["ES512"]},
                "does not list RS256"),
            ("no method of ours", {"token_endpoint_auth_methods_supported": ["tls_client_auth"]},
                "neither client_secret_basic nor"),
            ("a token endpoint by http", {"token_endpoint": "http://idp.localhost/token"},
                "claim token_endpoint"),
        ):
            run(f"the party rejects metadata: {title}", self.rejected, self.document,
                with_json(change), reason, 500)
            run(f"the party names the URL of such metadata: {title}", self.rejected, self.document,
                with_json(change),
                f"{world.issuer}/.well-known/openid-configuration cannot be used", 500)
        for title, change, reason in (
            ("another state", {"state": "another"}, "claim state"),
            ("no state", {"state": None}, "claim state"),
            ("another issuer", {"iss": "https://another.example"}, "claim iss"),
        ("no code", {"code": None}, "rejects the answer"), ):
            run(f"the party rejects a callback: {title}", self.callback, with_query(change), reason)
        for title, change in (
            ("another code", {"code": "another"}),
            ("another code verifier", {"code_verifier": "A" * 43}),
            ("another redirect_uri", {"redirect_uri": "https://rp.localhost/"}),
        ):
            run(f"the provider rejects: {title}", self.provider_rejects, change)
        run("at the end: a login", world.log_in, *self.usual)

    def changed(self, path, change):
        with self.world.changing(path, answer=change):
            self.world.log_in(*self.usual)

    def rejected(self, path, change, reason, status):
        with self.world.changing(path, answer=change):
            page, said = self.world.log_in(*self.usual, expect=False)
        assert reason in said and page.status == status, f"{page.status}: {said}"

    def callback(self, change, reason):
        page, said = self.world.log_in(*self.usual, callback=change, expect=False)
        assert reason in said and page.status == 400, f"{page.status}: {said}"

    def provider_rejects(self, change):
        def request(exchange):
            exchange.form = {**exchange.form, **change}
        with self.world.changing(self.token, request=request):
            page, said = self.world.log_in(*self.usual, expect=False)
        assert "the provider rejects: 40" in said and "invalid_" in said and page.status == 502, \
            f"{page.status}: {said}"


def media_type(name):
    def answer(exchange):
        exchange.answer_headers = [
            (key, name if key.lower() == "content-type" else value) for key,
            value in exchange.answer_headers]
    return answer
