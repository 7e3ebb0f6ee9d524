"""The foreign implementations behind one interface.

An implementation has `jobs`, its capabilities: "RS256" (sign, verify) and "RSA-OAEP",
"RSA-OAEP-256" (encrypt and decrypt with A128CBC-HS256). Keys are JWKs as dictionaries. Headers
contain alg, enc and other requested members.
"""

import json
import os
import subprocess

import joserfc.jwe
import joserfc.jwk
import joserfc.jws
import jwcrypto.jwe
import jwcrypto.jwk
import jwcrypto.jws
from joserfc._rfc7516.registry import JWERegistry

from batch import b64u, unb64u

ENC = "A128CBC-HS256"


def imported(reader):
    """Key import checks the primes, which costs more than a signature, so each key is imported
    once."""
    kept = {}

    def once(key):
        name = json.dumps(key, sort_keys=True)
        if name not in kept:
            kept[name] = reader(key)
        return kept[name]

    return once


jwcrypto_key = imported(lambda key: jwcrypto.jwk.JWK(**key))
joserfc_key = imported(joserfc.jwk.RSAKey.import_key)


class Jwcrypto:
    name = "jwcrypto"
    jobs = ["RS256", "RSA-OAEP", "RSA-OAEP-256"]
    opens_empty_plaintext = False  # 1.6.1 fails even for its own tokens

    def new_key(self, **members):
        key = jwcrypto.jwk.JWK.generate(kty="RSA", size=2048, **members)
        return key.export_private(as_dict=True), key.export_public(as_dict=True)

    def sign(self, key, payload, header):
        token = jwcrypto.jws.JWS(payload)
        token.add_signature(jwcrypto_key(key), None, json.dumps(header), None)
        return token.serialize(compact=True)

    def verify(self, key, token):
        read = jwcrypto.jws.JWS()
        read.allowed_algs = ["RS256"]
        read.deserialize(token, jwcrypto_key(key))
        return read.payload

    def encrypt(self, key, payload, header):
        token = jwcrypto.jwe.JWE(payload, json.dumps(header))
        token.allowed_algs = [header["alg"], ENC]
        token.add_recipient(jwcrypto_key(key))
        return token.serialize(compact=True)

    def decrypt(self, key, token):
        read = jwcrypto.jwe.JWE()
        read.allowed_algs = ["RSA-OAEP", "RSA-OAEP-256", ENC]
        read.deserialize(token, jwcrypto_key(key))
        return read.payload


class Joserfc:
    name = "joserfc"
    opens_empty_plaintext = True
    jobs = ["RS256", "RSA-OAEP", "RSA-OAEP-256"]

    class Signatures(joserfc.jws.JWSRegistry):
        max_payload_length = 1 << 23

    class Encryption(JWERegistry):
        max_ciphertext_length = 1 << 23

    signatures = Signatures(algorithms=["RS256"])
    encryption = Encryption(algorithms=["RSA-OAEP", "RSA-OAEP-256", ENC])

    def new_key(self, **members):
        key = joserfc.jwk.RSAKey.generate_key(2048, members)
        return dict(key.as_dict(private=True)), dict(key.as_dict(private=False))

    def sign(self, key, payload, header):
        return joserfc.jws.serialize_compact(header, payload, joserfc_key(key),
            registry=self.signatures)

    def verify(self, key, token):
        return joserfc.jws.deserialize_compact(token, joserfc_key(key),
            registry=self.signatures).payload

    def encrypt(self, key, payload, header):
        key = joserfc_key(key)
        return joserfc.jwe.encrypt_compact(header, payload, key, registry=self.encryption)

    def decrypt(self, key, token):
        key = joserfc_key(key)
        return joserfc.jwe.decrypt_compact(token, key, registry=self.encryption).plaintext


class JoseCommand:
    """Debian's `jose`, one process per call."""

    name = "jose"

    def __init__(self, folder):
        self.folder = folder

    def run(self, *arguments, data=b""):
        done = subprocess.run(["jose", *arguments], input=data, capture_output=True, timeout=60)
        if done.returncode != 0:
            raise ValueError(f"jose {arguments[:2]}: {done.stderr.decode().strip()}")
        return done.stdout

    def sign(self, key, payload, header):
        template = json.dumps({"protected": header})
        return self.run("jws", "sig", "-I-", "-s", template, "-k", self.file(key), "-c",
            data=payload).decode().strip()

    def verify(self, key, token, *_):
        return self.run("jws", "ver", "-i-", "-k", self.file(key), "-O-", data=token.encode())


