"""Every row of the signature table, tokens both ways with the foreign sides that know it.

Half of the keys are made by the foreign side, half by `josectl keys new`; shared secrets by neither.
"""

import json
import os
import secrets
import subprocess

import joserfc.jwk
import joserfc.jws
import jwcrypto.jwk
import jwcrypto.jws

from batch import b64u, payload_of, unb64u

SIZES = [0, 1, 31, 32, 600, 65_535]
SECRET_BYTES = {"HS256": 32, "HS384": 48, "HS512": 64}
CURVES = {
    "ES256": "P-256", "ES384": "P-384", "ES512": "P-521", "ES256K": "secp256k1",
    "EdDSA": "Ed25519", "Ed25519": "Ed25519", "Ed448": "Ed448",
}
RSA = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]
ALL = [*RSA, *CURVES, *SECRET_BYTES]


def wanted_key(row):
    """The members that a new key of a foreign side needs."""
    if row in CURVES:
        return {"kty": "OKP" if row.startswith("Ed") else "EC", "crv": CURVES[row]}
    return {"kty": "RSA", "size": 2048}


class Jwcrypto:
    name = "jwcrypto"
    rows = [*RSA, "ES256", "ES384", "ES512", "ES256K", "EdDSA", *SECRET_BYTES]

    def new_key(self, row):
        return jwcrypto.jwk.JWK.generate(**wanted_key(row)).export(as_dict=True)

    def sign(self, key, payload, header):
        token = jwcrypto.jws.JWS(payload)
        token.allowed_algs = [header["alg"]]
        token.add_signature(jwcrypto.jwk.JWK(**key), None, json.dumps(header), None)
        return token.serialize(compact=True)

    def verify(self, key, token, row):
        read = jwcrypto.jws.JWS()
        read.allowed_algs = [row]
        read.deserialize(token, jwcrypto.jwk.JWK(**key))
        return read.payload


class Joserfc:
    name = "joserfc"
    rows = ALL

    class Registry(joserfc.jws.JWSRegistry):
        max_payload_length = 1 << 20

    def new_key(self, row):
        wanted = wanted_key(row)
        key = joserfc.jwk.JWKRegistry.generate_key(wanted["kty"], wanted.get("crv", 2048))
        return dict(key.as_dict(private=True))

    def sign(self, key, payload, header):
        registry = self.Registry(algorithms=[header["alg"]])
        return joserfc.jws.serialize_compact(header, payload, joserfc.jwk.import_key(key), registry=registry)

    def verify(self, key, token, row):
        registry = self.Registry(algorithms=[row])
        return joserfc.jws.deserialize_compact(token, joserfc.jwk.import_key(key), registry=registry).payload


class Jose:
    """Debian's `jose`, a process each time."""

    name = "jose"
    rows = [*RSA, "ES256", "ES384", "ES512", *SECRET_BYTES]

    def __init__(self, folder):
        self.folder = folder

    def run(self, *arguments, data=b""):
        done = subprocess.run(["jose", *arguments], input=data, capture_output=True, timeout=60)
        if done.returncode != 0:
            raise ValueError(f"jose {arguments[:2]}: {done.stderr.decode().strip()}")
        return done.stdout

    def file(self, key):
        path = os.path.join(self.folder, "row.jwk")
        with open(path, "w") as file:
            json.dump(key, file)
        return path

    def new_key(self, row):
        return json.loads(self.run("jwk", "gen", "-i", json.dumps({"alg": row})))

    def sign(self, key, payload, header):
        template = json.dumps({"protected": header})
        return self.run("jws", "sig", "-I-", "-s", template, "-k", self.file(key), "-c", data=payload).decode().strip()

    def verify(self, key, token, row):
        return self.run("jws", "ver", "-i-", "-k", self.file(key), "-O-", data=token.encode())


def plain(key):
    """The numbers alone: metadata is exchange.py's."""
    return {k: v for k, v in key.items() if k not in ("kid", "use", "alg", "key_ops")}


