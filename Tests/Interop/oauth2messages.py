"""Single messages between us and Authlib and idpyoidc, both ways: RFC 9126, 9449, 9068, 7523,
CIBA."""

import json
import types
import urllib.parse
import uuid

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion, PrivateKeyJWT
from authlib.oauth2.rfc9068 import JWTBearerTokenValidator
from cryptojwt.jwk.ec import new_ec_key
from cryptojwt.jwk.jwk import key_from_jwk_dict
from cryptojwt.jws.jws import JWS
from cryptojwt.key_jar import build_keyjar
from idpyoidc.message.oauth2 import PushedAuthorizationRequest
from idpyoidc.message.oidc.backchannel_authentication import (
    AuthenticationRequest, AuthenticationRequestJWT)
from idpyoidc.message.oidc.backchannel_authentication import NotificationRequest, TokenRequest
from idpyoidc.server.oauth2.add_on.dpop import DPoPProof
from idpyoidc.server.oauth2.pushed_authorization import PushedAuthorization
from joserfc import jwk

from oauth2client import CALLBACK, CLIENT, HINT, Site
from openid_sides import (
    JWT_BEARER, KEYS, ForeignParty, ForeignProvider, ROWS, challenge, now, rejects)
from peer import Peer

OTHER = "https://foreign.example/op"


def run(program, tally):
    peer = Peer(program)
    try:
        with Site(peer) as site:
            for name, part in (("Authlib", authlib), ("idpyoidc", idpyoidc)):
                right = lambda what, is_right, detail="": tally.check(name + ", messages", what,
                    bool(is_right), f"{detail}"[:300])
                try:
                    part(peer, site, right)
                except Exception as error:
                    right("all of it", False, repr(error))
    finally:
        peer.close()


def serve(peer, site, keys, right, **changes):
    told = peer.ask("service", profile="openID", issuer=site.issuer, client_id=CLIENT,
                    redirect_uri=CALLBACK, jwks=keys,
                    client="signed", signature_algs=["ES256"], endpoint_audiences=True, **changes)
    right("registration", told.get("ok"), told)


def post(session, site, path, fields, headers=None):
    return session.post(site.issuer + path, data=fields, headers=headers,
        verify=site.authority)  # announced, so it is required


def become_party(peer, issuer, right, jwks):
    """Our relying party, at a provider with these metadata."""
    document = {
        "issuer": issuer, "authorization_endpoint": issuer + "/authorization",
        "token_endpoint": issuer + "/token",
        "jwks_uri": issuer + "/jwks", "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256"],
        "token_endpoint_auth_methods_supported": ["private_key_jwt"],
        "pushed_authorization_request_endpoint": issuer + "/par",
        "request_object_signing_alg_values_supported": ["RS256"],
        "backchannel_authentication_endpoint": issuer + "/bc-authorize",
        "backchannel_token_delivery_modes_supported": ["poll", "ping"],
        "backchannel_authentication_request_signing_alg_values_supported": ["RS256"]}
    told = peer.ask("party", profile="openID", metadata=document, issuer=issuer, jwks=jwks,
                    client_id=CLIENT, redirect_uri=CALLBACK, client="signed")
    right("our party", told.get("ok"), told)


# ---- Authlib

