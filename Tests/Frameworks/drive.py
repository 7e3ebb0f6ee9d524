"""Drives an example service of a web framework, and the example provider, by HTTP requests.

usage: drive.py SERVICE PROVIDER FOLDER
SERVICE and PROVIDER are programs, FOLDER is for certificates and logs.
"""

import atexit
import base64
import concurrent.futures
import hashlib
import http.client
import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import time
import urllib.parse

from jwcrypto import jwk

from identity_provider import CLIENT, SECRET, IdentityProvider, certificates, free_port, sign

PUBLIC = "https://api.example"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
checks = 0


def check(condition, text):
    global checks
    checks += 1
    if not condition:
        raise SystemExit(f"FAILED: {text}")


class Reply:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.getheaders()
        self.body = response.read().decode()

    def header(self, name):
        values = [value for known, value in self.headers if known.lower() == name.lower()]
        return ", ".join(values) if values else None

    def cookie(self, name):
        for known, value in self.headers:
            if known.lower() == "set-cookie" and value.startswith(name + "="):
                return value.split(";")[0]
        return None

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body}"


class Program:
    """A running example."""

    def __init__(self, command, environment, folder, name, port=None, context=None):
        self.port = port or free_port()
        self.context = context
        self.log = folder / f"{name}.log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [command], env=os.environ | environment | {"PORT": str(self.port)}, stdout=log,
                stderr=subprocess.STDOUT)
        atexit.register(self.process.kill)  # also after a failed check
        for _ in range(200):
            try:
                self.request("GET", "/")
                return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        raise SystemExit(f"{command} does not start: {self.log}\n{self.log.read_text()}")

    def request(self, method, path, headers=(), body=None, timeout=30):
        """Sends one request; headers are a dictionary, or pairs if a name occurs twice."""
        if self.context:
            connection = http.client.HTTPSConnection(
                "localhost", self.port, timeout=timeout, context=self.context)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        connection.putrequest(method, path)
        for name, value in dict(headers).items() if isinstance(headers, dict) else headers:
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body.encode() if body is not None else None)
        try:
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def stop(self):
        """Ends it gracefully; it must end by itself."""
        self.process.terminate()
        try:
            check(self.process.wait(20) in (0, -15), f"{self.log}: exit {self.process.returncode}")
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise SystemExit(f"FAILED: it did not end: {self.log}")


class Client:
    """A client of the API: access tokens and DPoP proofs."""

    def __init__(self, provider):
        self.provider = provider
        self.key = jwk.JWK.generate(kty="EC", crv="P-256")

    def token(self, kind="at+jwt", bound=False, **changes):
        claims = {"sub": "zoe", "aud": PUBLIC, "client_id": CLIENT, "jti": str(time.time_ns()),
                  "scope": "read", "email": "zoe@idp.example"}
        if bound:
            claims["cnf"] = {"jkt": self.key.thumbprint()}
        return self.provider.signed(claims | changes, kind)

    def proof(self, token=None, method="GET", url=PUBLIC + "/api/me", key=None, **changes):
        key = key or self.key
        claims = {"jti": str(time.time_ns()), "htm": method, "htu": url, "iat": int(time.time())}
        if token:
            digest = hashlib.sha256(token.encode()).digest()
            claims["ath"] = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        return sign(key, claims | changes, {
            "alg": "ES256", "typ": "dpop+jwt", "jwk": key.export_public(as_dict=True)})


def rejected(service, reply, status, error, token=""):
    """A rejection has the status, the challenge and no part of the token."""
    challenge = reply.header("WWW-Authenticate") or ""
    check(reply.status == status, f"{status} expected: {reply}")
    check((f'error="{error}"' in challenge) if error else ("error=" not in challenge), f"{error} expected: {reply}")
    check("no-store" in (reply.header("Cache-Control") or ""), f"may be cached: {reply}")
    check("Bearer" in challenge and "DPoP" in challenge, f"schemes: {reply}")
    metadata = f'resource_metadata="{PUBLIC}/.well-known/oauth-protected-resource"'
    check(metadata in challenge and 'realm="api"' in challenge, f"RFC 9728, 5.1: {reply}")
    text = repr(reply) + service.log.read_text()
    for part in token.split("."):
        check(len(part) < 8 or part not in text, "a part of the token is in the response or the log")


