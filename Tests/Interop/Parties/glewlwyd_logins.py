"""Logins of our relying party at a running glewlwyd, over HTTPS: every layer that it supports, then
what either side must reject.

`openid-peer` makes and verifies the messages. This program carries them and acts as the user's
browser.
"""

import base64
import functools
import json
from urllib.parse import parse_qsl, urlencode, urlsplit

from glewlwyd import USER, Web
from served import Served

CALLBACK = "https://rp.localhost/callback"
OTHER_USER = "max"
SECRET = "a secret/of+both=~*%25"
ENC = "A128CBC-HS256"
OAEP = ("RSA-OAEP", "RSA-OAEP-256")
# Its typ of a UserInfo token is not registered.
USERINFO = {"userinfo_types": ["token-userinfo+jwt"], "userinfo_without_audience": True}
# It does not decode the form encoding of a Basic header (RFC 6749 2.3.1). Next to an assertion it
# requires client_id, and its aud must be the URL of the token endpoint.
BASIC, ASSERTION = {"raw_basic": True}, {"client_in_body": True, "token_audience": True}

CASES = []


def case(name, *arguments, **words):
    """One case. It passes if the function returns."""
    def add(function):
        CASES.append((name, lambda stage: function(stage, *arguments, **words)))
        return function
    return add


def good(answer):
    assert answer.get("ok") is True, answer
    return answer


def rejected(answer, code, claim=""):
    """Our side must reject with this code, and this claim if one is named."""
    assert (answer.get("code"), answer.get("claim")) == (code,
        claim), f"wanted {code} {claim}, got {answer}"


def header(token):
    part = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class Stage:
    """Shared by all cases: glewlwyd with its clients and users, and our relying party."""

    def __init__(self, server, peer, program, port):
        """program: the relying party of Examples/Login; port: for its site."""
        self.server, self.peer, self.program, self.port = server, peer, program, port
        keys = json.loads(peer.jwks)
        encryption = next(key["kid"] for key in keys["keys"] if key["use"] == "enc")
        for plugin in ("oidc", "oidc-named"):
            server.plugin(plugin, **{"oauth-as-iss-id": plugin == "oidc-named"})
        common = {"jwks": keys, "client_secret": SECRET}
        for name in ("plain", "other"):
            server.client(name, CALLBACK, token_endpoint_auth_method=["client_secret_basic"],
                **common)
        server.client("assertion", CALLBACK, token_endpoint_auth_method=["private_key_jwt"],
            **common)
        for alg in OAEP:
            server.client("nested-" + alg, CALLBACK, token_endpoint_auth_method=["private_key_jwt"],
                          alg=alg, enc=ENC,
                          alg_kid=encryption, encrypt_id_token="1", encrypt_userinfo="1", **common)
        for scope in ("profile", "email"):
            server.scope(scope)
        server.user(USER, name="Zoë van den Berg", email="zoe@example.org")
        server.user(OTHER_USER, name="Max", email="max@example.org")

    @functools.cache
    def published(self, issuer):
        """An issuer's metadata, fetched once."""
        def read(url):
            status, _, text = self.server.admin.send("GET", url)
            assert status == 200, f"{status} at {url}"
            return text
        metadata = read(issuer + "/.well-known/openid-configuration")
        return {"metadata": metadata, "jwks": read(json.loads(metadata)["jwks_uri"]),
            "issuer": issuer}


class Login:
    """One login, step by step."""

    def __init__(self, stage, name="plain", plugin="oidc", start={}, **rules):
        self.stage, self.peer, self.name = stage, stage.peer, name
        self.web = Web(stage.server.authority)
        self.issuer = stage.server.issuer(plugin)
        self.rules = (BASIC if name in ("plain", "other")
            else ASSERTION | {"client": "signed"}) | rules
        self.party()
        self.begin(**start)

    def party(self, **changes):
        good(self.peer.ask("party", **({
            "profile": "openID", "client_id": self.name, "redirect_uri": CALLBACK, "secret": SECRET,
            **self.rules, **self.stage.published(self.issuer)} | changes)))

    def begin(self, **start):
        self.started = good(self.peer.ask("start", scopes=[], **start))
        self.url = self.started["url"]
        self.query = dict(parse_qsl(urlsplit(self.url).query))

    def consent(self, url=None, name=None, user=USER):
        """The browser's callback to our redirect URI."""
        _, place, form = self.stage.server.answer(self.web, url or self.url, name or self.name,
            user)
        assert place.split("?")[0] == CALLBACK, place
        return form or urlsplit(place).query

    def code(self, **changes):
        return good(self.peer.ask("answer", query=self.consent(**changes)))["value"]

    def request(self, code):
        return good(self.peer.ask("token_request", value=code))

    def send(self, request, **changes):
        """The response to a token request with changed parameters."""
        self.sent = dict(parse_qsl(request["body"])) | changes
        body = urlencode(self.sent) if changes else request["body"]
        return self.web.send("POST", request["url"], body, request["headers"])

    def tokens(self, code=None):
        self.value = code or self.code()
        status, _, text = self.send(self.request(self.value))
        assert status == 200, f"{status}: {text}"
        answer = json.loads(text)
        self.access, self.id_token = answer["access_token"], answer["id_token"]
        return self

    def verify(self, **changes):
        """Our relying party's result for the ID Token."""
        return self.peer.ask("id_token", **({
            "token": self.id_token, "access_token": self.access, "value": self.value} | changes))

    def claims(self):
        """The UserInfo response, and its media type."""
        asked = good(self.peer.ask("userinfo_request", access_token=self.access))
        status, headers, text = self.web.send(asked["method"], asked["url"], None, asked["headers"])
        assert status == 200, f"{status}: {text}"
        return {"body": text, "type": headers["Content-Type"]}

    def finish(self):
        """Everything after the consent, and the claims about the user."""
        self.tokens()
        subject = good(self.verify())["sub"]
        self.user = self.claims()
        told = good(self.peer.ask("userinfo", **self.user))
        assert told == {"ok": True, "sub": subject, "name": "Zoë van den Berg"}, told
        return self


