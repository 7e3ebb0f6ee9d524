"""The provider of Examples/Login behind a proxy, and Apache as its relying parties, all on ports of
this machine."""

import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import urllib.parse

from apache_server import Apache, Client, request_object, wait_until
from front import Front
from tokens import Tokens
from user_agent import UserAgent, trusting

# A client_secret that form encoding would change: mod_auth_openidc sends it as it is.
SECRET = "a+b/c=d%7E&of:a*client"
PROOF_KEY = "OIDCPKCEMethod S256"
# The members of a request object. The query next to it has three of them too.
OBJECT = [
    "response_type", "client_id", "scope", "redirect_uri", "state", "nonce", "code_challenge",
    "code_challenge_method", "max_age", "claims",
]
ASKED = "max_age=600&claims=" + urllib.parse.quote('{"id_token":{"auth_time":{"essential":true}}}')


def clients(ports):
    """Every client, on consecutive ports."""
    def client(name, *settings, secret=True, **registered):
        if secret:
            settings = (f'OIDCClientSecret "{SECRET}"', *settings)
            registered["client_secret"] = SECRET
        return Client(name, next(ports), list(settings), registered)

    def objects(name, delivery, **crypto):
        more = {"request_object_encryption_alg": "RSA-OAEP"} if "crypt_alg" in crypto else {}
        made = client(
            name, PROOF_KEY, request_object(delivery, OBJECT, **crypto),
            f'OIDCAuthRequestParams "{ASKED}"', **more)
        made.registered["request_uris"] = [made.redirect_uri]
        made.registered["lenient_request_objects"] = True
        return made

    nested = ["OIDCIDTokenEncryptedResponseAlg RSA-OAEP", "OIDCUserInfoSignedResponseAlg RS256",
        "OIDCUserInfoEncryptedResponseAlg RSA-OAEP"]
    nested_registered = {
        "id_token_encrypted_response_alg": "RSA-OAEP", "userinfo_signed_response_alg": "RS256",
        "userinfo_encrypted_response_alg": "RSA-OAEP"}
    everything = client(
        "everything", PROOF_KEY, "OIDCProviderTokenEndpointAuth private_key_jwt",
        "OIDCResponseMode form_post", *nested,
        request_object("request_uri", [*OBJECT, "response_mode"], sign_alg="RS256",
            crypt_alg="RSA-OAEP"),
        f'OIDCAuthRequestParams "{ASKED}"', secret=False,
        token_endpoint_auth_method="private_key_jwt",
        request_object_encryption_alg="RSA-OAEP", **nested_registered)
    everything.registered["request_uris"] = [everything.redirect_uri]
    everything.registered["lenient_request_objects"] = True
    return [
        everything,
        client("plain", require_code_challenge=False),
        client("proof-key", PROOF_KEY, jwks_uri=None),
        client("form-post", PROOF_KEY, "OIDCResponseMode form_post"),
        client("posted-request", PROOF_KEY, "OIDCProviderAuthRequestMethod POST"),
        client("assertion", PROOF_KEY, "OIDCProviderTokenEndpointAuth private_key_jwt",
               secret=False, token_endpoint_auth_method="private_key_jwt"),
        client("nested", PROOF_KEY, *nested, **nested_registered),
        objects("object", "request", sign_alg="RS256"),
        objects("object-address", "request_uri", sign_alg="RS256"),
        objects("object-nested", "request", sign_alg="RS256", crypt_alg="RSA-OAEP",
            crypt_enc="A128CBC-HS256"),
        objects("object-nested-address", "request_uri", sign_alg="RS256", crypt_alg="RSA-OAEP",
            crypt_enc="A128CBC-HS256"),
        objects("object-unsigned", "request"),
    ]


