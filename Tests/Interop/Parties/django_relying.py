"""A Django package as relying party of the provider of Examples/Login: the cases common to all
packages."""

import base64
import importlib.metadata
import time

from apache import Cases
from django.urls import path
from django_site import Site, who
from python_world import (
    OurProvider, UserAgent, free_port, query, resigned, with_id_token, wrong_tokens)
from tokens import claims
from wrongs import with_query

EMAIL = "zoe@example.org"


def main(package, configure, start, callback, ignored, provider, keys, method="client_secret_post"):
    """Runs all cases. The number of failures decides the exit status. `ignored` are wrong ID Tokens
    that the package accepts."""
    begun, cases = time.monotonic(), Cases()
    port = free_port()
    world = OurProvider(
        provider, keys, redirect_uris=[f"https://rp.localhost:{port}{callback}"],
        client_name=package,
        token_endpoint_auth_method=method, grant_types=["authorization_code"],
        response_types=["code"], id_token_signed_response_alg="RS256")
    try:
        site = Site(world.folder.name, world.keys, "rp.localhost", port)
        patterns = configure(site, world)
        world.running.append(site.serve([path("", who), *patterns]))
        Played(cases, world, site, site.url + start, ignored).all()
    finally:
        world.stop()
    name = importlib.metadata.version("social-auth-app-django" if package == "social-auth"
        else package)
    print(f"{package} {name}, {method}: {cases.passed} cases passed, {len(cases.failed)} failed, "
          f"{time.monotonic() - begun:.1f} s")
    return 1 if cases.failed or not cases.passed else 0


class Played:
    def __init__(self, cases, world, site, start, ignored):
        self.cases, self.world, self.site, self.start, self.ignored = (
            cases, world, site, start, ignored)

    def login(self, **words):
        self.since, self.size = len(self.site.kept.lines), self.world.program.size()
        return self.world.login(self.start, **words)[0]

    def said(self):
        return f"{self.site.said(self.since)}\n{self.world.program.said(self.size)}"

    def passes(self, **words):
        page = self.login(**words)
        assert page.body == f"signed in: {EMAIL}", \
            f"{page.status} {page.url}: {page.body}\n{self.said()}"

    def fails(self, reason=None, **words):
        """Nobody is signed in, and if the provider rejects, its log has the reason."""
        page = self.login(**words)
        assert "signed in: " not in page.body, page.body
        assert reason is None or reason in self.world.program.said(self.size), self.said()
        return page

    def all(self):
        run, world = self.cases.run, self.world
        run("a login", self.passes)
        with world.changing("/token") as kept:
            run("the same user once more", self.passes)
        [token] = kept.exchanges() or [None]
        run("acr_values are a wish: the token states what was reached", self.acr, token)
        run("the user says no", self.fails, word="no")
        for title, damage in wrong_tokens(world.key, world.issuer, world.client["client_id"]):
            if title not in self.ignored:
                run(f"it rejects an ID Token: {title}", self.wrong, "/token", with_id_token(damage))
        run("an ID Token signed by us, with nothing wrong", self.right)
        run("it rejects another state", self.fails, callback=with_query({"state": "another"}))
        run("it rejects a callback without code", self.fails, callback=with_query({"code": None}))
        self.provider_rejects()
        run("at the end: a login", self.passes)

    def acr(self, token):
        assert claims(token.json["id_token"])["acr"] == "0", token.answer

    def wrong(self, path, change):
        with self.world.changing(path, answer=change):
            self.fails()

    def right(self):
        with self.world.changing("/token",
                answer=with_id_token(lambda token: resigned(token, self.world.key))):
            self.passes()

    def provider_rejects(self):
        run, world = self.cases.run, self.world
        is_posted = world.client["token_endpoint_auth_method"] == "client_secret_post"

        def posting(change):
            def request(exchange):
                form = {**exchange.form, **change}
                exchange.form = {name: value for name, value in form.items() if value is not None}
            return request

        def rejected(request, reason, error):
            with world.changing("/token", request=request) as kept:
                self.fails(reason)
            [token] = kept.exchanges()
            assert token.status in (400, 401) and token.json["error"] == error, token.answer
            return token

        def basic(text):
            def request(exchange):
                exchange.headers["Authorization"] = "Basic " + base64.b64encode(
                    text.encode()).decode()
                exchange.form = {name: value for name,
                    value in exchange.form.items() if name != "client_secret"}
            return request
        pair = f"{world.client['client_id']}:{world.client['client_secret']}"
        for title, request, reason, error in (
            ("another code", posting({"code": "another"}), "it is unknown", "invalid_grant"),
            ("another redirect_uri", posting({"redirect_uri": "https://rp.localhost/"}),
                "claim redirect_uri", "invalid_grant"),
            ("another code verifier", posting({"code_verifier": "A" * 43}),
                "the code_verifier does not match it", "invalid_grant"),
            ("no code verifier", posting({"code_verifier": None}), "claim code_verifier",
                "invalid_grant"),
            ("another grant", posting({"grant_type": "password"}), "grant_type",
                "unsupported_grant_type"),
            ("another secret", posting({"client_secret": "x"}) if is_posted else basic(pair + "x"),
                "client_secret", "invalid_client"),
            ("the secret by the other method",
                basic(pair) if is_posted
             else posting({"client_secret": world.client["client_secret"]}),
             "client_secret" if is_posted else "more than one authentication method",
             "invalid_client" if is_posted else "invalid_request"),
        ):
            run(f"the provider rejects: {title}", rejected, request, reason, error)

        def in_body():
            def request(exchange):
                del exchange.headers["Authorization"]
                exchange.form = {**exchange.form, "client_id": "foreign",
                    "client_secret": world.client["client_secret"]}
            token = rejected(request, "it came in the form", "invalid_client")
            assert "came in the body" in token.json["error_description"], token.answer
        if not is_posted:
            run("the provider rejects: the secret in the body, and says so", in_body)

        def code_twice():
            with world.changing("/token") as kept:
                self.passes()
            [token] = kept.exchanges()
            assert world.between.send(token).status == 400 and token.json[
                "error"] == "invalid_grant", token.answer
        run("the provider rejects: a code twice", code_twice)

        def essential():
            asked = world.begin(UserAgent(world.context), self.start).location
            wanted = '{"id_token":{"acr":{"essential":true,"value":"gold"}}}'
            page = UserAgent(world.context).open(with_query({"claims": wanted})(asked))
            answer = query(page.location)
            assert answer["error"] == "unmet_authentication_requirements", page.location
            assert "misuse" not in page.location and "call" not in answer[
                "error_description"], page.location
        run("the provider rejects: an essential acr that it cannot reach", essential)
