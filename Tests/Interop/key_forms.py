"""Unusual keys: other sizes, without their primes, with a small exponent. Also the results of
`jwk.parse`, `jwks.parse` and `thumbprint`, compared with jwcrypto."""

import jwcrypto.jwk
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa

from batch import b64u, payload_of
from foreign import ENC

HASHES = {"sha-256": hashes.SHA256(), "sha-384": hashes.SHA384(), "sha-512": hashes.SHA512()}
PRIMES = ("p", "q", "dp", "dq", "qi")
# A modulus of 2,050 bits uses only two bits of its first byte, which shifts its OAEP block.
FORMS = [(2048, False), (2050, True), (2051, False), (3072, True), (4096, False), (4096, True)]


def made(bits, exponent=65537):
    key = jwcrypto.jwk.JWK.from_pyca(rsa.generate_private_key(exponent, bits))
    return key.export_private(as_dict=True), key.export_public(as_dict=True), key


def run(side, batch, tally):
    for bits, with_primes in FORMS:
        private, public, key = made(bits)
        group = "keys of other forms"
        if not with_primes:  # only n, e and d: the primes are recovered
            private = {k: v for k, v in private.items() if k not in PRIMES}
        name = f"{bits} bits, {'with' if with_primes else 'without'} primes"
        whole = key.export_private(as_dict=True)
        payload = bytes(range(256))
        signed, sealed = batch.ask([
            {"op": "jws.sign", "key": private, "alg": "RS256", "payload": b64u(payload)},
            {"op": "jwe.encrypt", "key": public, "alg": "RSA-OAEP-256", "enc": ENC,
                "payload": b64u(payload)}])
        if tally.expect(group, name + ", sign", signed, "ok"):
            tally.check(group, name + ", theirs verifies",
                side.verify(public, signed["token"]) == payload)
        if tally.expect(group, name + ", encrypt", sealed, "ok"):
            tally.check(group, name + ", theirs decrypts",
                side.decrypt(whole, sealed["token"]) == payload)
        theirs = side.encrypt(public, payload, {"alg": "RSA-OAEP", "enc": ENC})
        opened, = batch.ask(
            [{"op": "jwe.decrypt", "key": private, "token": theirs, "algs": ["RSA-OAEP"],
                "encs": [ENC]}])
        tally.check(group, name + ", decrypt", opened.get("ok") and payload_of(opened) == payload,
            f"{opened}")
        documents(private, public, key, name, batch, tally)
    small(batch, tally)


def documents(private, public, key, name, batch, tally):
    group = "key documents"
    asked = [{"op": "jwk.parse", "jwk": public}, {"op": "jwk.parse", "jwk": private},
             {"op": "jwks.parse",
                 "jwks": {"keys": [{**public, "kid": "a"}, {"kty": "new"},
                     {**public, "kid": "b"}]}}]
    asked += [{"op": "thumbprint", "jwk": jwk, "hash": hash} for hash in HASHES
        for jwk in (public, private)]
    read_public, read_private, read_set, *prints = batch.ask(asked)
    for read, is_private in ((read_public, False), (read_private, True)):
        good = read.get("kty") == "RSA" and read.get("private") is is_private and read.get(
            "thumbprint") == key.thumbprint()
        published = read.get("public", {})
        good = good and {k: published.get(k) for k in ("kty", "n", "e")} == {k: public[k]
            for k in ("kty", "n", "e")}
        tally.check(group, f"{name}, private {is_private}",
            good and not set(published) & {"d", *PRIMES}, f"{read}"[:200])
    kids = [k.get("kid") for k in read_set.get("keys", [])]
    skipped = [k.get("index") for k in read_set.get("skipped", [])]
    tally.check(group, name + ", set", (kids, skipped) == (["a", "b"], [1]), f"{read_set}"[:200])
    wanted = [key.thumbprint(algorithm) for algorithm in HASHES.values() for _ in range(2)]
    tally.check(group, name + ", thumbprints", [p.get("thumbprint") for p in prints] == wanted,
        f"{prints}"[:200])
    uris = [f"urn:ietf:params:oauth:jwk-thumbprint:{hash}:{key.thumbprint(HASHES[hash])}"
        for hash in HASHES for _ in range(2)]
    tally.check(group, name + ", thumbprint URIs", [p.get("uri") for p in prints] == uris,
        f"{prints}"[:200])


def small(batch, tally):
    """A real key with exponent 3, and a real one of 1,024 bits: both are read, and are unusable."""
    group = "keys that are rejected"
    for name, (private, public, key) in [("exponent 3", made(2048, 3)), ("1024 bits", made(1024))]:
        for op, members in [("jwk.parse", {"jwk": public}), ("jwk.parse", {"jwk": private}),
                            ("jws.sign", {"key": private, "alg": "RS256", "payload": ""}),
                            ("jwe.encrypt",
                                {"key": public, "alg": "RSA-OAEP", "enc": ENC, "payload": ""})]:
            tally.expect(group, f"{name}, {op}", batch.ask([{"op": op, **members}])[0],
                "key-unusable")
