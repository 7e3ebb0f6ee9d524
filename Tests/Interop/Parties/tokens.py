"""Tokens with a wrong key or claim: read and written by `josectl batch`."""

import base64
import json
import subprocess


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def header(token):
    return json.loads(decoded(token.split(".")[0]))


def claims(token):
    """The claims of a signed token, unverified."""
    return json.loads(decoded(token.split(".")[1]))


class Tokens:
    def __init__(self, josectl):
        self.tool = subprocess.Popen([josectl, "batch"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)

    def stop(self):
        self.tool.stdin.close()
        self.tool.wait()

    def ask(self, op, **members):
        print(json.dumps({"id": 1, "op": op, **members}), file=self.tool.stdin, flush=True)
        answer = json.loads(self.tool.stdout.readline())
        assert answer["ok"], f"{op}: {answer['error']}"
        return answer

    def sign(self, key, members):
        """A token with these claims, signed by a private JWK, with its kid."""
        return self.ask("jws.sign", key=key, alg="RS256",
            payload=encoded(json.dumps(members).encode()))["token"]

    def encrypt(self, key, token, content_type="JWT"):
        """A signed token encrypted for the key."""
        return self.ask(
            "jwe.encrypt", key={name: key[name] for name in ("kty", "kid", "n", "e")},
            alg="RSA-OAEP", enc="A128CBC-HS256",
            header={"cty": content_type} if content_type else {},
            payload=encoded(token.encode()))["token"]

    def decrypt(self, key, token):
        """The signed token inside an encrypted one."""
        answer = self.ask("jwe.decrypt", key=key, token=token, algs=["RSA-OAEP"],
            encs=["A128CBC-HS256"])
        return decoded(answer["payload"]).decode()