def public(key):
    if key["kty"] == "oct":
        return key
    return {k: v for k, v in key.items() if k in ("kty", "crv", "x", "y", "n", "e")}


def our_key(josectl, folder, row):
    path = os.path.join(folder, f"row-{row}.jwks")
    if not os.path.exists(path):
        subprocess.run([josectl, "keys", "new", "--alg", row, "--out", path, "--public", path + ".public"],
                       check=True, stdout=subprocess.DEVNULL)
    with open(path) as file:
        return json.load(file)["keys"][0]


def keys_for(side, row, josectl, folder):
    if row in SECRET_BYTES:
        return [{"kty": "oct", "k": b64u(secrets.token_bytes(SECRET_BYTES[row] + more))} for more in (0, 9)]
    return [plain(side.new_key(row)), plain(our_key(josectl, folder, row))]


def damages(token, row, random):
    """(what was done, damaged token, code)"""
    head, payload, signature = token.split(".")
    raw = unb64u(signature)
    at = random.randrange(len(raw))
    other = "RS256" if row != "RS256" else "ES256"
    for name, wrong in [
        ("bit", raw[:at] + bytes([raw[at] ^ 1 << random.randrange(8)]) + raw[at + 1:]), ("cut", raw[:-1]),
        ("longer", raw + b"\0"), ("zeros", bytes(len(raw))), ("ones", b"\xff" * len(raw)), ("empty", b""),
    ]:
        yield name, f"{head}.{payload}.{b64u(wrong)}", "signature-invalid"
    yield "payload", f"{head}.{b64u(unb64u(payload) + b'x')}.{signature}", "signature-invalid"
    for alg in [other, "none", row.lower()]:
        yield f"alg {alg}", f"{b64u(json.dumps({'alg': alg}).encode())}.{payload}.{signature}", "algorithm-not-allowed"


def to_us(side, row, keys, batch, random, tally):
    group = f"{side.name} to us, row {row}"
    requests, wanted = [], []
    for key in keys:
        for size in SIZES:
            payload = random.randbytes(size)
            token = side.sign(key, payload, {"alg": row})
            requests.append({"op": "jws.verify", "token": token, "algs": [row], "key": public(key)})
            wanted.append(payload)
    for payload, answer in zip(wanted, batch.ask(requests)):
        if tally.expect(group, f"{len(payload)} bytes", answer, "ok"):
            tally.check(group + ", payload", f"{len(payload)} bytes", payload_of(answer) == payload, "another payload")
    damaged = [(name, {**request, "token": token}, code)
               for request in requests for name, token, code in damages(request["token"], row, random)]
    for (name, _, code), answer in zip(damaged, batch.ask([request for _, request, _ in damaged])):
        tally.expect(group + ", tampered", name, answer, code)


def from_us(side, row, keys, batch, random, tally):
    group = f"us to {side.name}, row {row}"
    sent = [(key, random.randbytes(size)) for key in keys for size in SIZES]
    requests = [{"op": "jws.sign", "key": key, "alg": row, "payload": b64u(payload)} for key, payload in sent]
    for (key, payload), answer in zip(sent, batch.ask(requests)):
        if not tally.expect(group, f"{len(payload)} bytes", answer, "ok"):
            continue
        try:
            read = bytes(side.verify(public(key), answer["token"], row))
        except Exception as problem:  # whatever a foreign library throws is a failed check, told with its words
            read = f"{type(problem).__name__}: {problem}"
        tally.check(group + ", opened", f"{len(payload)} bytes", read == payload, f"read {read!r:.80}")


def run(josectl, folder, batch, random, tally, sides=("jwcrypto", "joserfc", "jose")):
    known = {"jwcrypto": Jwcrypto, "joserfc": Joserfc, "jose": lambda: Jose(folder)}
    for name in sides:
        if name not in known:
            continue
        side = known[name]()
        for row in side.rows:
            keys = keys_for(side, row, josectl, folder)
            to_us(side, row, keys, batch, random, tally)
            from_us(side, row, keys, batch, random, tally)
