"""The relying party of Examples/Login with glewlwyd: a foreign provider configured by options
alone."""

import json
import os
import re
import socket
import subprocess
import time
from urllib.parse import parse_qsl, urlencode

from glewlwyd import USER, Web
from glewlwyd_logins import ENC, case

SCOPES = "openid profile email"


class Site:
    """The program, started for one client."""

    def __init__(self, stage, client, *options, authorities=True):
        """authorities: the file of the CAs that the connection trusts. False for the system's."""
        server = stage.server
        self.address = f"https://rp.localhost:{stage.port}"
        self.port = stage.port
        self.words = [
            stage.program, "--keys", server.keys, "--site-port", str(stage.port), "--issuer",
            server.issuer("oidc"), "--client-id", client, *options]
        if authorities:
            self.words += ["--authorities", server.authority if authorities is True
                else authorities]
        self.log = os.path.join(server.folder, client + ".log")

    def __enter__(self):
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log)
        for _ in range(400):
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                time.sleep(0.05)
        self.__exit__()
        raise AssertionError(self.said())

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=20)

    def said(self):
        with open(self.log) as log:
            return log.read()

    def page(self, browser, path, fields=None):
        """The status and the text of a page. `fields` are a form of the site."""
        form = fields and {"Origin": self.address,
            "Content-Type": "application/x-www-form-urlencoded"}
        body = None if fields is None else urlencode(fields)
        return browser.send("GET" if fields is None else "POST", self.address + path, body,
            form or {})


def registered(stage, client, **properties):
    """The client's registration by its operator: name, URI, public keys and the secret in its
    folder."""
    def read(name):
        with open(os.path.join(stage.server.keys, name)) as file:
            return file.read()
    public = ("kty", "use", "alg", "kid", "n", "e")
    keys = [{name: key[name] for name in public}
        for key in json.loads(read("relying-party.jwks"))["keys"]]
    stage.server.client(client, f"https://rp.localhost:{stage.port}/callback", jwks={"keys": keys},
                        client_secret=read("client-secret"), **properties)


def answer(stage, site, client):
    """The browser's callback from glewlwyd, and a function that delivers it."""
    browser = Web(stage.server.authority)
    assert "Nobody is signed in." in site.page(browser, "/")[2]
    status, headers, _ = site.page(browser, "/login", {"go": "on"})
    assert status == 303, site.said()
    way, place, form = stage.server.answer(browser, headers["Location"], client, USER, SCOPES)
    assert (way, place) == ("POST", site.address + "/callback"), (way, place)

    def bring(fields, who):
        return who.send("POST", place, urlencode(fields), {
            "Origin": stage.server.site, "Content-Type": "application/x-www-form-urlencoded"})

    return browser, dict(parse_qsl(form)), bring


def login(stage, site, client):
    """All pages that a user of the site sees."""
    browser, fields, bring = answer(stage, site, client)
    # The same response in another browser, and one with a foreign state in this one.
    assert bring(fields, Web(stage.server.authority))[0] == 400
    status, _, text = bring(fields | {"state": "another"}, browser)
    assert status == 400 and "The login failed" in text and "claim state" in site.said(), text
    status, headers, text = bring(fields, browser)
    assert (status, headers.get("Location")) == (303, "/"), f"{status}: {site.said()}"
    status, _, text = site.page(browser, "/")
    for part in ("Welcome, Zoë van den Berg", stage.server.issuer("oidc"), "zoe@example.org"):
        assert part in text, text
    return browser


def attempt(site, browser, kind, *expected):
    _, _, text = site.page(browser, "/attempt", {"kind": kind})
    for part in expected:
        assert part in text, text


@case("Examples/Login: profile openid, the client-id and the issuer named")
def plain(stage):
    registered(stage, "example", token_endpoint_auth_method=["client_secret_basic"])
    with Site(stage, "example", "--profile", "openid") as site:
        browser = login(stage, site, "example")
        attempt(site, browser, "again", "200")
        attempt(site, browser, "replay", "403", "invalid_code")
        attempt(site, browser, "again", "401")


@case("Examples/Login: everything signed then encrypted, the keys' certificates demanded")
def nested(stage):
    registered(stage, "example-nested", token_endpoint_auth_method=["private_key_jwt"],
               alg="RSA-OAEP-256", enc=ENC,
               alg_kid="relying-party-enc", encrypt_id_token="1", encrypt_userinfo="1")
    roots = os.path.join(stage.server.keys, "keys-root.pem")
    with Site(stage, "example-nested", "--profile", "nested", "--key-roots", roots) as site:
        login(stage, site, "example-nested")


@case("Examples/Login: tells its log that the provider rejects")
def no_method(stage):
    registered(stage, "example-basic", token_endpoint_auth_method=["client_secret_basic"])
    with Site(stage, "example-basic", "--profile", "nested") as site:
        browser, fields, bring = answer(stage, site, "example-basic")
        status, _, text = bring(fields, browser)
        assert (status == 502 and "The login failed" in text
                and "the provider rejects: 403 unauthorized_client" in site.said()), site.said()


@case("Examples/Login: rejects keys whose certificates lead elsewhere")
def other_roots(stage):
    with Site(stage, "example-nested", "--profile", "nested", "--key-roots",
            stage.server.authority) as site:
        status, _, text = site.page(Web(stage.server.authority), "/login", {"go": "on"})
        assert status == 500 and "This does not work now" in text and re.search(r"skipped=[1-9]",
            site.said()), site.said()
        assert "/login failed: " in site.said(), site.said()


@case("Examples/Login: rejects a connection that none of the named authorities vouches for",
    "keys-root.pem")
@case("Examples/Login: rejects a connection that none of the system's authorities vouches for",
    None)
def other_authority(stage, name):
    other = name and os.path.join(stage.server.keys, name)
    with Site(stage, "example", "--profile", "openid", authorities=other) as site:
        status, _, _ = site.page(Web(stage.server.authority), "/login", {"go": "on"})
        assert status == 500 and "untrusted-key" in site.said(), site.said()
