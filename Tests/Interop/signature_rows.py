"""Every entry of the signature table, tokens both ways with the foreign implementations that
support it.

The foreign implementation makes half of the keys, `josectl keys new` the other half, and neither
makes shared secrets.
"""

import json
import secrets

import joserfc.jwk
import joserfc.jws
import jwcrypto.jwk
import jwcrypto.jws

import foreign
import rows
from batch import b64u, payload_of, unb64u
from rows import bit_flipped, plain, public

SIZES = [0, 1, 31, 32, 600, 65_535]
SECRET_BYTES = {"HS256": 32, "HS384": 48, "HS512": 64}
CURVES = {
    "ES256": "P-256", "ES384": "P-384", "ES512": "P-521", "ES256K": "secp256k1",
    "EdDSA": "Ed25519", "Ed25519": "Ed25519", "Ed448": "Ed448",
}
RSA = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]
ALL = [*RSA, *CURVES, *SECRET_BYTES]
PAIRS = ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"]
# Algorithms that the tool's libcrypto lacks.
LACKING = set()


def wanted_key(row):
    """The members that a foreign implementation needs in a new key."""
    if row in PAIRS:
        return {"kty": "AKP", "alg": row}
    if row in CURVES:
        return {"kty": "OKP" if row.startswith("Ed") else "EC", "crv": CURVES[row]}
    return {"kty": "RSA", "size": 2048}


class Jwcrypto:
    name = "jwcrypto"
    rows = [*RSA, "ES256", "ES384", "ES512", "ES256K", "EdDSA", *SECRET_BYTES, *PAIRS]

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
        return joserfc.jws.serialize_compact(header, payload, joserfc.jwk.import_key(key),
            registry=registry)

    def verify(self, key, token, row):
        registry = self.Registry(algorithms=[row])
        return joserfc.jws.deserialize_compact(token, joserfc.jwk.import_key(key),
            registry=registry).payload


class Jose(rows.Jose):
    rows = [*RSA, "ES256", "ES384", "ES512", *SECRET_BYTES]

    def new_key(self, row):
        return json.loads(self.run("jwk", "gen", "-i", json.dumps({"alg": row})))


class NodeJose(foreign.NodeJose):
    def __init__(self):
        super().__init__()
        curves = ["ES256", "ES384", "ES512", "ES256K", "EdDSA"]
        self.rows = [*RSA, *filter(self.makes, curves), *SECRET_BYTES]

    def new_key(self, row):
        return self.ask("new", alg=row, options={"modulusLength": 2048} if row in RSA else {})


def keys_for(side, row, josectl, folder):
    if row in SECRET_BYTES:
        return [{"kty": "oct", "k": b64u(secrets.token_bytes(SECRET_BYTES[row] + more))}
            for more in (0, 9)]
    return [plain(side.new_key(row)), rows.our_key(josectl, folder, f"row-{row}", "--alg", row)]


def damages(token, row, random):
    """(what was done, corrupted token, code)"""
    head, payload, signature = token.split(".")
    raw = unb64u(signature)
    other = "RS256" if row != "RS256" else "ES256"
    for name, wrong in [
        ("bit", bit_flipped(raw, random)), ("cut", raw[:-1]),
        ("longer", raw + b"\0"), ("zeros", bytes(len(raw))), ("ones", b"\xff" * len(raw)),
    ("empty", b""), ]:
        yield name, f"{head}.{payload}.{b64u(wrong)}", "signature-invalid"
    yield "payload", f"{head}.{b64u(unb64u(payload) + b'x')}.{signature}", "signature-invalid"
    for alg in [other, "none", row.lower()]:
        yield (f"alg {alg}", f"{b64u(json.dumps({'alg': alg}).encode())}.{payload}.{signature}",
               "algorithm-not-allowed")


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
            tally.check(group + ", payload", f"{len(payload)} bytes", payload_of(answer) == payload,
                "another payload")
    damaged = [(name, {**request, "token": token}, code)
               for request in requests for name, token,
               code in damages(request["token"], row, random)]
    for (name, _, code), answer in zip(damaged, batch.ask([request for _, request, _ in damaged])):
        tally.expect(group + ", tampered", name, answer, code)


def from_us(side, row, keys, batch, random, tally):
    group = f"us to {side.name}, row {row}"
    sent = [(key, random.randbytes(size)) for key in keys for size in SIZES]
    requests = [{"op": "jws.sign", "key": key, "alg": row, "payload": b64u(payload)} for key,
        payload in sent]
    for (key, payload), answer in zip(sent, batch.ask(requests)):
        if not tally.expect(group, f"{len(payload)} bytes", answer, "ok"):
            continue
        rows.check_opened(tally, group, f"{len(payload)} bytes", payload,
            lambda: side.verify(public(key), answer["token"], row))


def run(josectl, folder, batch, random, tally, sides=("jwcrypto", "joserfc", "jose", "node-jose")):
    known = {"jwcrypto": lambda _: Jwcrypto(), "joserfc": lambda _: Joserfc(), "jose": Jose,
        "node-jose": lambda _: NodeJose()}
    for side in rows.chosen(known, folder, sides):
        for row in (row for row in side.rows if row not in LACKING):
            keys = keys_for(side, row, josectl, folder)
            to_us(side, row, keys, batch, random, tally)
            from_us(side, row, keys, batch, random, tally)