# ---- logins that pass

@case("plain: code, PKCE, Basic, signed ID Token, UserInfo as JSON")
def plain(stage):
    login = Login(stage).finish()
    assert login.query[
        "code_challenge_method"] == "S256" and "code_verifier" in login.sent, login.query
    assert header(login.id_token) == {"typ": "JWT", "alg": "RS256",
        "kid": "provider-sig"}, header(login.id_token)
    assert login.user["type"] == "application/json"


@case("form_post")
def form_post(stage):
    login = Login(stage, start={"mode": "form_post"})
    assert login.query["response_mode"] == "form_post"
    login.finish()


@case("the answer names the issuer (RFC 9207)")
def named(stage):
    login = Login(stage, plugin="oidc-named")
    answer = login.consent()
    assert dict(parse_qsl(answer))["iss"] == login.issuer, answer
    good(login.peer.ask("answer", query=answer))


@case("Request Object, signed", "signed", None, 2)
@case("Request Object, signed then encrypted, RSA-OAEP", "nested", "RSA-OAEP", 4)
@case("Request Object, signed then encrypted, RSA-OAEP-256", "nested", "RSA-OAEP-256", 4)
def request_object(stage, layers, alg, dots):
    login = Login(stage, object=layers, key_alg=alg, start={"by_value": True})
    # A state that only the object has is returned in the response.
    assert "state" not in login.query and login.query["request"].count(".") == dots, login.query
    assert alg in (None, header(login.query["request"])["alg"])
    login.finish()


@case("Request Object by reference, signed", "signed")
@case("Request Object by reference, signed then encrypted", "nested")
def reference(stage, layers):
    with Served(stage.server.keys) as served:
        login = Login(stage, object=layers, start={"by_reference": served.address})
        served.text, served.headers = login.started["object"], login.started["object_headers"]
        assert login.query[
            "request_uri"] == served.address and "state" not in login.query, login.query
        login.finish()
        assert served.count == 2, served.count  # before and after its user signs in


@case("client assertion, signed", "signed", None, 2)
@case("client assertion, signed then encrypted, RSA-OAEP", "nested", "RSA-OAEP", 4)
@case("client assertion, signed then encrypted, RSA-OAEP-256", "nested", "RSA-OAEP-256", 4)
def assertion(stage, layers, alg, dots):
    login = Login(stage, "assertion", client=layers, key_alg=alg).finish()
    assert login.sent["client_assertion"].count(".") == dots
    assert alg in (None, header(login.sent["client_assertion"])["alg"])


@case("UserInfo as a signed token")
def signed_user(stage):
    login = Login(stage, userinfo="signed", **USERINFO).finish()
    assert login.user["type"] == "application/jwt" and header(login.user["body"])[
        "typ"] == "token-userinfo+jwt"


@case("ID Token and UserInfo signed then encrypted, RSA-OAEP", "RSA-OAEP")
@case("ID Token and UserInfo signed then encrypted, RSA-OAEP-256", "RSA-OAEP-256")
def nested(stage, alg):
    login = Login(stage, "nested-" + alg, id_token="nested", userinfo="nested", key_alg=alg,
        **USERINFO).finish()
    for token in (login.id_token, login.user["body"]):
        assert token.count(".") == 4 and (header(token)["alg"], header(token)["enc"]) == (alg,
            ENC), header(token)


@case("everything signed then encrypted, by form_post, RSA-OAEP", "RSA-OAEP")
@case("everything signed then encrypted, by form_post, RSA-OAEP-256", "RSA-OAEP-256")
def everything(stage, alg):
    Login(stage, "nested-" + alg, object="nested", client="nested", id_token="nested",
          userinfo="nested", key_alg=alg,
          start={"by_value": True, "mode": "form_post"}, **USERINFO).finish()
