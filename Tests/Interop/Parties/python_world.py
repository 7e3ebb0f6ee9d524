"""Shared by the Python programs: a program of Examples/Login, a proxy that may change messages, a
browser, and invalid tokens. Everything is on ports of this machine."""

import json
import os
import random
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.parse

from jwcrypto.jwk import JWK
from jwcrypto.jws import JWS

from front import Front
from tokens import claims, encoded, header
from user_agent import UserAgent, trusting
from wrongs import broken_end, changed

NAME = "Zoë van den Berg"
_lookup = socket.getaddrinfo


def _local_lookup(host, *arguments, **words):
    """Names below localhost are this machine, even if no resolver says so."""
    return _lookup("127.0.0.1" if str(host).endswith(".localhost") else host, *arguments, **words)


socket.getaddrinfo = _local_lookup


def free_port():
    """An unused port below those that the system gives to outgoing connections, as one of those
    could take it before a server does."""
    while True:
        port = random.randrange(20_000, 32_768)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


def query(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))


class Program:
    """One running program, and its output."""

    def __init__(self, words, port, folder):
        self.log = tempfile.NamedTemporaryFile(dir=folder, suffix=".log", mode="w+")
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=self.log)
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        self.stop()
        raise AssertionError(self.last)

    def size(self):
        return os.path.getsize(self.log.name)

    def said(self, since=0):
        """Its output from this byte on."""
        with open(self.log.name, "rb") as file:
            file.seek(since)
            return file.read().decode(errors="replace")

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)
        if not self.log.closed:
            self.last = self.said()
            self.log.close()


class World:
    """Keys, a folder, and processes to stop."""

    def __init__(self, keys):
        self.keys = os.path.abspath(keys)
        self.authority = os.path.join(self.keys, "tls-root.pem")
        self.context = trusting(self.authority)
        os.environ["REQUESTS_CA_BUNDLE"] = self.authority
        self.folder = tempfile.TemporaryDirectory()
        self.running = []

    def front(self, port, behind):
        """The server at the provider's address."""
        self.between = Front("idp.localhost", port, behind, self.keys, self.context)
        self.running.append(self.between)
        return self.between

    def start(self, program, words, port):
        started = Program([program, "--keys", self.keys, *words], port, self.folder.name)
        self.running.append(started)
        return started

    def stop(self):
        for running in reversed(self.running):
            running.stop()
        self.folder.cleanup()

    def read(self, name):
        with open(os.path.join(self.keys, name), encoding="utf-8") as file:
            return file.read()

    def changing(self, path, answer=None, request=None):
        return _Changing(self.between, path, answer, request)


class _Changing:
    """While it is open, messages of one path are changed. At least one must occur."""

    def __init__(self, front, path, answer, request):
        self.front, self.path, self.changes = front, path, {"answers": answer, "requests": request}

    def __enter__(self):
        self.since = len(self.front.exchanges)
        for kind, change in self.changes.items():
            if change:
                getattr(self.front, kind)[self.path] = change
        return self

    def __exit__(self, kind, *_):
        for name in ("answers", "requests"):
            getattr(self.front, name).pop(self.path, None)
        if kind is None:
            assert self.front.of(self.path,
                self.since), f"nothing was changed: no message of {self.path}"

    def exchanges(self):
        return self.front.of(self.path, self.since)


class OurProvider(World):
    """The provider of Examples/Login, with the registration of one client."""

    def __init__(self, program, keys, *options, **client):
        super().__init__(keys)
        self.client = {"client_id": "foreign", "client_secret": "a+b/c=d%7E&of:a*client", **client}
        clients = os.path.join(self.folder.name, "clients.json")
        with open(clients, "w", encoding="utf-8") as file:
            json.dump([self.client], file)
        port, behind = free_port(), free_port()
        self.issuer = f"https://idp.localhost:{port}"
        self.program = self.start(program, [
            "--profile", "openid", "--provider-port", str(port), "--listen", str(behind),
            "--clients", clients, *options],
            behind)
        self.front(port, behind)
        self.key = json.loads(self.read("provider.jwks"))["keys"][0]

    def begin(self, agent, start):
        """The response where a login starts, by a link or by the page's one form."""
        page = agent.open(start)
        return agent.post(page) if page.status == 200 and "<form" in page.body else page

    def login(self, start, word="yes", callback=None):
        """The last page, and the browser. `callback` changes the URL of the response."""
        agent = UserAgent(self.context)
        page = agent.follow(self.begin(agent, start))
        if "Do you sign in?" in page.body:
            page = agent.post(page, answer=word)
            if callback:
                page = agent.open(callback(page.location), source="idp.localhost")
            page = agent.follow(page)
        return page, agent


