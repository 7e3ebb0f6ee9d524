"""requests-oauth2client as a client of our provider, over HTTPS: PAR, JAR, private_key_jwt, DPoP
with nonces, refresh, CIBA.

The server here only does TLS: it passes each request to `openid-peer` as a line, and returns its
response.
"""

import datetime
import http.server
import ipaddress
import json
import os
import ssl
import tempfile
import threading
from urllib.parse import parse_qs, urlsplit

import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from jwskate import Jwk, Jwt
from requests_oauth2client import BearerToken, DPoPKey, DPoPToken, OAuth2Client, PrivateKeyJwt
from requests_oauth2client.dpop import add_dpop_proof

from peer import Peer

CLIENT, CALLBACK = "client-1", "https://rp.example/callback"
USER, HINT = "user-1-of-32-characters-in-total", "tel:+32470000000"


def run(program, tally):
    for algorithm in ("RS256", "ES256", "PS256"):
        for bound in (None, "accepted", "required"):
            peer = Peer(program)
            try:
                with Site(peer) as site:
                    Party(site, algorithm, bound, tally).play()
            finally:
                peer.close()


class Site:
    """An HTTPS server on a port of this machine that returns our provider's responses."""

    def __init__(self, peer):
        self.peer, self.lock, site = peer, threading.Lock(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                address = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                with site.lock:
                    told = site.peer.ask(
                        "http", method=self.command, path=address.path, query=address.query,
                        body=body,
                        authorization=self.headers.get("Authorization"),
                        proofs=self.headers.get_all("DPoP") or [])
                if "status" not in told:
                    told = {"status": 599, "headers": [], "body": str(told)}
                self.send_response(told["status"])
                for name, value in told["headers"]:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(told["body"].encode())))
                self.end_headers()
                self.wfile.write(told["body"].encode())

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"https://localhost:{self.server.server_port}"
        self.folder = tempfile.TemporaryDirectory()
        self.authority = certificate(self.folder.name)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.authority, os.path.join(self.folder.name, "key.pem"))
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()


