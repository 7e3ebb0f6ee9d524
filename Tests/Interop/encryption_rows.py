"""Every entry of the tables of key management and content encryption: tokens both ways with the
foreign implementations that support it.

Each key management algorithm is combined with every content encryption. The foreign implementation
makes half of the keys, `josectl keys new` the other half, and neither makes shared secrets and
passwords.
"""

import json
import secrets

import joserfc.jwe
import joserfc.jwk
import jwcrypto.jwe
import jwcrypto.jwk
from joserfc._rfc7516.registry import JWERegistry

import foreign
import rows
from batch import b64u, payload_of, unb64u
from rows import bit_flipped, plain, public
from vectors import PASSWORDS

SIZES = [1, 16, 600, 4_096]
CONTENTS = {"A128CBC-HS256": 32, "A192CBC-HS384": 48, "A256CBC-HS512": 64, "A128GCM": 16,
    "A192GCM": 24, "A256GCM": 32}
RSA = ["RSA-OAEP", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512"]
SECRET_BYTES = {"A128KW": 16, "A192KW": 24, "A256KW": 32, "A128GCMKW": 16, "A192GCMKW": 24,
    "A256GCMKW": 32}
ECDH = ["ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW"]
NIST = ["P-256", "P-384", "P-521"]
MONTGOMERY = ["X25519", "X448"]


class Jwcrypto:
    name = "jwcrypto"
    rows = ["RSA-OAEP", "RSA-OAEP-256", *SECRET_BYTES, "dir", *ECDH, *PASSWORDS]
    contents = list(CONTENTS)
    curves = [*NIST, *MONTGOMERY]

    def new_key(self, wanted):
        return jwcrypto.jwk.JWK.generate(**wanted).export(as_dict=True)

    def encrypt(self, key, payload, header):
        token = jwcrypto.jwe.JWE(payload, json.dumps(header), algs=[header["alg"], header["enc"]])
        token.add_recipient(jwcrypto.jwk.JWK(**key))
        return token.serialize(compact=True)

    def decrypt(self, key, token, row, content):
        read = jwcrypto.jwe.JWE(algs=[row, content])
        read.deserialize(token, jwcrypto.jwk.JWK(**key))
        return read.payload


class Joserfc:
    name = "joserfc"
    rows = ["RSA-OAEP", "RSA-OAEP-256", *SECRET_BYTES, "dir", *ECDH, *PASSWORDS]
    contents = list(CONTENTS)
    curves = [*NIST, *MONTGOMERY]

    class Registry(JWERegistry):
        max_ciphertext_length = 1 << 20
        max_plaintext_length = 1 << 20

    def new_key(self, wanted):
        key = joserfc.jwk.JWKRegistry.generate_key(wanted["kty"], wanted.get("crv", 2048))
        return dict(key.as_dict(private=True))

    def registry(self, header):
        return self.Registry(algorithms=[header["alg"], header["enc"]])

    def encrypt(self, key, payload, header):
        return joserfc.jwe.encrypt_compact(header, payload, joserfc.jwk.import_key(key),
            registry=self.registry(header))

    def decrypt(self, key, token, row, content):
        registry = self.registry({"alg": row, "enc": content})
        return joserfc.jwe.decrypt_compact(token, joserfc.jwk.import_key(key),
            registry=registry).plaintext


class Jose(rows.Jose):
    """Its build lacks RSA-OAEP."""

    rows = [*SECRET_BYTES, "dir", *ECDH, *PASSWORDS]
    contents = list(CONTENTS)
    curves = NIST

    def new_key(self, wanted):
        template = {"kty": "EC", "crv": wanted["crv"]} if wanted["kty"] == "EC" else {"kty": "RSA",
            "bits": 2048}
        return json.loads(self.run("jwk", "gen", "-i", json.dumps(template)))

    def encrypt(self, key, payload, header):
        template = json.dumps({"protected": header})
        return self.run("jwe", "enc", "-i", template, "-I-", "-k", self.file(key), "-c",
            data=payload).decode().strip()

    def decrypt(self, key, token, row, content):
        return self.run("jwe", "dec", "-i-", "-k", self.file(key), "-O-", data=token.encode())


class NodeJose(foreign.NodeJose):
    """The implementation that supports RSA-OAEP-384 and -512."""

    rows = [*RSA, *SECRET_BYTES, "dir", *ECDH]
    contents = list(CONTENTS)

    def __init__(self):
        super().__init__()
        self.curves = [crv for crv in [*NIST, *MONTGOMERY] if self.makes("ECDH-ES", crv=crv)]

    def new_key(self, wanted):
        rsa = wanted["kty"] == "RSA"
        options = {"modulusLength": 2048} if rsa else {"crv": wanted["crv"]}
        return self.ask("new", alg="RSA-OAEP" if rsa else "ECDH-ES", options=options)


def our_key(josectl, folder, wanted):
    """For P-256 `josectl keys new` gets only the algorithm, for other curves the curve too."""
    kind = ["--curve", wanted["crv"]] if "crv" in wanted else ["--bits", "2048"]
    return rows.our_key(josectl, folder, f"enc-{wanted.get('crv', 'RSA')}", "--use", "enc", *kind)


def keys_for(side, row, content, josectl, folder, kept):
    if row in PASSWORDS:
        return [{"kty": "oct", "k": b64u(secrets.token_urlsafe(count).encode())}
            for count in (6, 24)]
    if row in SECRET_BYTES or row == "dir":
        return [{"kty": "oct",
            "k": b64u(secrets.token_bytes(SECRET_BYTES.get(row) or CONTENTS[content]))}]
    if row in RSA:
        wanted = [{"kty": "RSA", "size": 2048}]
    else:
        wanted = [{"kty": "EC" if curve in NIST else "OKP", "crv": curve} for curve in side.curves]
    keys = []
    for one in wanted:
        name = (side.name, one.get("crv", "RSA"))
        if name not in kept:
            kept[name] = [plain(side.new_key(one)), our_key(josectl, folder, one)]
        keys += kept[name]
    return keys


def damages(token, random):
    """(what was done, corrupted token): a bit of each value, and a truncated tag."""
    parts = token.split(".")
    for place, name in [(1, "encrypted key"), (2, "iv"), (3, "ciphertext"), (4, "tag")]:
        raw = unb64u(parts[place])
        if not raw:
            continue
        yield name, ".".join([*parts[:place], b64u(bit_flipped(raw, random)), *parts[place + 1:]])
    yield "short tag", ".".join([*parts[:4], b64u(unb64u(parts[4])[:-1])])


def to_us(side, row, content, keys, batch, random, tally):
    group = f"{side.name} to us, row {row}"
    requests, wanted = [], []
    for number, key in enumerate(keys):
        payload = random.randbytes(SIZES[number % len(SIZES)])
        token = side.encrypt(public(key), payload, {"alg": row, "enc": content})
        requests.append({"op": "jwe.decrypt", "token": token, "algs": [row], "encs": [content],
            "key": key})
        wanted.append(payload)
    for payload, answer in zip(wanted, batch.ask(requests)):
        if tally.expect(group, content, answer, "ok"):
            tally.check(group + ", payload", content, payload_of(answer) == payload,
                "another payload")
    damaged = [(name, {**request, "token": token}) for request in requests for name,
        token in damages(request["token"], random)]
    for (name, _), answer in zip(damaged, batch.ask([request for _, request in damaged])):
        tally.expect(group + ", tampered", f"{content}, {name}", answer, "decryption-failed")


def from_us(side, row, content, keys, batch, random, tally):
    group = f"us to {side.name}, row {row}"
    sent = [(key, random.randbytes(SIZES[number % len(SIZES)])) for number, key in enumerate(keys)]
    # the foreign implementations limit iterations to some ten thousand
    few = {"p2c": 8_192} if row in PASSWORDS else {}
    requests = [{"op": "jwe.encrypt", "key": public(key), "alg": row, "enc": content,
        "payload": b64u(payload), **few} for key, payload in sent]
    for (key, payload), answer in zip(sent, batch.ask(requests)):
        if not tally.expect(group, content, answer, "ok"):
            continue
        rows.check_opened(tally, group, content, payload,
            lambda: side.decrypt(key, answer["token"], row, content))


def run(josectl, folder, batch, random, tally, sides=("jwcrypto", "joserfc", "jose", "node-jose"),
        only=None, without=()):
    known = {"jwcrypto": lambda _: Jwcrypto(), "joserfc": lambda _: Joserfc(), "jose": Jose,
        "node-jose": lambda _: NodeJose()}
    for side in rows.chosen(known, folder, sides):
        kept = {}
        for row in [row for row in side.rows if row in (only or side.rows) and row not in without]:
            for content in side.contents:
                keys = keys_for(side, row, content, josectl, folder, kept)
                to_us(side, row, content, keys, batch, random, tally)
                from_us(side, row, content, keys, batch, random, tally)