def api(service, provider):
    """Bearer tokens at protected routes."""
    client = Client(provider)

    def get(token, path="/api/me"):
        return service.request("GET", path, {"Authorization": "Bearer " + token} if token else {})

    rejected(service, get(None), 401, None)
    reply = get(client.token())
    check((reply.status, reply.body) == (200, "zoe zoe@idp.example"), repr(reply))
    check(get(client.token(email=None)).body == "zoe no email", "null is absent")
    check(get(client.token(scope="admin read"), "/admin/me").status == 200, "both scopes")
    token = client.token()
    reply = get(token, "/admin/me")
    rejected(service, reply, 403, "insufficient_scope", token)
    check('scope="read admin"' in reply.header("WWW-Authenticate"), f"the scopes: {reply}")
    reply = service.request("GET", "/.well-known/oauth-protected-resource")
    document = json.loads(reply.body)
    check(reply.status == 200 and document["resource"] == PUBLIC, f"metadata: {reply}")
    check(document["authorization_servers"] == [provider.issuer], f"metadata: {reply}")
    now = int(time.time())
    other = jwk.JWK.generate(kty="RSA", size=2048, kid="op-1")
    secret = jwk.JWK(kty="oct", k=base64.urlsafe_b64encode(
        provider.key.export_to_pem()).rstrip(b"=").decode())
    header, payload, signature = client.token().split(".")
    claims = {"iss": provider.issuer, "sub": "zoe", "aud": PUBLIC, "client_id": CLIENT, "jti": "a",
              "iat": now, "exp": now + 60, "scope": "read"}
    none = base64.urlsafe_b64encode(b'{"alg":"none","typ":"at+jwt"}').rstrip(b"=").decode()
    for bad in (
        client.token(exp=now - 120, iat=now - 300), client.token(aud="https://other.example"),
        client.token(iss="https://other.example"), client.token("JWT"), client.token(email=5),
        client.token(jti=None), sign(other, claims, {"alg": "RS256", "kid": "op-1", "typ": "at+jwt"}),
        sign(provider.key, claims, {"alg": "RS256", "kid": "unknown", "typ": "at+jwt"}),
        sign(secret, claims, {"alg": "HS256", "kid": "op-1", "typ": "at+jwt"}),
        f"{header}.{payload}.{signature[:-8]}AAAAAAAA", f"{none}.{payload}.", f"{header}.{payload}",
        client.token(bound=True),
    ):
        rejected(service, get(bad), 401, "invalid_token", bad)
    token = client.token()
    rejected(service, service.request("GET", "/api/me?access_token=" + token), 400, "invalid_request")
    rejected(service, service.request("GET", "/api/me", [("Authorization", "Bearer " + token)] * 2),
             400, "invalid_request", token)
    rejected(service, get("a" * 17_000), 400, "invalid_request")
    try:
        reply = get("a" * 100_000)
        check(reply.status in (400, 431), f"a long header: {reply}")
    except OSError:
        check(True, "the connection ends")
    check(service.request("GET", "/health").status == 200, "it still serves")


def keycloak_token(provider, kind="JWT", **changes):
    """An access token that is not as in RFC 9068. A claim that is None is left out."""
    now = int(time.time())
    claims = {"iss": provider.issuer, "iat": now, "exp": now + 60, "sub": "zoe", "aud": [PUBLIC, "account"],
              "azp": CLIENT, "typ": "Bearer", "scope": "openid read"} | changes
    header = {"alg": "RS256", "kid": provider.key.get("kid")} | ({"typ": kind} if kind else {})
    return sign(provider.key, {name: value for name, value in claims.items() if value is not None}, header)


