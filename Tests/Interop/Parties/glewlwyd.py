"""Glewlwyd, Debian's package as a running provider: started unpacked, set up by its API, with a
user who signs in."""

import gzip
import html
import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import ssl
import subprocess
import time
from urllib.parse import parse_qs, urlencode, urlsplit

HOST = "idp.localhost"
USER, PASSWORD = "zoe", "a password of 24 letters"


class Web:
    """HTTPS to names below localhost, which are this machine, with the cookies of one browser."""

    def __init__(self, authority):
        self.context = ssl.create_default_context(cafile=authority)
        self.cookies, self.connections = {}, {}

    def connection(self, name, port):
        """The one open connection to a server. These names are not resolved by DNS."""
        if (name, port) not in self.connections:
            connection = http.client.HTTPSConnection(name, port, timeout=20)
            plain = socket.create_connection(("127.0.0.1", port), timeout=20)
            connection.sock = self.context.wrap_socket(plain, server_hostname=name)
            self.connections[name, port] = connection
        return self.connections[name, port]

    def send(self, method, url, body=None, headers={}):
        """Status, headers and text. Redirects are not followed."""
        address = urlsplit(url)
        place = address.hostname, address.port
        headers = dict(headers)
        if cookies := self.cookies.get(address.hostname):
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        path = (address.path or "/") + ("?" + address.query if address.query else "")
        connection = self.connection(*place)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        if answer.will_close:
            self.connections.pop(place).close()
        for cookie in answer.headers.get_all("Set-Cookie", []):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies.setdefault(address.hostname, {})[name] = value
        return answer.status, answer.headers, text

    def json(self, method, url, value=None):
        """Calls glewlwyd's API. Returns its response unless it is an error."""
        body = None if value is None else json.dumps(value)
        status, _, text = self.send(method, url, body, {"Content-Type": "application/json"})
        if status != 200:
            raise AssertionError(f"glewlwyd answers {status} to {method} {url}: {text}")
        return json.loads(text) if text else None


