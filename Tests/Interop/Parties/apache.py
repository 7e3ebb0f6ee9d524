"""mod_auth_openidc as relying party of the provider of Examples/Login: what passes, and what each
side rejects and why.

usage: apache.py PROVIDER JOSECTL KEYS

Each rejection is confirmed by its own side: the provider by its response and log, Apache by its
error log. Each invalid message differs in one place from a message that passed the same way.
"""

import base64
import hashlib
import signal
import sys
import time
import traceback
import urllib.parse

import apache_rejects
import consent_rejects
import provider_rejects
from apache_world import SECRET, World
from tokens import claims, header

NAME = "Zoë van den Berg"


# Members whose value is also part of an error.
NAMED = {
    "token_endpoint_auth_method", "id_token_encrypted_response_alg", "userinfo_signed_response_alg",
    "id_token_signed_response_alg", "userinfo_encrypted_response_alg", "request_object_signing_alg",
    "token_endpoint_auth_signing_alg", "authorization_signed_response_alg", "subject_type",
}


class Cases:
    """Prints a line for each case. An exception fails its case, and the others continue."""

    def __init__(self):
        self.passed, self.failed = 0, []

    def run(self, name, case, *arguments, **words):
        try:
            case(*arguments, **words)
        except Exception:
            traceback.print_exc()
            self.failed.append(name)
        else:
            self.passed += 1
        print(f"{'FAILED' if name in self.failed else 'ok'}  {name}", flush=True)


def query(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query, strict_parsing=True))


def signed_in(login):
    """Expects the page, and the claims of both tokens as Apache shows them."""
    assert login.page.status == 200 and login.page.body == "what only users may read\n", \
        f"{login.page.status} at {login.page.url}: {login.page.body}\n{login.apache_said}\n" \
        f"{login.provider_said}"
    session = login.session()
    assert session["id_token"]["aud"] == login.client.name, session
    assert session["userinfo"]["name"] == NAME and session["userinfo"]["sub"] == session[
        "id_token"]["sub"], session
    [token], [told] = login.exchanges("/token"), login.exchanges("/userinfo")
    assert token.status == told.status == 200
    return query(login.address) if hasattr(login, "address") else {}, token, told


def content_type(exchange):
    return dict(exchange.answer_headers)["Content-Type"]


def plain(world):
    asked, token, told = signed_in(world.login("plain"))
    assert "code_challenge" not in asked and "code_verifier" not in token.form
    sent = base64.b64decode(token.headers["Authorization"].removeprefix("Basic ")).decode()
    assert sent == "plain:" + urllib.parse.quote(SECRET, safe=""), sent
    assert header(token.json["id_token"])["alg"] == "RS256" and content_type(
        told) == "application/json"


def proof_key(world):
    asked, token, _ = signed_in(world.login("proof-key"))
    digest = hashlib.sha256(token.form["code_verifier"].encode()).digest()
    assert asked["code_challenge_method"] == "S256"
    assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == asked["code_challenge"]


def form_post(world):
    login = world.login("form-post")
    asked, _, _ = signed_in(login)
    assert asked["response_mode"] == "form_post"
    action, fields = login.answered.form()
    assert action == login.client.redirect_uri and set(fields) == {"code", "state", "iss"}
    assert login.answered.location is None


def posted_request(world):
    login = world.login("posted-request")
    signed_in(login)
    [asked] = login.exchanges("/authorization")
    assert asked.method == "POST" and asked.query == ""


def assertion(world):
    _, token, _ = signed_in(world.login("assertion"))
    assert "Authorization" not in token.headers and "client_secret" not in token.form
    said = claims(token.form["client_assertion"])
    assert said["aud"] == world.issuer + "/token" and said["sub"] == said["iss"] == "assertion"


def nested(world):
    _, token, told = signed_in(world.login("nested"))
    assert content_type(told) == "application/jwt"
    for encrypted in (token.json["id_token"], told.answer):
        assert header(encrypted)["alg"] == "RSA-OAEP"
        assert header(world.tokens.decrypt(world.client_key, encrypted))[
            "kid"] == world.provider_keys[0]["kid"]