def other_tokens(service, provider):
    """Access tokens of a provider that does not follow RFC 9068. Challenges are as in RFC 6750, 3."""
    token = lambda kind="JWT", **changes: keycloak_token(provider, kind, **changes)

    def get(token, scheme="Bearer", path="/keycloak/me"):
        return service.request("GET", path, [("Authorization", f"{scheme} {token}")] if token else [])

    def denied(reply, status, error, text=""):
        challenge = reply.header("WWW-Authenticate") or ""
        parts = [f'error="{error}"'] if error else []
        parts += ['scope="read"'] if status in (401, 403) else []
        if parts:
            check(challenge == "Bearer " + ", ".join(parts), f"{parts} expected: {reply}")
        check((reply.status, reply.body) == (status, ""), f"{status} {error} expected: {reply}")
        check("no-store" in (reply.header("Cache-Control") or ""), f"may be cached: {reply}")
        shown = repr(reply) + service.log.read_text()
        for part in text.split("."):
            check(len(part) < 8 or part not in shown, "a part of the token is in the response or the log")

    now = int(time.time())
    for good in (token(), token(None), token(aud=PUBLIC), token(scope=["read"]),
                 token(scope="read"),
                 token(scope=None, scp="a read"), token(scope=None, scp=["read"])):
        reply = get(good)
        check((reply.status, reply.body) == (200, "zoe"), f"a good token: {reply}")
    check(get(token(), scheme="bearer").status == 200, "RFC 9110, 11.1: the scheme in any case")
    denied(get(None), 401, None)
    header, payload, signature = token().split(".")
    none = base64.urlsafe_b64encode(b'{"alg":"none","typ":"JWT"}').rstrip(b"=").decode()
    other = jwk.JWK.generate(kty="RSA", size=2048, kid="op-1")
    claims = {"iss": provider.issuer, "sub": "zoe", "aud": PUBLIC, "typ": "Bearer", "scope": "read", "iat": now,
              "exp": now + 60}
    secret = jwk.JWK(kty="oct", k=base64.urlsafe_b64encode(provider.key.export_to_pem()).rstrip(b"=").decode())
    thumbprint = other.thumbprint()
    for bad in (
        token(aud="https://other.example"), token(aud=None), token(iss="https://other.example"), token(iss=None),
        token(exp=now - 120, iat=now - 300), token(exp=None), token(nbf=now + 300), f"{none}.{payload}.",
        f"{none}.{payload}.{signature}", f"{header}.{payload}", f"{header}.{payload}.{signature[:-8]}AAAAAAAA",
        sign(other, claims, {"alg": "RS256", "kid": "op-1", "typ": "JWT"}),
        sign(secret, claims, {"alg": "HS256", "kid": "op-1", "typ": "JWT"}),
        token(typ="ID"), token(typ="Refresh"), token(typ=None), token("at+jwt"), token("logout+jwt"),
        token(sub=None), token(sub=5), token(cnf={"jkt": thumbprint}), token(cnf={"x5t#S256": thumbprint}),
    ):
        denied(get(bad), 401, "invalid_token", bad)
    denied(get(token(), scheme="DPoP"), 401, "invalid_token")
    for scope in ("", "admin", "reader", "READ", "read2 admin", ["admin", "read admin"], None, 5):
        bad = token(scope=scope)
        denied(get(bad), 403, "insufficient_scope", bad)
    check('scope="read"' in get(token(scope="")).header("WWW-Authenticate"), "the scope that is missing")
    denied(service.request("GET", "/keycloak/me?access_token=" + token()), 400, "invalid_request")
    denied(service.request("GET", "/keycloak/me", [("Authorization", "Bearer " + token())] * 2), 400, "invalid_request")
    denied(get("a" * 17_000), 400, "invalid_request")
    denied(get("a b"), 400, "invalid_request")
    check("claim iss: it is missing" in service.log.read_text(), "the log says that a claim is missing")
    # Neither kind of route takes the tokens of the other.
    check(get(token(client_id=CLIENT, jti="a"), path="/api/me").status == 401, "Keycloak's token at the other route")
    check(get(Client(provider).token(typ="Bearer")).status == 401, "a token of RFC 9068")


def dpop(service, provider):
    """Key-bound tokens."""
    client = Client(provider)

    def get(token, *proofs, scheme="DPoP"):
        return service.request("GET", "/api/me", [("Authorization", f"{scheme} {token}")] + [
            ("DPoP", proof) for proof in proofs])

    token = client.token(bound=True)
    proof = client.proof(token)
    check(get(token, proof).status == 200, "a bound token with its proof")
    rejected(service, get(token, proof), 401, "invalid_dpop_proof", token)
    rejected(service, get(token, client.proof(token), scheme="Bearer"), 401, "invalid_token", token)
    rejected(service, get(token), 401, "invalid_dpop_proof", token)
    rejected(service, get(client.token(), client.proof(client.token())), 401, "invalid_token")
    stranger = client.proof(token, key=jwk.JWK.generate(kty="EC", crv="P-256"))
    rejected(service, get(token, stranger), 401, "invalid_token", token)
    for bad in (
        [client.proof(token), client.proof(token)], [client.proof(token, method="POST")],
        [client.proof(token, url="https://other.example/api/me")],
        [client.proof(token, url=f"http://127.0.0.1:{service.port}/api/me")],
        [client.proof(client.token())], [client.proof()],
        [client.proof(token, iat=int(time.time()) - 3_600)], ["a.b.c"],
    ):
        rejected(service, get(token, *bad), 401, "invalid_dpop_proof", token)
    # A target that would extend the host's name.
    for target in ("munity://x:abc/api/me", "munity://[x/api/me", ".evil.example/api/me"):
        proof = client.proof(token, url=PUBLIC + target.replace("://", "//"))
        try:
            reply = service.request(
                "GET", target, [("Authorization", f"DPoP {token}"), ("DPoP", proof)])
        except http.client.RemoteDisconnected:
            continue  # Vapor closes the connection if a target is malformed
        check(reply.status in (400, 401, 404), f"a proof for another host: {reply}")