def authlib(peer, site, right):
    key = jwk.ECKey.generate_key("P-256", {"kid": "client-key", "use": "sig", "alg": "ES256"})
    serve(peer, site, json.dumps({"keys": [key.as_dict(private=False)]}), right)
    def login(**claims):
        method = PrivateKeyJWT(site.issuer + "/token", alg="ES256", claims=claims)
        session = OAuth2Session(CLIENT, key, token_endpoint_auth_method=method,
                                redirect_uri=CALLBACK, scope="openid profile",
                                code_challenge_method="S256")
        session.verify, session.trust_env = site.authority, False
        verifier = uuid.uuid4().hex * 2
        address, state = session.create_authorization_url(site.issuer + "/authorization",
            code_verifier=verifier, nonce="n")
        back = session.get(address, allow_redirects=False, withhold_token=True)
        right("RFC 7636: the answer of a login", back.status_code == 303, back.text)
        return session, session.fetch_token(
            site.issuer + "/token", authorization_response=back.headers["Location"], state=state,
            code_verifier=verifier)

    right("RFC 7523: its assertion, which lives an hour, is rejected",
        "invalid_client" in (rejects(login) or ""))
    session, tokens = login(exp=now() + 300)
    right("RFC 7523: its assertion", tokens["token_type"] == "Bearer", tokens)

    keys = session.get(site.issuer + "/jwks", withhold_token=True).json()

    def judged(issuer=site.issuer, resource=site.issuer + "/resource", token=tokens["access_token"],
            scopes=("openid",)):
        class Validator(JWTBearerTokenValidator):
            def get_jwks(self):
                return jwk.KeySet.import_key_set(
                    {"keys": [key for key in keys["keys"] if key["use"] == "sig"]})

        validator = Validator(issuer=issuer, resource_server=resource)
        claims = validator.authenticate_token(token)
        validator.validate_token(claims, list(scopes), None)
        return claims

    claims = judged()
    right("RFC 9068: our access token", claims["client_id"] == CLIENT and claims["aud"] is not None,
        claims)
    for what, work in (("for another resource", lambda: judged(resource="https://other.example")),
                       ("of another issuer", lambda: judged(issuer=OTHER)),
                       ("with a changed end",
                           lambda: judged(token=tokens["access_token"][:-8] + "AAAAAAAA")),
                       ("without the scope", lambda: judged(scopes=["other"])),
                       ("an ID Token", lambda: judged(token=tokens["id_token"]))):
        right("RFC 9068: rejected: " + what, rejects(work), "accepted")

    # Our assertion, verified by their code.
    become_party(peer, OTHER, right, peer.jwks)
    form = dict(urllib.parse.parse_qsl(peer.ask("push", scopes=[])["body"]))
    ours = jwk.KeySet.import_key_set(
        {"keys": [key for key in json.loads(peer.jwks)["keys"] if key["use"] == "sig"]})

    class Assertion(JWTBearerClientAssertion):
        def __init__(self):
            super().__init__()
            self.seen, self.audience = set(), OTHER

        def get_audiences(self):
            return [self.audience]

        def validate_jti(self, claims, jti):
            return not (jti in self.seen or self.seen.add(jti))

        def resolve_client_public_key(self, client):
            return ours

        def authenticate_client(self, client):
            return client

    method = Assertion()

    def asked(fields):
        request = types.SimpleNamespace(form=fields)
        return method(lambda name: name if name == CLIENT else None, request)

    right("RFC 7523: our assertion", asked(form) == CLIENT)
    right("RFC 7523: ours again is rejected", rejects(lambda: asked(form)))
    method.audience = "https://elsewhere.example/token"
    again = dict(urllib.parse.parse_qsl(peer.ask("push", scopes=[])["body"]))
    right("RFC 7523: ours for another audience is rejected", rejects(lambda: asked(again)))


# ---- idpyoidc

def idpyoidc(peer, site, right):
    theirs = ForeignParty(next(row for row in ROWS if row.name == "netsEIDBroker"), site.issuer,
        peer.jwks)
    pushes_to_ours(peer, site, right, theirs)
    proofs(peer, site, right, theirs)
    backchannel_to_ours(peer, site, right, theirs)
    ours_to_theirs(peer, right)


def proof_of(form, theirs):
    form |= {"client_assertion": theirs.assertion(), "client_assertion_type": JWT_BEARER}
    return form


def pushes_to_ours(peer, site, right, theirs):
    serve(peer, site, theirs.jwks, right)
    request = PushedAuthorizationRequest(
        response_type="code", client_id=CLIENT, redirect_uri=CALLBACK, scope=["openid"], state="s",
        nonce="n", code_challenge=challenge(theirs.verifier), code_challenge_method="S256")
    form = proof_of(dict(urllib.parse.parse_qsl(request.to_urlencoded())), theirs)
    answer = post(requests, site, "/par", form)
    right("RFC 9126: its pushed request", answer.status_code == 201, answer.text)
    again = post(requests, site, "/par", form)
    right("RFC 9126: its assertion twice is rejected",
        again.json().get("error") == "invalid_client", again.text)


def proofs(peer, site, right, theirs):
    serve(peer, site, theirs.jwks, right, proofs_of_possession="required")
    key = new_ec_key("P-256")

    def made(**changes):
        proof = DPoPProof(typ="dpop+jwt", alg="ES256", jwk=key.serialize(), jti=uuid.uuid4().hex,
                          htm="POST", htu=site.issuer + "/token", iat=now(), **{})
        for name, value in changes.items():
            proof[name] = value
        proof.key = key
        return proof.create_header()

    def told(proof):
        form = proof_of({"grant_type": "authorization_code", "code": "c", "redirect_uri": CALLBACK},
            theirs)
        return post(requests, site, "/token", form, {"DPoP": proof}).json().get("error")

    used = made()
    right("RFC 9449: its proof", told(used) == "invalid_grant",
        "as far as the code, which nobody gave")
    for what, proof in (("used", used), ("for another method", made(htm="GET")),
                        ("for another address", made(htu=site.issuer + "/other")),
                        ("too old", made(iat=now() - 900)), ("of another type", made(typ="jwt"))):
        right("RFC 9449: rejected, its proof " + what, told(proof) == "invalid_dpop_proof")
    become_party(peer, OTHER, right, peer.jwks)
    ours = peer.ask("prove", method="POST", url=OTHER + "/token?x=1")
    read = DPoPProof().verify_header(ours["proof"])
    read.verify()
    key = key_from_jwk_dict(read["jwk"])
    right("RFC 9449: our proof", (read["htm"], read["htu"]) == ("POST", OTHER + "/token"), read)
    right("RFC 7638: our key's thumbprint", key.thumbprint("SHA-256").decode() == ours["jkt"],
        ours["jkt"])
    right("RFC 9449: rejected, our proof with a changed end",
        rejects(lambda: DPoPProof().verify_header(ours["proof"][:-8] + "AAAAAAAA")))