class Glewlwyd:
    """One running server with the plugin for OpenID Connect."""

    def __init__(self, root, folder, keys, port):
        """root: the unpacked package; folder: for its database and its log; keys: the output of
        make-keys.sh."""
        self.root, self.folder, self.keys = (os.path.abspath(path) for path in (root, folder, keys))
        self.site = f"https://{HOST}:{port}"
        self.port = port
        self.authority = os.path.join(keys, "tls-root.pem")
        self.program = os.path.join(self.root, "usr/bin/glewlwyd")
        self.database = os.path.join(self.folder, "glewlwyd.db")
        os.makedirs(folder, exist_ok=True)

    def __enter__(self):
        self.make_database()
        configuration = os.path.join(self.folder, "glewlwyd.conf")
        with open(configuration, "w") as file:
            file.write(self.configuration())
        self.log = open(os.path.join(self.folder, "glewlwyd.log"), "w")
        self.process = subprocess.Popen(
            [self.program, "--config-file=" + configuration], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log)
        try:
            self.wait()
            self.admin = Web(self.authority)
            self.admin.json("POST", self.site + "/api/auth/",
                {"username": "admin", "password": "password"})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def version(self):
        return subprocess.run([self.program, "--version"], capture_output=True, text=True,
            check=True).stdout.strip()

    def wait(self):
        for _ in range(400):
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"glewlwyd does not start: {self.log.name}")

    def make_database(self):
        if os.path.exists(self.database):
            os.remove(self.database)
        script = os.path.join(self.root, "usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz")
        with gzip.open(script, "rt") as file, sqlite3.connect(self.database) as database:
            database.executescript(file.read())

    def configuration(self):
        modules = {kind: os.path.join(self.root, "usr/lib/glewlwyd", name) for kind, name in {
            "user_module_path": "user", "user_middleware_module_path": "user_middleware",
            "client_module_path": "client", "user_auth_scheme_module_path": "scheme",
            "plugin_module_path": "plugin"}.items()}
        os.makedirs(modules["user_middleware_module_path"], exist_ok=True)
        texts = {
            "bind_address": "127.0.0.1", "external_url": self.site, "login_url": "login.html",
            "api_prefix": "api",
            "static_files_path": os.path.join(self.root, "usr/share/glewlwyd"),
            "cookie_domain": HOST,
            "cookie_same_site": "empty", "log_mode": "console", "log_level": "INFO",
            "hash_algorithm": "SHA512",
            "secure_connection_key_file": os.path.join(self.keys, HOST + ".tls.key"),
            "secure_connection_pem_file": os.path.join(self.keys, HOST + ".tls.pem"), **modules}
        words = {"port": self.port, "cookie_secure": 1, "use_secure_connection": "true"}
        lines = [f'{name}="{value}"' for name, value in texts.items()] + [f"{name}={value}"
            for name, value in words.items()]
        return "\n".join(lines) + f'\ndatabase = {{ type = "sqlite3" path = "{self.database}" }};\n'

    # ---- set up by an administrator

    def api(self, method, path, value=None):
        return self.admin.json(method, f"{self.site}/api/{path}", value)

    def issuer(self, plugin):
        return f"{self.site}/api/{plugin}"

    def private_keys(self):
        """The provider's keys, with the encryption key again under another name, for the other
        OAEP."""
        with open(os.path.join(self.keys, "provider.jwks")) as file:
            keys = json.load(file)["keys"]
        other = {"RSA-OAEP": "RSA-OAEP-256", "RSA-OAEP-256": "RSA-OAEP"}
        again = [key | {"kid": key["kid"] + "-2", "alg": other[key["alg"]]} for key in keys
            if key["alg"] in other]
        return json.dumps({"keys": keys + again})

    def plugin(self, name, **changes):
        """A separate issuer, with the keys of the provider's side."""
        client = {f"client-{property}-parameter": property for property in (
            "jwks", "enc", "alg", "alg_kid", "encrypt_userinfo", "encrypt_id_token")}
        self.api("POST", "mod/plugin/", {
            "module": "oidc", "name": name, "display_name": name, "parameters": {
                "iss": self.issuer(name), "jwks-private": self.private_keys(),
                "default-kid": "provider-sig", "jwks-show": True,
                "access-token-duration": 600, "refresh-token-duration": 600, "code-duration": 60,
                "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True,
                "subject-type": "public",
                "auth-type-refresh-enabled": False, "auth-type-token-enabled": False,
                "auth-type-id-token-enabled": True,
                "auth-type-client-enabled": False, "auth-type-device-enabled": False,
                "auth-type-password-enabled": False,
                "request-parameter-allow": True, "request-parameter-allow-encrypted": True,
                "request-maximum-exp": 600,
                # Its HTTP client trusts only the system's CAs, and not the one of these names.
                "request-uri-allow-https-non-secure": True, "encrypt-out-token-allow": True,
                "pkce-allowed": True,
                "name-claim": "mandatory", "email-claim": "mandatory", "scope-claim": "no",
                "allowed-scope": ["openid"], **client, **changes}})

    def client(self, client_id, redirect, **properties):
        self.api("POST", "client/", {
            "client_id": client_id, "name": client_id, "confidential": True, "enabled": True,
            "scope": [], "redirect_uri": [redirect], "authorization_type": ["code"], **properties})

    def scope(self, name):
        self.api("POST", "scope/",
            {"name": name, "display_name": name, "password_required": False, "scheme": {}})

    def user(self, username, **properties):
        self.api("POST", "user/", {
            "username": username, "password": PASSWORD, "enabled": True,
            "scope": ["g_profile", "openid", "profile", "email"], **properties})

    # ---- the user's actions in glewlwyd's own pages

    def sign_in(self, web, client, user, scopes="openid"):
        """Enters name and password, then consents to the client's request."""
        web.json("POST", f"{self.site}/api/auth/", {"username": user, "password": PASSWORD})
        web.json("PUT", f"{self.site}/api/auth/grant/{client}", {"scope": scopes})

    def answer(self, web, url, client, user, scopes="openid"):
        """The browser's path from a request to the client: method, URL and body of the callback."""
        status, headers, text = web.send("GET", url)
        place = headers.get("Location", "")
        if place.startswith(self.site + "/login.html"):
            self.sign_in(web, client, user, scopes)
            back = parse_qs(urlsplit(place).query)["callback_url"][0]
            status, headers, text = web.send("GET", back + "&g_continue")
            place = headers.get("Location", "")
        if status == 302:
            return "GET", place, None
        form = re.search(r'<form method="post" action="([^"]*)">', text)
        assert status == 200 and form, f"{status}: {text}"
        fields = re.findall(r'name="([^"]*)" value="([^"]*)"', text)
        return "POST", html.unescape(form[1]), urlencode([(name, html.unescape(value)) for name,
            value in fields])