def forms(service):
    """Limits and types of forms, before anything is read from them."""
    post = lambda body, headers=FORM: service.request("POST", "/backchannel-logout", headers, body)
    check(post("logout_token=" + "a" * 70_000).status == 413, "a large form")
    check(post("{}", {"Content-Type": "application/json"}).status == 415, "another type")
    check(post("logout_token=a.b.c").status == 400, "not a token")
    check(post("").status == 400, "no token")
    typed = lambda value: post("logout_token=a.b.c", {"Content-Type": value}).status
    check(typed("Application/X-WWW-Form-URLEncoded; charset=utf-8") == 400, "a form in any case")
    check(typed("application/x-www-form-urlencodedX") == 415, "a longer type")
    check(typed("application/x-www-form-urlencoded;" + "a" * 300) == 415, "a long type")
    for path in ("/backchannel-logout", "/callback?code=a-secret-code"):
        begun = time.monotonic()
        marks = "a".encode() + "\u0301\u0327".encode() * 7_000
        reply = service.request("POST", path, {"Content-Type": marks}, "a=b")
        check(reply.status in (400, 415, 431) and time.monotonic() - begun < 1, f"a type of combining marks: {reply}")
        reply = service.request("POST", path, {"Content-Type": "application/json"}, "{}")
        check(reply.status == 415, f"another type: {reply}")
    check("a-secret-code" not in service.log.read_text(), "the log has a code")