class World:
    def __init__(self, provider, josectl, keys):
        self.keys, self.josectl = keys, josectl
        self.tokens = Tokens(josectl)
        self.folder = tempfile.TemporaryDirectory(prefix="party-")
        self.context = trusting(f"{keys}/tls-root.pem")
        front, behind, site, *ports = free_ports(15)
        self.issuer = f"https://idp.localhost:{front}"
        ports = iter(ports)
        self.clients = {client.name: client for client in clients(ports)}
        self._make_client_key()
        with open(self._file("clients.json"), "w", encoding="utf-8") as file:
            json.dump([client.metadata() for client in self.clients.values()], file)
        self.stopping = [self.tokens.stop]
        try:
            self.notes = self._file("provider.log")
            with open(self.notes, "w", encoding="utf-8") as file:
                self.words = [
                    provider, "--profile", "openid", "--provider-port", str(front), "--listen",
                    str(behind), "--site-port", str(site), "--keys", keys, "--clients"]
                self.provider = subprocess.Popen([*self.words, self._file("clients.json")],
                    stdout=file, stderr=file)
            self.stopping.append(self._stop_provider)
            self._wait(self.provider, self.notes, lambda: answers(behind))
            self.front = Front("idp.localhost", front, behind, keys, self.context)
            self.stopping.append(self.front.stop)
            self.apache = Apache(
                self.issuer, self.clients.values(), keys, self._file("apache.pem"),
                self._file("apache-public.pem"))
            self.stopping.append(self.apache.stop)
            self._wait(self.apache.process, self.apache.log,
                lambda: "resuming normal operations" in self.apache.said())
        except BaseException:
            self.stop()
            raise

    def stop(self):
        for stop in reversed(self.stopping):
            stop()
        self.folder.cleanup()

    def _file(self, name):
        return f"{self.folder.name}/{name}"

    def _stop_provider(self):
        self.provider.terminate()
        self.provider.wait()

    def _wait(self, process, log, is_ready):
        def serves():
            if process.poll() is not None:
                with open(log, encoding="utf-8") as file:
                    raise AssertionError(f"it ended: {file.read()}")
            return is_ready()
        wait_until(serves, f"{process.args[0]} does not serve")

    # Keys

    def _run(self, *words):
        subprocess.run([self.josectl, *words], check=True, stdout=subprocess.DEVNULL)

    def new_key(self, *words):
        """A new private JWK."""
        subprocess.run(
            [self.josectl, "keys", "new", *words, "--out", self._file("new.jwks"), "--public",
             self._file("new-public.jwks"), "--force"], check=True, stdout=subprocess.DEVNULL)
        return read_keys(self._file("new.jwks"))[0]

    def _make_client_key(self):
        """One RSA key signs and decrypts: mod_auth_openidc uses the first for both."""
        self.client_key = self.new_key("--alg", "RS256", "--kid", "apache")
        for words in (["--private", "--out", self._file("apache.pem")],
                ["--out", self._file("apache-public.pem")]):
            self._run("keys", "export", self._file("new.jwks"), *words)
        self.client_key = {name: value for name,
            value in self.client_key.items() if name not in ("use", "alg", "key_ops")}

    @property
    def provider_keys(self):
        """The provider's private keys: one signs, one decrypts, and older ones."""
        return read_keys(f"{self.keys}/provider.jwks")

    def rotate(self, kid, keep=(), is_certified=True):
        """Gives the provider new keys with certificates, followed by these older ones. Returns its
        output."""
        self._run(
            "keys", "new", "--alg", "RS256", "--kid", kid + "-sig", "--alg", "RSA-OAEP", "--kid",
            kid + "-enc",
            "--out", self._file("bare.jwks"), "--public", self._file("bare-public.jwks"), "--force")
        self._run(
            "keys", "certify", self._file("bare.jwks"), "--ca", f"{self.keys}/keys-root.pem",
            "--ca-key",
            f"{self.keys}/keys-root.key", "--days", "30", "--subject", "CN=provider,O=Example,C=BE",
            "--out", self._file("certified.jwks"), "--force")
        before = self.provider_keys
        self._write_keys(read_keys(self._file("certified.jwks" if is_certified else "bare.jwks"))
            + list(keep))
        since = len(self.said())
        self.provider.send_signal(signal.SIGUSR1)
        wait_until(lambda: re.search("provider: (has|keeps) .* keys", self.said(since))
                   or self.provider.poll() is not None, "the provider says nothing of its keys")
        said = self.said(since)
        assert ("provider: has other keys" in said) == is_certified, said
        if not is_certified:
            self._write_keys(before)
        return said

    def _write_keys(self, keys):
        path = f"{self.keys}/provider.jwks"
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump({"keys": keys}, file)
        os.replace(path + ".new", path)

    def said(self, since=0):
        """The provider's log from this character on."""
        with open(self.notes, encoding="utf-8") as file:
            return file.read()[since:]

    def rejects_to_start(self, clients):
        """The provider's output for clients that it cannot register."""
        with open(self._file("wrong.json"), "w", encoding="utf-8") as file:
            json.dump(clients, file)
        return self.ends(*self.words[1:], file.name)

    def ends(self, *words):
        """The provider's output for options that it does not start with."""
        ended = subprocess.run([self.words[0], *words], capture_output=True, text=True, timeout=10)
        assert ended.returncode == 1, ended
        return ended.stdout

    # Logins

    def login(self, name, **changes):
        return Login(self, self.clients[name], **changes)


class Login:
    """One login in a new browser, and the output of all programs meanwhile.

    address: changes the URL of the authorization request; requests, answers: change what goes
    through the proxy, by path; before_word: called while the user is asked; word: the user's
    decision; callback: changes the URL that the browser is sent back to."""

    def __init__(self, world, client, address=None, requests=None, answers=None, word="yes",
            before_word=None, callback=None):
        self.world, self.client = world, client
        self.marks = len(world.front.exchanges), world.apache.size(), len(world.said())
        self.agent = UserAgent(world.context)
        world.front.requests, world.front.answers = requests or {}, answers or {}
        try:
            page = self.agent.open(client.page)
            if page.location is None:
                page = self.agent.post(page)
            else:
                self.address = page.location
                page = self.agent.open((address or str)(page.location), source="rp.localhost")
            if page.status == 200 and "Do you sign in?" in page.body:
                self.consent = page
                if before_word:
                    before_word()
                page = self.agent.post(page, answer=word)
            if page.status == 200 and page.url.startswith(world.issuer):
                self.answered = page
                page = self.agent.post(page)
            elif page.location and callback:
                page = self.agent.open(callback(page.location), source="idp.localhost")
            self.page = self.agent.follow(page)
        finally:
            world.front.requests, world.front.answers = {}, {}
            faults, world.front.faults = world.front.faults, []
        assert not faults, faults

    def exchanges(self, path):
        return self.world.front.of(path, self.marks[0])

    @property
    def apache_said(self):
        return self.world.apache.said(self.marks[1])

    @property
    def provider_said(self):
        return self.world.said(self.marks[2])

    def session(self):
        """Apache's data about the user. None if nobody is signed in."""
        page = self.agent.open(self.client.redirect_uri + "?info=json")
        return json.loads(page.body) if page.status == 200 else None


def read_keys(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["keys"]


def answers(port):
    """Whether a process listens on the port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_ports(count):
    """Unused ports below those that the system gives to outgoing connections, as one of those could
    connect to itself."""
    ports = []
    for port in range(20_000 + os.getpid() % 10_000, 32_768):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        ports.append(port)
        if len(ports) == count:
            return ports
    raise AssertionError("no free ports")