def backchannel_to_ours(peer, site, right, theirs):
    serve(peer, site, theirs.jwks, right)

    def signed(keys=theirs.keyjar, **changes):
        claims = {"iss": CLIENT, "aud": [site.issuer], "exp": now() + 300, "iat": now(),
                  "nbf": now(), "jti": uuid.uuid4().hex,
                  "scope": "openid", "login_hint": HINT, "binding_message": "W4SCT"} | changes
        AuthenticationRequestJWT(**claims).verify()
        return JWS(json.dumps(claims), alg="RS256").sign_compact(keys.get_signing_key("RSA", ""))

    def told(**fields):
        return post(requests, site, "/bc-authorize", proof_of(fields, theirs)).json()

    plain = AuthenticationRequest(scope=["openid"], login_hint=HINT, binding_message="W4SCT")
    plain.verify()
    answer = told(**dict(urllib.parse.parse_qsl(plain.to_urlencoded())))
    right("CIBA: its request", answer.get("expires_in") == 300, answer)
    answer = told(request=signed())
    right("CIBA: its signed request", answer.get("interval") == 5, answer)
    for what, fields in (("for another provider", {"request": signed(aud=[OTHER])}),
                         ("that ended", {"request": signed(exp=now() - 300, iat=now() - 600)}),
                         ("of a stranger", {"request": signed(keys=build_keyjar(KEYS))}),
                         ("with more beside it", {"request": signed(), "scope": "openid"})):
        right("CIBA: rejected, its request " + what,
            told(**fields).get("error") == "invalid_request")
    question = TokenRequest(grant_type="urn:openid:params:grant-type:ciba",
        auth_req_id=answer["auth_req_id"])
    question.verify()
    form = proof_of(dict(urllib.parse.parse_qsl(question.to_urlencoded())), theirs)
    pending = post(requests, site, "/token", form).json()
    right("CIBA: its question", pending.get("error") == "authorization_pending", pending)


def ours_to_theirs(peer, right):
    foreign = ForeignProvider(next(row for row in ROWS if row.name == "netsEIDBroker"), OTHER,
        peer.jwks)
    become_party(peer, OTHER, right, foreign.jwks)
    foreign.server.context.par_db = {}
    endpoint = PushedAuthorization(foreign.server.unit_get)
    endpoint.full_path = OTHER + "/par"
    kept = endpoint.process_request(peer.ask("push", scopes=["profile"])["body"])["http_response"]
    started = peer.ask("pushed", body=json.dumps(kept))
    right("RFC 9126: our pushed request, its answer",
        kept["request_uri"] in urllib.parse.unquote(started.get("url", "")), started)

    def read(body, **arguments):
        message = AuthenticationRequest().from_urlencoded(body)
        message.verify(keyjar=foreign.keyjar, **arguments)
        return message

    plain = peer.ask("backchannel", hint=HINT, message="W4SCT", expiry=60)["body"]
    right("CIBA: our request",
        (read(plain)["login_hint"], int(read(plain)["requested_expiry"])) == (HINT, 60),
        read(plain))
    called = peer.ask("backchannel", hint=HINT, signed=True, ping=True)["body"]
    message = read(called, mode="ping")
    right("CIBA: our signed request",
        message["login_hint"] == HINT and message["client_notification_token"], message)
    object = dict(urllib.parse.parse_qsl(called))["request"]
    inner = AuthenticationRequestJWT().from_jwt(object, keyjar=foreign.keyjar)
    inner.verify(issuer=OTHER, client_id=CLIENT)
    right("CIBA: its claims", inner["nbf"] <= now() and inner["exp"] - inner["nbf"] == 300, inner)
    right("CIBA: rejected, ours for another",
        rejects(lambda: inner.verify(issuer=OTHER + "/x", client_id=CLIENT)))
    right("CIBA: rejected, ours with a changed end",
        rejects(lambda: read(called.replace(object, object[:-8] + "AAAAAAAA"))))
    right("CIBA: rejected, ours with more beside it",
        rejects(lambda: read(called + "&scope=openid")))
    answer = {"auth_req_id": uuid.uuid4().hex, "expires_in": 120, "interval": 2}
    asked = peer.ask("backchannel_response", body=json.dumps(answer))
    question = TokenRequest().from_urlencoded(asked["body"])
    question.verify()
    right("CIBA: our question", question["auth_req_id"] == answer["auth_req_id"], asked)
    token = message["client_notification_token"]
    call = NotificationRequest(auth_req_id=answer["auth_req_id"]).to_json()
    right("CIBA: its call",
        peer.ask("backchannel_call", authorization="Bearer " + token, body=call).get("ok"))
    right("CIBA: rejected, its call with another token",
          peer.ask("backchannel_call", authorization="Bearer " + "a" * 43, body=call).get("claim")
          == "client_notification_token")