def login(service, provider):
    """A login, what must be rejected, and back-channel logout."""
    def start():
        reply = service.request("GET", "/login")
        check(reply.status == 303, f"start: {reply}")
        cookie = reply.cookie("__Host-login")
        check(cookie and "HttpOnly" in reply.header("Set-Cookie"), "the cookie of a login")
        check("SameSite=Lax" in reply.header("Set-Cookie"), "the response is a GET")
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(reply.header("Location")).query)
        provider.nonce = query["nonce"][0]
        provider.session = str(time.time_ns())
        check(query["redirect_uri"] == [PUBLIC + "/callback"], "redirect_uri")
        check(query["code_challenge_method"] == ["S256"], "PKCE")
        return cookie, query["state"][0]

    def callback(cookie, **query):
        headers = {"Cookie": "other=1; " + cookie} if cookie else {}
        return service.request("GET", "/callback?" + urllib.parse.urlencode(query), headers)

    def user(cookie):
        return service.request("GET", "/", {"Cookie": cookie}).body

    def sign_in(session=None, subject="zoe"):
        cookie, state = start()
        provider.subject = subject
        reply = callback(f"{session}; {cookie}" if session else cookie, code="the-code", state=state)
        provider.subject = "zoe"
        check(reply.status == 303 and reply.header("Location") == "/", f"callback: {reply}")
        session = reply.cookie("__Host-session")
        check(session.split("=")[1] != cookie.split("=")[1], "a new session ID")
        check(user(session) == subject, "signed in")
        return session, cookie, state

    session, cookie, state = sign_in()
    count = len(provider.requests)
    reply = callback(cookie, code="the-code", state=state)
    check(reply.status == 400 and len(provider.requests) == count, f"a login ends once: {reply}")
    check(user("__Host-session=" + "a" * 43) == "nobody is signed in", "another session")
    check(user(cookie) == "nobody is signed in", "the cookie of a login is no session")
    mallory = sign_in(subject="mallory")[0]
    planted = f"theme=x\u037e{mallory}".encode()  # Swift treats U+037E as a semicolon
    split = [("Cookie", "theme=dark"), ("Cookie", session)]  # as HTTP/2 allows
    check(service.request("GET", "/", split).body == "zoe", "cookies in two headers")
    split = [("Cookie", session), ("Cookie", "__Host-session=x")]
    check(service.request("GET", "/", split).body == "nobody is signed in", "a repeated cookie")
    for header in (planted, planted + f"; {session}".encode(), f"{mallory}; {session}"):
        check(user(header) == "nobody is signed in", f"a planted cookie: {header}")
    begun = time.monotonic()
    check(user("a=a".encode() + "\u0301\u0327".encode() * 2_000) == "nobody is signed in", "combining marks")
    check(time.monotonic() - begun < 1, "the time for combining marks")
    other = sign_in(session)[0]
    check(user(session) == "nobody is signed in", "a new login ends the browser's last session")
    session = other

    cookie, state = start()
    check(callback(None, code="the-code", state=state).status == 400, "without cookie")
    check(callback(cookie, code="the-code", state="other").status == 400, "another state")
    reply = callback(cookie, error="access_denied", error_description="n" * 1_500)
    check(reply.status == 400 and "n" * 300 not in service.log.read_text(), f"an error of anyone: {reply}")
    reply = callback(cookie, error="access_denied", state=state, error_description="<b>told</b>")
    check(reply.status == 400 and "told" not in reply.body, f"the user declines: {reply}")
    check(callback(cookie, code="the-code", state=state).status == 400, "then the login is over")

    cookie, state = start()
    provider.nonce = "of another login"
    reply = callback(cookie, code="the-code", state=state)
    check(reply.status == 502 and not reply.cookie("__Host-session"), f"another nonce: {reply}")
    check(f"callback, response of {provider.issuer}/token: " in service.log.read_text(), "the step in the log")

    # Logout here and at the provider.
    for origin in ("https://evil.example", "null", PUBLIC + ".evil.example"):
        reply = service.request("POST", "/logout", {"Cookie": session, "Origin": origin})
        check(reply.status == 403 and user(session) == "zoe", f"a logout of {origin}: {reply}")
    reply = service.request("POST", "/logout", {"Cookie": session, "Origin": PUBLIC})
    location = urllib.parse.urlsplit(reply.header("Location"))
    query = urllib.parse.parse_qs(location.query)
    check(reply.status == 303 and location.path == "/end" and query["a"] == ["b"], repr(reply))
    check(query["post_logout_redirect_uri"] == [PUBLIC + "/"] and "id_token_hint" in query, repr(reply))
    check(user(session) == "nobody is signed in", "signed out")

    # The provider ends a session.
    post = lambda token: service.request("POST", "/backchannel-logout", FORM, "logout_token=" + token)
    session = sign_in()[0]
    check(post(provider.logout_token(aud="other")).status == 400, "of another client")
    check(post(provider.logout_token(nonce="a")).status == 400, "an ID Token")
    check(post(provider.logout_token(sid="session-2")).status == 200, "another session")
    check(user(session) == "zoe", "still signed in")
    token = provider.logout_token()
    check(post(token).status == 200, "this session")
    check(user(session) == "nobody is signed in", "ended by the provider")
    check(post(token).status == 200, "the provider sends it again")

    # All sessions of a user. A later login stays, also if the token comes again.
    session = sign_in()[0]
    token = provider.logout_token(sid=None, sub="zoe")
    check(post(provider.logout_token(sid=None, sub="max")).status == 200, "another user")
    check(user(session) == "zoe", "still signed in")
    check(post(token).status == 200 and user(session) == "nobody is signed in", "the user")
    time.sleep(1.1)
    session = sign_in()[0]
    check(post(token).status == 200 and user(session) == "zoe", "a later login")

    # The token arrives before its login is finished.
    cookie, state = start()
    replies = []
    provider.before_user_info = lambda: replies.append(post(provider.logout_token()))
    reply = callback(cookie, code="the-code", state=state)
    provider.before_user_info = lambda: None
    check([reply.status for reply in replies] == [200], f"a token during the login: {replies}")
    check(reply.status == 400 and not reply.cookie("__Host-session"), f"an ended login: {reply}")

    # A session without sid ends by its user. A sid alone cannot name it.
    for claims, ended in (({"sub": "zoe", "sid": "s"}, True), ({"sub": "zoe", "sid": None}, True),
                          ({"sid": "s"}, False)):
        time.sleep(1.1)  # a token also ends logins of its second
        cookie, state = start()
        provider.session = None
        session = callback(cookie, code="the-code", state=state).cookie("__Host-session")
        check(user(session) == "zoe", "signed in without sid")
        known = service.log.read_text().count("no session here")
        check(post(provider.logout_token(**claims)).status == 200, f"{claims}")
        check(user(session) == ("nobody is signed in" if ended else "zoe"), f"ended by {claims}")
        check(service.log.read_text().count("no session here") == known + (not ended), "the log")
    check("the-code" not in service.log.read_text(), "the log has a code")


