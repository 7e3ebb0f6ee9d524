"""Known answers of ML-DSA key generation from the package cryptography_vectors: each seed leads to
its public key, and to no other."""

import hashlib
import json
import pathlib

import cryptography_vectors

from batch import b64u

FOLDER = pathlib.Path(cryptography_vectors.__file__).parent / "asymmetric" / "MLDSA"


def answers(size):
    """(seed, public key) of each."""
    seed = None
    for line in (FOLDER / f"kat_MLDSA_{size}_det_pure.rsp").read_text().splitlines():
        name, _, value = line.partition(" = ")
        if name == "xi":
            seed = bytes.fromhex(value)
        elif name == "pk":
            yield seed, bytes.fromhex(value)


def thumbprint(jwk):
    members = {name: jwk[name] for name in ("alg", "kty", "pub")}
    return b64u(hashlib.sha256(json.dumps(members, separators=(",", ":")).encode()).digest())


def run(batch, tally, names):
    for name in sorted(names):
        known = list(answers(name.rpartition("-")[2]))
        keys = [{"kty": "AKP", "alg": name, "pub": b64u(pub), "priv": b64u(seed)} for seed,
            pub in known]
        group = f"FIPS 204, seeds and keys, {name}"
        for key, answer in zip(keys, batch.ask([{"op": "jwk.parse", "jwk": key} for key in keys])):
            if tally.expect(group, "the key of its seed", answer, "ok"):
                tally.check(group, "its thumbprint", answer["thumbprint"] == thumbprint(key),
                    answer["thumbprint"])
        others = [{**key, "priv": other["priv"]} for key, other in zip(keys, keys[1:] + keys[:1])]
        for answer in batch.ask([{"op": "jwk.parse", "jwk": key} for key in others]):
            tally.expect(group, "another seed", answer, "key-unusable")