def request_object(world, name, parameter):
    """The object carries all parameters, and only its contents count."""
    login = world.login(name)
    asked, token, _ = signed_in(login)
    assert "signed by the client" in login.consent.body
    assert set(asked) >= {"request",
        "request_uri"} & {parameter} and len(set(asked) & {"request", "request_uri"}) == 1
    assert "auth_time" in claims(
        token.json["id_token"]), "max_age and the claims request ask for it"
    if parameter == "request":
        said = header(asked["request"])
        assert ("enc" in said) == ("nested" in name) and "cty" not in said
    else:
        assert asked["request_uri"].startswith(login.client.redirect_uri + "?request_uri=")


def everything(world):
    """Everything that stricter providers require: object by request_uri, form_post, assertion,
    nested tokens."""
    login = world.login("everything")
    asked, token, told = signed_in(login)
    assert ("signed by the client" in login.consent.body and "by form_post" in login.consent.body
            and "request_uri" in asked)
    assert "client_assertion" in token.form and "code_verifier" in token.form
    assert token.json["id_token"].count(".") == told.answer.count(".") == 4


def wrong_clients(world):
    """A registration that the provider does not support prevents its start."""
    right = world.clients["plain"].metadata()
    for name, value in (
        ("userinfo_encryption_alg", "RSA-OAEP"), ("token_endpoint_auth_method", "tls_client_auth"),
        ("redirect_uris", []),
        ("id_token_encrypted_response_alg", "RSA1_5"), ("require_code_challenge", "no"),
        ("client_secret", 1),
        ("lenient_request_objects", 1), ("jwks_uri", 1), ("userinfo_signed_response_alg", "ES512"),
        ("userinfo_signed_response_alg", "none"), ("id_token_signed_response_alg", "none"),
        ("id_token_encrypted_response_alg", "dir"), ("userinfo_encrypted_response_alg", "RSA1_5"),
        ("request_object_signing_alg", "none"), ("token_endpoint_auth_signing_alg", "HS256"),
        ("authorization_signed_response_alg", "PS512"), ("subject_type", "pairwise"),
        ("response_types", ["code", "id_token"]),
        ("grant_types", ["implicit"]), ("backchannel_logout_uri", "https://rp.localhost/"),
    ("default_max_age", 60), ):
        said = world.rejects_to_start([{**right, name: value}])
        assert said.startswith(
            f"provider: plain: {name} ") and "is not what this provider can do" in said, said
        assert not isinstance(value,
            str) or not value or name not in NAMED or f"{name} {value} is not" in said, said
    assert "plain: client_id is there twice" in world.rejects_to_start([right, right])
    # Content encryption without key management is useless, and two key sets are one too many.
    assert "it is there without" in world.rejects_to_start(
        [{**right, "id_token_encrypted_response_enc": "A128CBC-HS256"}])
    both = {**right, "jwks": {"keys": []}, "jwks_uri": "https://rp.localhost/jwks"}
    assert "jwks: it is there beside jwks_uri" in world.rejects_to_start([both])
    # A client that signs or decrypts has keys.
    without = {name: value for name, value in world.clients["assertion"].metadata().items()
        if name != "jwks_uri"}
    assert "assertion: jwks_uri is not" in world.rejects_to_start([without])


def wrong_words(world):
    """An unsupported option prevents the start, and the program does not report that it serves."""
    right = world.words[1:-1]
    port = right[right.index("--listen") + 1]
    for words, reason in (
        ([*right, "--issure", "x"], "no such option: --issure"),
        (["openid", *right], "no such option: openid"),
        ([*right, "--clients"], "--clients needs exactly one value"),
        ([*right, "--keys", world.keys], "--keys needs exactly one value"),
        ([*right, "--token-seconds", "0"], "--token-seconds 0: use a number"),
        ([port + "x" if word == port else word for word in right],
            f"--listen {port}x: use a number"),
        (["none" if word == world.keys else word for word in right],
            "none/provider.jwks cannot be read"),
        (["nothing" if word == "openid" else word for word in right],
            "--profile nothing: use one of"),
        (right, f"port {port}: Address already in use"),
    ):
        said = world.ends(*words)
        assert reason in said and " at https://" not in said, said