def certificate(folder):
    """A self-signed certificate for this machine's name. Returns the file's path."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(
        key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(start)
            .not_valid_after(start + datetime.timedelta(days=2))
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True).sign(key,
                hashes.SHA256()))
    path = os.path.join(folder, "certificate.pem")
    with open(path, "wb") as file:
        file.write(made.public_bytes(serialization.Encoding.PEM))
    with open(os.path.join(folder, "key.pem"), "wb") as file:
        file.write(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()))
    return path


class Party:
    """One client, whose key signs with `algorithm`. `bound` is the provider's DPoP rule."""

    def __init__(self, site, algorithm, bound, tally):
        self.site, self.algorithm, self.bound, self.tally = site, algorithm, bound, tally
        self.group = f"requests-oauth2client, {algorithm}, proofs {bound or 'ignored'}"
        self.key = Jwk.generate(alg=algorithm, kid="client-key", use="sig")
        self.http = requests.Session()
        # The environment may configure other CAs, and proxies.
        self.http.verify, self.http.trust_env = site.authority, False

    def right(self, name, is_right, detail=""):
        self.tally.check(self.group, name, bool(is_right), f"{detail}"[:300])

    def rejected(self, name, code, work):
        """Our provider must reject with this error code."""
        try:
            got = f"accepted: {work()}"
        except Exception as error:
            got = getattr(error, "error", None) or f"{type(error).__name__}: {error}"
        self.right(name, got == code, f"wanted {code}, got {got}")

    def play(self):
        try:
            self.register()
            for name, login in (("pushed", self.pushed), ("pushed object", self.pushed_object),
                    ("object", self.object)):
                self.login(name, login)
            if self.algorithm == "ES256":
                self.backchannel()
                self.rejections()
        except Exception as error:
            self.right("all of it", False, repr(error))

    def register(self, **changes):
        keys = json.dumps({"keys": [self.key.public_jwk().to_dict()]})
        told = self.site.peer.ask(
            "service", profile="openID", issuer=self.site.issuer, client_id=CLIENT,
            redirect_uri=CALLBACK, jwks=keys,
            client="signed", signature_algs=["ES256", "PS256"], endpoint_audiences=True,
            proofs_of_possession=self.bound, nonces=True, **changes)
        self.right("registration", told.get("ok"), told)
        self.client = OAuth2Client.from_discovery_endpoint(
            issuer=self.site.issuer, url=self.site.issuer + "/.well-known/openid-configuration",
            redirect_uri=CALLBACK,
            auth=PrivateKeyJwt(CLIENT, self.key), session=self.http,
            dpop_bound_access_tokens=self.bound is not None,
            backchannel_authentication_endpoint=self.site.issuer + "/bc-authorize")

    # ---- logins

    def pushed(self, request):
        return self.client.pushed_authorization_request(request)

    def pushed_object(self, request):
        """It signs pushed requests by a separate call."""
        signed = request.sign(self.key, lifetime=60)
        answer = self.http.post(
            self.site.issuer + "/par", data={"client_id": CLIENT, "request": str(signed.request)},
            auth=self.client.auth)
        self.right("an object is taken", answer.status_code == 201, answer.text)
        return (f"{self.site.issuer}/authorization?client_id={CLIENT}"
                f"&request_uri={answer.json()['request_uri']}")

    def object(self, request):
        return request.sign(self.key, lifetime=60, response_type="code", scope="openid")

    def visit(self, address):
        """The user's browser, up to the response."""
        return self.http.get(str(getattr(address, "uri", address)), allow_redirects=False)

    def login(self, name, way):
        # It writes iss and aud of an object only if its caller sets them.
        named = {} if name == "pushed" else {"iss": CLIENT, "aud": self.site.issuer}
        request = self.client.authorization_request(scope="openid profile",
            dpop=self.bound is not None, **named)
        back = self.visit(way(request))
        self.right(f"{name}: the answer is a redirect", back.status_code == 303,
            f"{back.status_code} {back.text}")
        code = request.validate_callback(back.headers["Location"])
        tokens = self.client.authorization_code(code, validate=False)
        self.check(name, tokens, request.nonce)
        self.refresh(name, tokens)

    def check(self, name, tokens, nonce):
        self.right(f"{name}: the token's type",
            type(tokens) is (DPoPToken if self.bound else BearerToken), type(tokens))
        keys = self.http.get(self.site.issuer + "/jwks").json()
        key = next(Jwk(key) for key in keys["keys"] if key.get("use") == "sig")
        token = Jwt(str(tokens.id_token))
        self.right(f"{name}: the ID Token", token.verify_signature(key, alg="RS256")
            and token.claims["sub"] == USER
                   and token.claims.get("nonce") == nonce and token.claims["aud"] == CLIENT,
                   token.claims)
        told = self.http.get(self.site.issuer + "/resource", auth=tokens)
        self.right(f"{name}: the resource",
                   told.status_code == 200
                   and told.json() == {"sub": USER, "bound": self.bound is not None},
                   f"{told.status_code} {told.text} {told.headers}")

    def refresh(self, name, tokens):
        key = tokens.dpop_key if self.bound else None
        first = self.client.refresh_token(tokens, dpop=self.bound is not None, dpop_key=key)
        told = self.http.get(self.site.issuer + "/resource", auth=first)
        self.right(f"{name}: refreshed", told.status_code == 200, told.text)
        self.rejected(f"{name}: an old refresh token", "invalid_grant",
                     lambda: self.client.refresh_token(tokens, dpop=self.bound is not None,
                         dpop_key=key))

    # ---- CIBA

    def decide(self, identifier, decision):
        told = self.site.peer.ask("decide", id=identifier, decision=decision)
        self.right(f"the user's word, {decision}", told.get("ok"), told)

    def backchannel(self):
        ask = self.client.backchannel_authentication_request
        started = ask("openid profile", login_hint=HINT, binding_message="W4SCT",
            requested_expiry=60)
        self.right("CIBA: what a request is answered",
            started.expires_in in (59, 60) and started.interval == 5, started)
        self.rejected("CIBA: before she decides", "authorization_pending",
            lambda: self.client.ciba(started))
        self.rejected("CIBA: asked too soon", "slow_down", lambda: self.client.ciba(started))
        self.decide(started.auth_req_id, "granted")
        self.check("CIBA", self.client.ciba(started), None)
        self.rejected("CIBA: the same again", "invalid_grant", lambda: self.client.ciba(started))
        started = ask(login_hint=HINT)
        self.decide(started.auth_req_id, "denied")
        self.rejected("CIBA: she rejects", "access_denied", lambda: self.client.ciba(started))
        self.rejected("CIBA: nobody's name", "invalid_grant", lambda: self.client.ciba("a" * 43))
        self.rejected("CIBA: a user that nobody knows", "unknown_user_id",
            lambda: ask(login_hint="tel:+1"))
        self.rejected("CIBA: no scope openid", "invalid_scope",
            lambda: ask("profile", login_hint=HINT))
        self.rejected("CIBA: a long message", "invalid_binding_message",
            lambda: ask(login_hint=HINT, binding_message="m" * 129))
        # It writes the required claims only if its caller sets them, and null for claims that are
        # not requested.
        self.rejected("CIBA: its own signed request", "invalid_request",
            lambda: ask(login_hint=HINT, private_jwk=self.key))
        now = Jwt.timestamp()
        claims = {"iss": CLIENT, "aud": self.site.issuer, "iat": now, "nbf": now, "exp": now + 60,
                  "jti": "ciba-1", "scope": "openid", "login_hint": HINT, "requested_expiry": 30}
        send = lambda claims: self.http.post(self.site.issuer + "/bc-authorize",
                                             data={"request": str(Jwt.sign(claims, self.key))},
                                             auth=self.client.auth).json()
        told = send(claims)
        self.right("CIBA: a signed request", told.get("expires_in") == 30, told)
        self.right("CIBA: the same again is rejected",
            send(claims).get("error") == "invalid_request")

    # ---- what our provider rejects

    def rejections(self):
        bare = self.client.authorization_request(scope="openid").sign(self.key, lifetime=60)
        answer = self.http.post(self.site.issuer + "/par",
            data={"client_id": CLIENT, "request": bare.request}, auth=self.client.auth)
        self.right("an object without iss and aud",
            answer.json().get("error") == "invalid_request_object", answer.text)
        stranger = Jwk.generate(alg="ES256", kid="client-key", use="sig")
        other = OAuth2Client(token_endpoint=self.site.issuer + "/token",
            auth=PrivateKeyJwt(CLIENT, stranger), session=self.http)
        self.rejected("a stranger's assertion", "invalid_client", lambda: other.ciba("a" * 43))
        request = self.client.authorization_request(scope="openid", dpop=self.bound is not None)
        address = self.pushed(request)
        first, second = self.visit(address), self.visit(address)
        self.right("a reference is used up by its grant",
            (first.status_code, second.status_code) == (303, 400), second.status_code)
        elsewhere = (f"{self.site.issuer}/authorization?client_id={CLIENT}"
                     f"&request_uri=urn:ietf:params:oauth:request_uri:{'a' * 43}")
        self.right("a reference that nobody gave", self.visit(elsewhere).status_code == 400)
        if self.bound is None:
            return
        code = request.validate_callback(first.headers["Location"])
        self.rejected("a code with another key's proof", "invalid_grant",
                     lambda: self.client.authorization_code(code.code,
                         code_verifier=request.code_verifier, redirect_uri=CALLBACK,
                                                            validate=False, dpop=True,
                                                            dpop_key=DPoPKey.generate()))
        again = self.client.authorization_request(scope="openid", dpop=True)
        tokens = self.client.authorization_code(
            again.validate_callback(self.visit(self.pushed(again)).headers["Location"]),
            validate=False)
        self.stolen(tokens)

    def stolen(self, tokens):
        """The token alone, or a used proof, is rejected."""
        address = self.site.issuer + "/resource"
        get = lambda **headers: self.http.get(address, headers=headers)
        self.right("a bound token as a bearer token",
            get(Authorization=f"Bearer {tokens.access_token}").status_code == 401)
        self.right("a bound token without a proof",
            get(Authorization=f"DPoP {tokens.access_token}").status_code == 401)
        nonce = self.http.get(address, auth=tokens).request.headers["DPoP"]
        self.right("a proof that was used",
            get(Authorization=f"DPoP {tokens.access_token}", DPoP=nonce).status_code == 401)
        prepared = requests.Request("GET", address,
            headers={"Authorization": f"DPoP {tokens.access_token}"}).prepare()
        add_dpop_proof(prepared, dpop_key=DPoPKey.generate(rs_nonce=tokens.dpop_key.rs_nonce),
            access_token=tokens.access_token)
        self.right("another key's proof", self.http.send(prepared).status_code == 401)
