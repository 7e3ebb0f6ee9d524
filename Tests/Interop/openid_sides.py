"""The two sides of an OpenID login: ours, a process that uses JOSEOpenID, and a foreign one with
idpyoidc.

The foreign provider is idpyoidc's complete server: its endpoints parse our requests, open our
request objects, check our client assertions and issue the tokens. The foreign relying party makes
and verifies messages with idpyoidc's message classes.
"""

import base64
import contextlib
import hashlib
import html
import io
import json
import logging
import os
import re
import tempfile
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from cryptojwt.jwe.jwe import JWE
from cryptojwt.jws.jws import JWS
from cryptojwt.key_jar import build_keyjar
from idpyoidc.client.client_auth import assertion_jwt
from idpyoidc.message.oidc import (
    AccessTokenRequest, AccessTokenResponse, AuthorizationRequest, IdToken, OpenIDSchema)
from idpyoidc.message.oidc import make_openid_request, verify_id_token
from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration
from idpyoidc.server.oidc.authorization import Authorization
from idpyoidc.server.oidc.provider_config import ProviderConfiguration
from idpyoidc.server.oidc.token import Token
from idpyoidc.server.oidc.userinfo import UserInfo
from idpyoidc.server.token.id_token import IDToken
from idpyoidc.server.user_authn.user import NoAuthn
from idpyoidc.server.user_info import UserInfo as UserTable

from batch import b64u

ENC = "A128CBC-HS256"
CLIENT, CALLBACK = "client-1", "https://rp.example/callback"
# idpyoidc does not form-decode HTTP Basic (RFC 6749 2.3.1), so our relying party does not encode.
SECRET = "a secret/of+both=~*%25"
JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
KEYS = [{"type": "RSA", "use": ["sig"]}, {"type": "RSA", "use": ["enc"]}]

logging.disable(logging.CRITICAL)  # it logs what it rejects


@dataclass
class Row:
    """The settings of a profile, by the name of our preset. Layers are None, "signed" or
    "nested"."""

    name: str
    client: str  # "basic", or the layers of the assertion
    object: str | None = None
    answers: str = "signed"  # layers of the ID Token, and of UserInfo if nested
    key_alg: str | None = None
    acr: str | None = None
    written_acr: str | None = None  # acr of ID Tokens, if spelled differently
    scopes: list = field(default_factory=list)
    service: str | None = None
    object_for: str = ""  # the aud of a request object, appended to the issuer
    assertion_for: str = ""  # aud of assertions, appended to the issuer
    proof_key: bool = False
    hints: list = field(default_factory=list)

    @property
    def answered_acr(self):
        return self.written_acr or self.acr

    @property
    def scope(self):
        return ["openid", *self.scopes, *([f"service:{self.service}"] if self.service else [])]


ROWS = [
    Row("itsme0", client="signed", object="signed", answers="nested", key_alg="RSA-OAEP",
        service="LOGIN",
        acr="tag:sixdots.be,2016-06:acr_advanced", object_for="/token", assertion_for="/token"),
    Row("itsme1", client="nested", object="signed", answers="nested", key_alg="RSA-OAEP",
        service="LOGIN",
        acr="tag:sixdots.be,2016-06:acr_advanced", object_for="/authorization",
        assertion_for="/token"),
    Row("itsme2", client="nested", object="nested", answers="nested", key_alg="RSA-OAEP-256",
        service="LOGIN",
        acr="http://itsme.services/v2/claim/acr_advanced",
        written_acr="http://itsme.services/V2/claim/acr_advanced",
        object_for="/authorization", assertion_for="/token"),
    Row("signicatMobileID", client="basic", acr="urn:signicat:oidc:method:inapp",
        scopes=["profile", "mobileid"], proof_key=True, hints=["deviceId-1", "externalRef-user-1"]),
    Row("netsEIDBroker", client="signed", object="signed"),
    Row("openID", client="basic", proof_key=True),
]


