"""An OpenID provider on loopback that can be slow or silent (`mode`). Its keys and tokens are jwcrypto's."""

import base64
import hashlib
import http.server
import json
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse

from jwcrypto import jwk, jws

CLIENT, SECRET = "client-1", "a secret of the client, longer than 32 bytes"


def certificates(folder):
    """Makes a CA and a certificate of localhost. Returns the paths of CA, certificate and key."""
    ca, ca_key, request = folder / "ca.pem", folder / "ca.key", folder / "server.csr"
    certificate, key, extensions = folder / "server.pem", folder / "server.key", folder / "ext"
    extensions.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for command in (
        f"openssl req -x509 -newkey rsa:2048 -nodes -keyout {ca_key} -out {ca} -days 2 -subj /CN=ca",
        f"openssl req -newkey rsa:2048 -nodes -keyout {key} -out {request} -subj /CN=localhost",
        f"openssl x509 -req -in {request} -CA {ca} -CAkey {ca_key} -CAcreateserial -days 2"
        f" -extfile {extensions} -out {certificate}",
    ):
        subprocess.run(command.split(), check=True, capture_output=True)
    return ca, certificate, key


def sign(key, claims, header):
    """A compact JWS of claims, with exactly this header."""
    token = jws.JWS(json.dumps(claims))
    token.add_signature(key, None, json.dumps(header), None)
    return token.serialize(compact=True)


def half_hash(text):
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()[:16]).rstrip(b"=").decode()


class IdentityProvider:
    """Serves on a thread until the program ends."""

    def __init__(self, certificate, key, port=0):
        self.mode = "ok"
        self.requests = []
        self.key = jwk.JWK.generate(kty="RSA", size=2048, kid="op-1")
        self.nonce = None  # of the login in progress
        self.session = "session-1"  # sid; None for an ID Token without it
        self.subject = "zoe"
        self.before_user_info = lambda: None
        self.discovery_seconds = 0
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                owner.respond(self, "")

            def do_POST(self):
                owner.respond(self, self.rfile.read(int(self.headers["Content-Length"])).decode())

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def finish_request(self, request, address):
                request.settimeout(20)
                if owner.mode == "no-tls":
                    time.sleep(15)
                    return
                with owner.context.wrap_socket(request, server_side=True) as secure:
                    self.RequestHandlerClass(secure, address, self)

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        self.issuer = f"https://localhost:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def respond(self, handler, body):
        path = urllib.parse.urlsplit(handler.path).path
        self.requests.append((handler.command, path, dict(handler.headers), body))
        if self.mode == "silent" or (self.mode, path) == ("silent-token", "/token"):
            time.sleep(15)
            return
        if self.mode == "drip":
            handler.send_response(200)
            handler.send_header("Content-Length", "1000")
            handler.end_headers()
            for _ in range(75):
                handler.wfile.write(b" ")
                time.sleep(0.2)
            return
        if path == "/userinfo":
            self.before_user_info()
        document = {
            "/.well-known/openid-configuration": self.discovery,
            "/jwks": lambda _: {"keys": [self.key.export_public(as_dict=True) | {"use": "sig"}]},
            "/token": self.token,
            "/userinfo": lambda _: {"sub": self.subject, "name": "Zoë"},
            "/par": lambda _: {"error": "invalid_request"},
        }[path](body)
        text = json.dumps(document).encode()
        handler.send_response(429 if path == "/par" else 200)  # the quota of this client is used up
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def discovery(self, _):
        time.sleep(self.discovery_seconds)
        return {
            "issuer": self.issuer, "authorization_endpoint": self.issuer + "/authorization",
            "token_endpoint": self.issuer + "/token", "userinfo_endpoint": self.issuer + "/userinfo",
            "pushed_authorization_request_endpoint": self.issuer + "/par",
            "jwks_uri": self.issuer + "/jwks", "end_session_endpoint": self.issuer + "/end?a=b",
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"]}

    def token(self, body):
        form = urllib.parse.parse_qs(body, strict_parsing=True)
        assert form["code"] == ["the-code"] and len(form["code_verifier"][0]) >= 43, form
        return {"access_token": "opaque", "token_type": "Bearer", "expires_in": 60,
                "id_token": self.id_token()}

    def id_token(self):
        session = {"sid": self.session} if self.session else {}
        return self.signed(session | {
            "sub": self.subject, "aud": CLIENT, "nonce": self.nonce, "at_hash": half_hash("opaque")}, "JWT")

    def signed(self, claims, kind):
        now = int(time.time())
        return sign(self.key, {"iss": self.issuer, "iat": now, "exp": now + 60} | claims,
                    {"alg": "RS256", "kid": self.key.key_id, "typ": kind})

    def logout_token(self, **changes):
        event = {"http://schemas.openid.net/event/backchannel-logout": {}}
        claims = {"aud": CLIENT, "jti": str(time.time_ns()), "sid": self.session, "events": event} | changes
        return self.signed({name: value for name, value in claims.items() if value is not None}, "logout+jwt")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