class Jose(JoseCommand):
    """Its build lacks RSA-OAEP."""

    jobs = ["RS256"]

    def file(self, key):
        return key_file(self.folder, key)

    def new_key(self, **members):
        key = json.loads(self.run("jwk", "gen", "-i",
            json.dumps({"alg": "RS256", "bits": 2048, **members})))
        public = self.run("jwk", "pub", "-i-", data=json.dumps(key).encode())
        return key, json.loads(public)


class Cjose:
    """libcjose through the C program next to this file. It has no RSA-OAEP-256, and its tokens have
    no kid."""

    name = "cjose"
    opens_empty_plaintext = True
    jobs = ["RS256", "RSA-OAEP"]

    def __init__(self, program, folder):
        self.folder = folder
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, *fields):
        self.process.stdin.write((" ".join(fields) + "\n").encode())
        self.process.stdin.flush()
        state, _, result = self.process.stdout.readline().decode().strip().partition(" ")
        if state != "ok":
            raise ValueError(f"cjose {fields[0]}: {result}")
        return result

    def new_key(self, **members):
        path = os.path.join(self.folder, "cjose.jwk")
        public = json.loads(self.ask("new", path, "2048"))
        with open(path) as file:
            return json.load(file), public

    def sign(self, key, payload, header):
        return self.ask("sign", key_file(self.folder, key), b64u(payload) or "-")

    def verify(self, key, token):
        return unb64u(self.ask("verify", key_file(self.folder, key), token))

    def encrypt(self, key, payload, header):
        op = "nest" if "cty" in header else "encrypt"
        return self.ask(op, key_file(self.folder, key), b64u(payload) or "-")

    def decrypt(self, key, token):
        return unb64u(self.ask("decrypt", key_file(self.folder, key), token))


class NodeJose:
    """jose for JavaScript by the program next to this file. One process serves all requests."""

    name = "node-jose"
    opens_empty_plaintext = True
    jobs = ["RS256", "RSA-OAEP", "RSA-OAEP-256"]
    # What version 6 no longer has, and what of it the installed version lacks.
    dropped = {"ES256K", "X448"}
    absent = set()

    def __init__(self):
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "node_jose.mjs")
        self.process = subprocess.Popen(["node", program], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)

    def ask(self, op, **fields):
        self.process.stdin.write(json.dumps({"op": op, **fields}).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "ok" not in answer:
            raise ValueError(f"node-jose {op}: {answer['error']}")
        return answer["ok"]

    def makes(self, alg, crv=None):
        """Whether this version generates such keys. If dropped, adds the name to `absent`."""
        try:
            self.ask("new", alg=alg, options={"crv": crv} if crv else {})
        except ValueError as error:
            if "ERR_JOSE_NOT_SUPPORTED" not in str(error) or (crv or alg) not in self.dropped:
                raise
            self.absent.add(crv or alg)
            return False
        return True

    def new_key(self, **members):
        key = {**self.ask("new", alg="RS256", options={"modulusLength": 2048}), **members}
        return key, {name: value for name,
            value in key.items() if name in ("kty", "n", "e", *members)}

    def sign(self, key, payload, header):
        return self.ask("sign", jwk=key, payload=b64u(payload), header=header)

    def verify(self, key, token, alg="RS256"):
        return unb64u(self.ask("verify", jwk=key, token=token, alg=alg))

    def encrypt(self, key, payload, header):
        return self.ask("encrypt", jwk=key, payload=b64u(payload), header=header)

    def decrypt(self, key, token, alg=None, enc=ENC):
        algs = [alg] if alg else ["RSA-OAEP", "RSA-OAEP-256"]
        return unb64u(self.ask("decrypt", jwk=key, token=token, algs=algs, enc=enc))


def key_file(folder, key):
    """A file with the key, one for each key."""
    secret = "private" if "d" in key else "public"
    path = os.path.join(folder, f"{secret}-{key['n'][:24]}.jwk")
    if not os.path.exists(path):
        with open(path, "w") as file:
            json.dump(key, file)
    return path