def denied(world):
    login = world.login("proof-key", word="no")
    assert query(login.page.url)["error"] == "access_denied" and login.session() is None
    assert not login.exchanges("/token")
    # By form_post the response arrives at a page that Apache shows.
    login = world.login("form-post", word="no")
    assert "OpenID Connect Provider error: access_denied" in login.page.body and login.session(
        ) is None


def rotated(world, name, at, keep=False):
    """The provider rotates its keys during a login: Apache has to fetch its set again, and
    accepts."""
    signed_in(world.login(name))
    signed_in(before := world.login(name))
    is_cached = "OIDCRequestObject" not in "".join(before.client.settings)
    assert before.exchanges("/jwks") == [] or not is_cached, "without a rotation the set is cached"
    old, kid = world.provider_keys, f"rotated-{time.monotonic_ns()}"
    fetched = []

    def rotate(address=None):
        fetched.append(len(world.front.of("/jwks")))
        world.rotate(kid, keep=old if keep else ())
        return address

    login = world.login(name, **{at: rotate})
    _, token, _ = signed_in(login)
    assert len(fetched) == 1 and len(world.front.of("/jwks")) > fetched[
        0], "the set was not fetched after the rotation"
    text = token.json["id_token"]
    if text.count(".") == 4:
        text = world.tokens.decrypt(world.client_key, text)
    assert header(text)["kid"] == kid + "-sig"


def too_late(world):
    """If the old keys are removed at once, a request object already sent cannot be read. The next
    one can."""
    def rotate(address):
        world.rotate("at-once")
        return address

    login = world.login("object-nested", address=rotate)
    assert query(login.page.url)["error"] == "invalid_request_object"
    assert "provider: rejects the request: key-not-found" in login.provider_said, login.provider_said
    assert login.session() is None
    signed_in(world.login("object-nested"))


def kept(world):
    """This provider's profile requires certificates: without them no keys are published."""
    said = world.rotate("bare", is_certified=False)
    assert "provider: keeps its keys: untrusted-key" in said, said
    signed_in(world.login("nested"))


def main(provider, josectl, keys):
    start, cases = time.monotonic(), Cases()
    # So that nothing is left behind if this is ended from outside.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    world = World(provider, josectl, keys)
    try:
        for name, case in (
            ("client_secret_basic, no code challenge, JSON UserInfo", plain),
            ("PKCE with S256", proof_key),
            ("response_mode form_post", form_post), ("the request as a POST", posted_request),
            ("private_key_jwt", assertion), ("nested ID Token and UserInfo", nested),
            ("all of it at once", everything),
            ("the user says no", denied),
            ("clients that the provider does not take", wrong_clients),
            ("options that the provider does not take", wrong_words),
        ):
            cases.run(name, case, world)
        for name, parameter in (
            ("object", "request"), ("object-address", "request_uri"), ("object-nested", "request"),
            ("object-nested-address", "request_uri"),
        ):
            cases.run(f"{name}: by {parameter}", request_object, world, name, parameter)
        apache_rejects.run(cases, world, signed_in)
        provider_rejects.run(cases, world, signed_in)
        consent_rejects.run(cases, world, signed_in)
        cases.run("rotation while the user is asked", rotated, world, "plain", "before_word")
        cases.run("rotation while the user is asked, nested", rotated, world, "nested",
            "before_word")
        cases.run("rotation while the user is asked, all of it at once", rotated, world,
            "everything", "before_word")
        cases.run("rotation between request and provider, nested object", rotated, world,
            "object-nested", "address", keep=True)
        cases.run("rotation between request and provider: what was encrypted for a withdrawn key",
            too_late, world)
        cases.run("keys that cannot be published: the provider keeps its own", kept, world)
        apache_rejects.after_rotation(cases, world, signed_in)
        for name in world.clients:
            if name != "object-unsigned":
                cases.run(f"at the end: {name}", lambda: signed_in(world.login(name)))
    finally:
        world.stop()
    print(f"mod_auth_openidc: {cases.passed} cases passed, {len(cases.failed)} failed, "
          f"{time.monotonic() - start:.1f} s")
    return 1 if cases.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