def settings(command, environment, folder, name):
    """An invalid setting ends the program with its name. By default a login reaches public addresses only."""
    for changes, text in (
        ({"CLIENT": "crul"}, "CLIENT: use one of curl, async-http-client"), ({"PUSH": "yes"}, "PUSH: use one of 0, 1"),
        ({"ADDRESSES": "all"}, "ADDRESSES: use one of public, any"), ({"PORT": "x"}, "PORT: use a number"),
        ({"CLIENT": "async-http-client", "ADDRESSES": "public"}, "set ADDRESSES to any"),
        ({"ISSUER": ""}, "set the environment variable ISSUER"),
    ):
        given = os.environ | environment | {"PORT": str(free_port()), "SWIFT_BACKTRACE": "enable=no"} | changes
        result = subprocess.run([command], env=given, capture_output=True, text=True, timeout=20)
        check(result.returncode != 0 and text in result.stderr, f"{changes}: {result}")
    usual = {key: value for key, value in environment.items() if key != "ADDRESSES"}
    service = Program(command, usual, folder, name + "-public")
    reply = service.request("GET", "/login")
    log = service.log.read_text()
    check(reply.status == 502 and "address policy" in log, f"a provider on loopback: {reply}")
    step = f"login, discovery document {environment['ISSUER']}/.well-known/openid-configuration: "
    check(step in log, f"the step in the log: {log}")
    service.stop()


def first_logins(command, environment, folder, provider, name):
    """Logins that begin while the discovery document is fetched share the fetch."""
    service = Program(command, environment, folder, name + "-first")
    provider.discovery_seconds, provider.requests = 1, []
    with concurrent.futures.ThreadPoolExecutor(40) as pool:
        replies = list(pool.map(lambda _: service.request("GET", "/login"), range(40)))
    provider.discovery_seconds = 0
    fetches = [path for _, path, *_ in provider.requests if path.endswith("openid-configuration")]
    check(all(reply.status == 303 for reply in replies) and len(fetches) == 1, f"{replies}: {len(fetches)} fetches")
    service.stop()


def quota(command, environment, folder, name):
    """A provider that rejects pushed requests because of its quota."""
    service = Program(command, environment | {"PUSH": "1"}, folder, name + "-quota")
    reply = service.request("GET", "/login")
    check((reply.status, reply.body) == (503, "Try again later."), f"429 of the provider: {reply}")
    check(f"login, response of {environment['ISSUER']}/par: " in service.log.read_text(), "the step in the log")
    service.stop()


def rotation(command, environment, folder, provider, name):
    """A token with an unknown kid delays a new key by half a minute, and callbacks that wait for the provider do not
    delay its keys. A connection that sends no request ends."""
    service = Program(command, environment | {"CLIENT": "async-http-client"}, folder, name + "-rotation")
    idle = socket.create_connection(("127.0.0.1", service.port))
    idle.sendall(b"GET /health HTTP/1.1\r\nHost: a\r\n")
    client = Client(provider)
    get = lambda token: service.request("GET", "/api/me", {"Authorization": "Bearer " + token})
    requests = lambda wanted: sum(path == wanted for _, path, *_ in provider.requests)
    waiting = requests("/token")
    check(get(client.token()).status == 200, "the first key")
    time.sleep(11)  # the least time between two requests
    begun = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        provider.mode = "silent-token"
        for _ in range(16):
            reply = service.request("GET", "/login")
            state = urllib.parse.parse_qs(urllib.parse.urlsplit(reply.header("Location")).query)["state"][0]
            pool.submit(service.request, "GET", f"/callback?code=the-code&state={state}",
                        {"Cookie": reply.cookie("__Host-login")})
        while requests("/token") < waiting + 8 and time.monotonic() - begun < 5:
            time.sleep(0.05)  # eight connections to a host
        time.sleep(0.5)
        unknown = jwk.JWK.generate(kty="RSA", size=2048, kid="unknown")
        claims = {"iss": provider.issuer, "sub": "zoe", "aud": PUBLIC, "client_id": CLIENT, "jti": "a",
                  "iat": int(time.time()), "exp": int(time.time()) + 60, "scope": "read"}
        count = requests("/jwks")
        reply = get(sign(unknown, claims, {"alg": "RS256", "kid": "unknown", "typ": "at+jwt"}))
        check(reply.status == 401, f"the keys while 16 callbacks wait: {reply}")
        check(requests("/jwks") == count + 1, "the keys are fetched")
    provider.mode = "ok"
    check(f"callback, request to {provider.issuer}/token: " in service.log.read_text(), "the step in the log")
    provider.key = jwk.JWK.generate(kty="RSA", size=2048, kid=f"op-{time.time_ns()}")
    begun = time.monotonic()
    while get(client.token()).status != 200 and time.monotonic() - begun < 40:
        time.sleep(1)
    check(time.monotonic() - begun < 40, "the new key is used after half a minute")
    if "HummingbirdApp" in command:
        idle.settimeout(5)
        check(idle.recv(100) == b"", "an idle connection ends")
    idle.close()
    service.stop()