class OurParty(World):
    """The relying party of Examples/Login, at a foreign provider whose pages are on the port
    `behind`."""

    def __init__(self, program, keys, secret):
        super().__init__(keys)
        self.keys = shutil.copytree(self.keys, os.path.join(self.folder.name, "keys"))
        with open(os.path.join(self.keys, "client-secret"), "w", encoding="utf-8") as file:
            file.write(secret)
        self.program, self.port, self.behind = program, free_port(), free_port()
        self.site_port = free_port()
        self.origin = f"https://idp.localhost:{self.port}"
        self.site = f"https://rp.localhost:{self.site_port}"
        self.secret = secret

    def log_in(self, *options, callback=None, issuer=None, client="ours", expect=True):
        """Starts the relying party with these options, and lets a user sign in. Returns the last
        page and the party's output."""
        party = self.start(self.program, [
            "--profile", "openid", "--site-port", str(self.site_port), "--issuer",
            issuer or self.issuer, "--client-id", client,
            "--authorities", self.authority, *options], self.site_port)
        try:
            agent = UserAgent(self.context)
            page = agent.open(self.site + "/login", {"go": "on"}, source="rp.localhost",
                origin=self.site)
            while page.location:
                there = page.location
                if callback and there.startswith(self.site + "/callback"):
                    there, callback = callback(there), None
                page = agent.open(there, source=urllib.parse.urlsplit(page.url).hostname)
            said = party.said()
            assert (f"Welcome, {NAME}" in page.body) == expect, \
                f"{page.status} {page.url}: {page.body}\n{said}"
            assert expect or "Welcome, " not in page.body, page.body
            if expect:
                again = agent.open(self.site + "/attempt", {"kind": "replay"},
                    source="rp.localhost", origin=self.site)
                assert "<td>400</td>" in again.body or "<td>401</td>" in again.body, \
                    f"a code twice: {again.body}"
            return page, said
        finally:
            party.stop()
            self.running.remove(party)


def resigned(token, key, change=None, **head):
    """The token with other claims and header members, signed by a JWK."""
    signed = JWS(json.dumps(changed(claims(token), change or {})).encode())
    protected = {**header(token), **head}
    signed.add_signature(JWK(**key), protected["alg"], json.dumps(protected))
    return signed.serialize(compact=True)


def other_key(bits=2048):
    return json.loads(JWK.generate(kty="RSA", size=bits).export())


def unsigned(token):
    return ".".join([encoded(b'{"alg":"none"}'), token.split(".")[1], ""])


def wrong_tokens(key, issuer, client):
    """Titles and functions that each invalidate one part of a valid ID Token. The first changes
    nothing."""
    now, stranger = int(time.time()), other_key()
    for title, change in (
        ("iss of another provider", {"iss": "https://another.example"}),
        ("another audience", {"aud": "another"}),
        ("two audiences", {"aud": [client, "another"]}), ("another nonce", {"nonce": "another"}),
        ("it has expired", {"exp": now - 400, "iat": now - 700}), ("no nonce", {"nonce": None}),
        ("at_hash of another token", {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}),
        ("azp of another client", {"azp": "another"}), ("no sub", {"sub": None}),
    ("it is from the future", {"iat": now + 3600}), ):
        yield title, lambda token, change=change: resigned(token, key, change)
    yield "signed by another key of the same kid", lambda token: resigned(token, stranger)
    yield "nobody signed it", unsigned
    yield "its signature is damaged", broken_end
    yield "no token at all", lambda token: "x"


def with_id_token(change):
    """Changes the ID Token of a token response."""
    def answer(exchange):
        if exchange.status == 200:
            exchange.json = {**exchange.json, "id_token": change(exchange.json["id_token"])}
    return answer


def with_json(change):
    """Changes members of a JSON response. None removes one."""
    def answer(exchange):
        if exchange.status == 200:
            exchange.json = changed(exchange.json, change)
    return answer