def sealed(claims, keyjar, owner, row, layers):
    """Claims signed with a key jar's own key and, if requested, encrypted to another owner's."""
    token = JWS(json.dumps(claims), alg="RS256").sign_compact(keyjar.get_signing_key("RSA", ""))
    return nested(token, keyjar, owner, row) if layers == "nested" else token


def nested(token, keyjar, owner, row):
    return JWE(token.encode(), alg=row.key_alg, enc=ENC,
        cty="JWT").encrypt(keyjar.get_encrypt_key("RSA", owner))


class NestedIDToken(IDToken):
    """The server's own issuer, set to encrypt, which its code flow never requests."""

    def __call__(self, *args, **kwargs):
        return super().__call__(*args, encrypt=True, **kwargs)


def subject(user, salt="", **_):
    """A name of 32 characters, like itsme's. The server's own names have 64."""
    return hashlib.sha256(f"{user}{salt}".encode()).hexdigest()[:32]


class Rejected(Exception):
    """The foreign side returned an error."""


class ForeignProvider:
    """idpyoidc's server with one client: us."""

    def __init__(self, row, issuer, client_jwks):
        self.row, self.issuer = row, issuer
        maker = NestedIDToken if row.answers == "nested" else IDToken
        id_token = {"class": f"{maker.__module__}.{maker.__name__}", "kwargs": {}}
        code = {"jwks_def": {
            "key_defs": [{"type": "oct", "bytes": 24, "use": ["enc"], "kid": "code"}]},
                "code": {"kwargs": {"lifetime": 600}}, "token": {"kwargs": {"lifetime": 600}},
                "id_token": id_token}
        endpoint = {
            "provider_config": {"path": ".well-known/openid-configuration",
                "class": ProviderConfiguration, "kwargs": {}},
            "authorization": {"path": "authorization", "class": Authorization, "kwargs": {}},
            "token": {"path": "token", "class": Token,
                      "kwargs": {
                          "client_authn_method": ["client_secret_basic" if row.client == "basic"
                              else "private_key_jwt"]}},
            "userinfo": {"path": "userinfo", "class": UserInfo, "kwargs": {}}}
        config = {
            "issuer": issuer, "httpc_params": {}, "template_dir": ".",
            "keys": {"key_defs": KEYS, "uri_path": "jwks"},
            "session_params": {"sub_func": {"public": {"function": subject}}},
            "token_handler_args": code, "endpoint": endpoint,
            "userinfo": {"class": UserTable, "kwargs": {"db": {"user-1": {"name": "Zoë"}}}},
            "authentication": {"anon": {"acr": row.acr or "urn:example:acr", "class": NoAuthn,
                "kwargs": {"user": "user-1"}}},
            "add_on": {"pkce": {"function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
                                "kwargs": {"essential": row.proof_key,
                                    "code_challenge_method": "S256"}}}}
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            self.server = Server(OPConfiguration(conf=config, base_path=folder), cwd=folder)
        # By default it only accepts assertions for the URL of its endpoint; "" is its issuer.
        self.server.get_endpoint("token").allowed_targets = ["token", ""]
        self.keyjar = self.server.keyjar
        self.keyjar.import_jwks(json.loads(client_jwks), CLIENT)
        client = {"client_id": CLIENT, "redirect_uris": [(CALLBACK, {})],
                  "response_types_supported": ["code"],
                  "client_secret": SECRET, "allowed_scopes": row.scope,
                  "token_endpoint_auth_method": "client_secret_basic" if row.client == "basic"
                  else "private_key_jwt", "id_token_signed_response_alg": "RS256"}
        if row.answers == "nested":
            client["userinfo_signed_response_alg"] = "RS256"
            for kind in ("id_token", "userinfo"):
                client |= {f"{kind}_encrypted_response_alg": row.key_alg,
                    f"{kind}_encrypted_response_enc": ENC}
        self.server.context.cdb[CLIENT] = client

    @property
    def jwks(self):
        return self.keyjar.export_jwks_as_json()

    def metadata(self):
        """Its discovery document. It leaves the lists of its encryption algorithms empty."""
        document = dict(
            self.server.get_endpoint("provider_config").process_request()["response_args"])
        if self.row.key_alg:
            for kind in ("id_token", "userinfo", "request_object"):
                document[f"{kind}_encryption_alg_values_supported"] = [self.row.key_alg]
                document[f"{kind}_encryption_enc_values_supported"] = [ENC]
        return json.dumps(document)

    def authorize(self, url):
        """The query of the redirect, or the fields of the form. It accepts one login_hint, so
        senders of several omit them."""
        endpoint = self.server.get_endpoint("authorization")
        hints = re.findall(r"&login_hint=[^&]*", url)
        request = endpoint.parse_request(
            urlsplit(url if len(hints) < 2 else re.sub(r"&login_hint=[^&]*", "", url)).query)
        self.hints = [unquote(hint.split("=")[1]) for hint in hints]
        if "error" in request:
            raise Rejected(request.to_dict())
        self.received = request
        answer = endpoint.process_request(request)
        if "error" in answer:
            raise Rejected(answer)
        arguments = answer.get("response_args")
        if "response_msg" in answer:
            fields = re.findall(r'name="([^"]*)" value="([^"]*)"', answer["response_msg"])
            arguments = {name: html.unescape(value) for name, value in fields}
        return urlencode(
            {name: arguments[name] for name in ("code", "state", "iss") if name in arguments})

    def token(self, body, authorization=None):
        endpoint = self.server.get_endpoint("token")
        headers = {"headers": {"authorization": authorization} if authorization else {}}
        request = endpoint.parse_request(body, http_info=headers)
        if "error" in request:
            raise Rejected(request.to_dict())
        answer = endpoint.process_request(request)
        if "error" in answer:
            raise Rejected(answer.to_dict() if hasattr(answer, "to_dict") else answer)
        return answer["response_args"]

    def userinfo(self, bearer):
        endpoint = self.server.get_endpoint("userinfo")
        request = endpoint.parse_request({},
            http_info={"headers": {"authorization": f"Bearer {bearer}"}})
        answer = endpoint.do_response(**endpoint.process_request(request))
        return answer["response"], dict(answer["http_headers"])["Content-type"]