# How a host of keys can fail while its connections stay open, and the clients that must notice it.
SLOW = [("curl", "no-tls"), ("curl", "silent"), ("curl", "drip"), ("async-http-client", "silent"), ("async-http-client", "drip")]


def outage(command, environment, folder, provider, name):
    """A slow and an absent host of the keys: other requests go on, and each one ends in time."""
    bearer = {"Authorization": "Bearer " + Client(provider).token()}

    def timed(path, headers={}):
        begun = time.monotonic()
        reply = service.request("GET", path, headers)
        return reply, time.monotonic() - begun

    for client, mode in SLOW:
        provider.mode = mode
        service = Program(command, environment | {"CLIENT": client}, folder, f"{name}-{client}-{mode}")
        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            waiting = [pool.submit(timed, "/api/me", bearer) for _ in range(60)]
            time.sleep(0.3)
            for _ in range(20):
                reply, seconds = timed("/health")
                check(reply.status == 200 and seconds < 1, f"{client}, {mode}: /health took {seconds:.2f} s")
            check(not all(future.done() for future in waiting), "requests wait for the keys")
            for future in waiting:
                reply, seconds = future.result()
                rejected(service, reply, 503, "temporarily_unavailable")
                check(seconds < 5, f"{client}, {mode}: a request took {seconds:.2f} s")
            reply, seconds = timed("/keycloak/me", {"Authorization": "Bearer " + keycloak_token(provider)})
            check(reply.status == 503 and seconds < 5, f"{client}, {mode}: {reply} after {seconds:.2f} s")
        reply, seconds = timed("/login")
        check(reply.status == 503 and seconds < 8, f"{client}, {mode}: /login: {reply} after {seconds:.2f} s")
        provider.mode = "ok"
        service.stop()
    absent = environment | {"JWKS_URL": f"https://localhost:{free_port()}/jwks"}
    service = Program(command, absent, folder, name + "-absent")
    reply, seconds = timed("/api/me", bearer)
    rejected(service, reply, 503, "temporarily_unavailable")
    check(seconds < 5, f"absent: {seconds:.2f} s")
    service.stop()


