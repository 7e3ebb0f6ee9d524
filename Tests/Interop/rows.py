"""Shared by the two tables of entries: keys, corruption, and the check of what a foreign
implementation opened."""

import json
import os
import subprocess

import foreign


class Jose(foreign.JoseCommand):
    """Debian's `jose` with a key of any type."""

    def file(self, key):
        path = os.path.join(self.folder, "row.jwk")
        with open(path, "w") as file:
            json.dump(key, file)
        return path


def plain(key):
    """Only the key numbers. exchange.py checks metadata."""
    bound = key["kty"] == "AKP"  # alg is one of its members
    return {k: v for k, v in key.items() if k not in ("kid", "use", "alg", "key_ops")
        or (bound and k == "alg")}


def public(key):
    if key["kty"] == "oct":
        return key
    members = ("kty", "alg", "pub") if key["kty"] == "AKP" else ("kty", "crv", "x", "y", "n", "e")
    return {k: v for k, v in key.items() if k in members}


def our_key(josectl, folder, name, *options):
    """A key by `josectl keys new`, one for each name."""
    path = os.path.join(folder, f"{name}.jwks")
    if not os.path.exists(path):
        subprocess.run([josectl, "keys", "new", *options, "--out", path, "--public",
            path + ".public"],
                       check=True, stdout=subprocess.DEVNULL)
    with open(path) as file:
        return plain(json.load(file)["keys"][0])


def bit_flipped(raw, random):
    at = random.randrange(len(raw))
    return raw[:at] + bytes([raw[at] ^ 1 << random.randrange(8)]) + raw[at + 1:]


def check_opened(tally, group, what, payload, opened):
    """`opened` reads our token with the foreign implementation."""
    try:
        read = bytes(opened())
    except Exception as problem:  # a foreign exception is a failed check
        read = f"{type(problem).__name__}: {problem}"
    tally.check(group + ", opened", what, read == payload, f"read {read!r:.80}")


def chosen(known, folder, names):
    """The selected implementations that support the tables."""
    return [known[name](folder) for name in names if name in known]