class ForeignParty:
    """A relying party made of idpyoidc's messages."""

    def __init__(self, row, issuer, provider_jwks):
        self.row, self.issuer = row, issuer
        self.keyjar = build_keyjar(KEYS)
        self.keyjar.import_jwks(self.keyjar.export_jwks(private=True), CLIENT)
        self.keyjar.import_jwks(json.loads(provider_jwks), issuer)
        self.state, self.nonce = os.urandom(16).hex(), os.urandom(16).hex()
        self.verifier = os.urandom(32).hex()

    @property
    def jwks(self):
        return self.keyjar.export_jwks_as_json()

    def request(self, **changes):
        """The query of an authorization request. `changes` are members of the request."""
        row = self.row
        members = {"response_type": "code", "client_id": CLIENT, "redirect_uri": CALLBACK,
                   "scope": row.scope, "state": self.state, "nonce": self.nonce}
        if row.acr:
            members["acr_values"] = [row.acr]
        if row.name == "signicatMobileID":
            members["state"] = self.state = "inapp:" + self.state
        if row.proof_key:
            members |= {"code_challenge": challenge(self.verifier), "code_challenge_method": "S256"}
        request = AuthorizationRequest(**(members | changes))
        request.verify()
        return request

    def query(self, request, outer=None, lifetime=300, layers=None, audience=None, keys=None):
        """The request as a query, or in an object if the profile uses one."""
        row = self.row
        if row.object is None:
            return "&".join([request.to_urlencoded(),
                *(urlencode({"login_hint": hint}) for hint in row.hints)])
        token = make_openid_request(request, keys=keys or self.keyjar, issuer=CLIENT,
            request_object_signing_alg="RS256",
                                    recv=audience or self.issuer + row.object_for,
                                    lifetime=lifetime, with_jti=True)
        if (layers or row.object) == "nested":
            token = nested(token, self.keyjar, self.issuer, row)
        beside = {"response_type": "code", "client_id": CLIENT, "scope": " ".join(row.scope),
            "request": token}
        return urlencode(beside | (outer or {}))

    def assertion(self, audience=None, lifetime=300, layers=None, keys=None):
        """A client assertion, with the layers of the profile unless others are given."""
        keys = (keys or self.keyjar).get_signing_key("RSA", "")
        token = assertion_jwt(CLIENT, keys, audience or self.issuer + self.row.assertion_for,
            "RS256", lifetime=lifetime)
        if self.row.assertion_for:
            # It writes a list of one, and the URL of an endpoint is accepted as a string only.
            claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
            token = JWS(json.dumps(claims | {"aud": claims["aud"][0]}),
                alg="RS256").sign_compact(keys)
        return nested(token, self.keyjar, self.issuer,
            self.row) if (layers or self.row.client) == "nested" else token

    def token_request(self, code, assertion=None):
        request = AccessTokenRequest(grant_type="authorization_code", code=code,
            redirect_uri=CALLBACK)
        if self.row.proof_key:
            request["code_verifier"] = self.verifier
        if self.row.client != "basic":
            request["client_assertion"] = assertion or self.assertion()
            request["client_assertion_type"] = JWT_BEARER
        request.verify()
        return request.to_urlencoded()

    def authorization(self):
        """Form-encoded in one test and not in the other: our provider accepts both."""
        return basic(CLIENT, SECRET,
            self.row.name == "openID") if self.row.client == "basic" else None

    def answer(self, text, **expected):
        """The token response, with its ID Token verified by idpyoidc."""
        response = AccessTokenResponse().from_json(text)
        token = self.id_token(response["id_token"], **expected)
        if self.row.answers == "signed":
            # Its check of at_hash supports signed tokens only.
            arguments = {"keyjar": self.keyjar, "iss": self.issuer, "client_id": CLIENT,
                "nonce": self.nonce}
            hashed = AccessTokenResponse(id_token=response["id_token"],
                access_token=response["access_token"])
            verify_id_token(hashed, check_hash=True, allowed_sign_alg="RS256", **arguments)
        return response["access_token"], token

    def id_token(self, text, nonce=None, client_id=CLIENT, issuer=None):
        expected = {"sigalg": "RS256"}
        if self.row.answers == "nested":
            expected |= {"encalg": self.row.key_alg, "encenc": ENC}
        token = IdToken().from_jwt(text, keyjar=self.keyjar, **expected)
        token.verify(iss=issuer or self.issuer, client_id=client_id, nonce=nonce or self.nonce)
        return token

    def userinfo(self, body):
        nested_one = self.row.answers == "nested"
        info = OpenIDSchema().from_jwt(body,
            keyjar=self.keyjar) if nested_one else OpenIDSchema().from_json(body)
        info.verify()
        return info


def basic(client, secret, is_encoded):
    pair = (f"{quote(client, safe='')}:{quote(secret, safe='')}"
            if is_encoded else f"{client}:{secret}")
    return "Basic " + base64.b64encode(pair.encode()).decode()


def challenge(verifier):
    return b64u(hashlib.sha256(verifier.encode()).digest())


def rejects(work):
    """The name of the exception that rejects, or None if nothing was rejected."""
    try:
        work()
    except Exception as error:  # any exception of the foreign side is a rejection
        return f"{type(error).__name__}: {error}"
    return None


def code_of(url_or_query):
    query = urlsplit(url_or_query).query if "://" in url_or_query else url_or_query
    return parse_qs(query)["code"][0]


def now():
    return int(time.time())