def provider_login(command, provider_command, folder, authorities, files, name):
    """A login with a pushed request at the example provider, then its tokens at the API."""
    context = ssl.create_default_context(cafile=authorities)
    port = free_port()
    issuer = f"https://localhost:{port}"
    given = {"ISSUER": issuer, "TLS_CERTIFICATE": str(files[0]), "TLS_KEY": str(files[1]),
             "CLIENT_ID": CLIENT, "CLIENT_SECRET": SECRET, "REDIRECT_URI": PUBLIC + "/callback",
             "AUDIENCE": PUBLIC}
    provider = Program(provider_command, given, folder, name + "-provider", port, context)
    environment = {
        "ISSUER": issuer, "JWKS_URL": issuer + "/jwks", "PUBLIC_URL": PUBLIC, "CLIENT_ID": CLIENT,
        "CLIENT_SECRET": SECRET, "CA_FILE": str(authorities), "PUSH": "1", "ADDRESSES": "any"}
    for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
        old = ssl.create_default_context(cafile=authorities)
        old.set_ciphers("DEFAULT@SECLEVEL=0")
        old.minimum_version = old.maximum_version = version
        try:
            with socket.create_connection(("localhost", port)) as plain, \
                    old.wrap_socket(plain, server_hostname="localhost") as secure:
                raise SystemExit(f"FAILED: the provider accepts {secure.version()}")
        except OSError:
            check(True, "TLS 1.2 or newer")
    service = Program(command, environment, folder, name + "-pushed")
    reply = service.request("GET", "/login")
    url = urllib.parse.urlsplit(reply.header("Location"))
    check(set(urllib.parse.parse_qs(url.query)) == {"client_id", "request_uri"}, f"pushed: {reply}")
    cookie = reply.cookie("__Host-login")
    reply = provider.request("GET", f"{url.path}?{url.query}")
    back = urllib.parse.urlsplit(reply.header("Location"))
    check(reply.status == 303 and back.path == "/callback", f"authorization: {reply}")
    reply = service.request("GET", f"{back.path}?{back.query}", {"Cookie": cookie})
    session = reply.cookie("__Host-session")
    check(service.request("GET", "/", {"Cookie": session}).body == "zoe", f"signed in: {reply}")
    check(provider.request("GET", f"{url.path}?{url.query}").status == 400, "a pushed request is used once")

    # A client in Python: PAR, code, token, UserInfo, API, with and without DPoP.
    basic = {"Authorization": "Basic " + base64.b64encode(
        f"{urllib.parse.quote_plus(CLIENT)}:{urllib.parse.quote_plus(SECRET)}".encode()).decode()}
    client = Client(None)
    for bound in (False, True):
        verifier = "v" * 43
        challenge = base64.urlsafe_b64encode(
            hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        request = urllib.parse.urlencode({
            "client_id": CLIENT, "response_type": "code", "scope": "openid read", "state": "s",
            "redirect_uri": PUBLIC + "/callback", "code_challenge": challenge, "nonce": "n" * 20,
            "code_challenge_method": "S256"})
        check(provider.request("POST", "/par", FORM, request).status in (400, 401), "no secret")
        reply = provider.request("POST", "/par", FORM | basic, request)
        check(reply.status == 201, f"pushed: {reply}")
        uri = json.loads(reply.body)["request_uri"]
        query = urllib.parse.urlencode({"client_id": CLIENT, "request_uri": uri})
        reply = provider.request("GET", "/authorization?" + query)
        back = urllib.parse.parse_qs(urllib.parse.urlsplit(reply.header("Location")).query)
        form = urllib.parse.urlencode({
            "grant_type": "authorization_code", "code": back["code"][0], "code_verifier": verifier,
            "redirect_uri": PUBLIC + "/callback"})
        headers = FORM | basic
        url = issuer + "/token"
        if bound:
            headers = headers | {"DPoP": client.proof(None, "POST", url)}
            reply = provider.request("POST", "/token", headers, form)
            check(reply.status == 400 and "use_dpop_nonce" in reply.body, f"a nonce: {reply}")
            headers["DPoP"] = client.proof(None, "POST", url, nonce=reply.header("DPoP-Nonce"))
        reply = provider.request("POST", "/token", headers, form)
        check(reply.status == 200, f"token: {reply}")
        token = json.loads(reply.body)["access_token"]
        again = headers
        scheme = "DPoP" if bound else "Bearer"
        headers = {"Authorization": f"{scheme} {token}"}
        if bound:
            headers["DPoP"] = client.proof(token)
        reply = service.request("GET", "/api/me", headers)
        check((reply.status, reply.body) == (200, "zoe no email"), f"the API: {reply}")
        if bound:
            headers["DPoP"] = client.proof(token, url=issuer + "/userinfo")
            reply = provider.request("GET", "/userinfo", headers)
            check(reply.status == 401 and reply.header("DPoP-Nonce"), f"a nonce: {reply}")
            nonce = reply.header("DPoP-Nonce")
            headers["DPoP"] = client.proof(token, url=issuer + "/userinfo", nonce=nonce)
        reply = provider.request("GET", "/userinfo", headers)
        check(reply.status == 200 and json.loads(reply.body)["sub"] == "zoe", f"UserInfo: {reply}")
        if bound:
            again["DPoP"] = client.proof(None, "POST", url, nonce=reply.header("DPoP-Nonce") or nonce)
        check(provider.request("POST", "/token", again, form).status in (400, 401), "a used code")
        if bound:
            headers["DPoP"] = client.proof(token, url=issuer + "/userinfo", nonce=nonce)
        reply = provider.request("GET", "/userinfo", headers)
        check(reply.status == 401, f"RFC 6749, 4.1.2: a used code ends its tokens: {reply}")
    check(provider.request("GET", "/userinfo").status == 401, "UserInfo without a token")
    check(provider.request("POST", "/par", FORM | basic, "a=" + "b" * 70_000).status == 413, "a large form")
    service.stop()
    provider.stop()


def main():
    command, provider_command, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    authorities, *files = certificates(folder)
    provider = IdentityProvider(*files)
    environment = {
        "ISSUER": provider.issuer, "JWKS_URL": provider.issuer + "/jwks", "PUBLIC_URL": PUBLIC,
        "CLIENT_ID": CLIENT, "CLIENT_SECRET": SECRET, "CA_FILE": str(authorities), "ADDRESSES": "any"}
    name = pathlib.Path(command).parts[-3]
    for client in ("curl", "async-http-client"):
        service = Program(command, environment | {"CLIENT": client}, folder, f"{name}-{client}")
        api(service, provider)
        other_tokens(service, provider)
        dpop(service, provider)
        forms(service)
        login(service, provider)
        service.stop()
    settings(command, environment, folder, name)
    first_logins(command, environment, folder, provider, name)
    quota(command, environment, folder, name)
    rotation(command, environment, folder, provider, name)
    outage(command, environment, folder, provider, name)
    provider_login(command, provider_command, folder, authorities, files, name)
    print(f"{checks} checks")


if __name__ == "__main__":
    main()
