"""Tokens with keys in a PKCS#11 token, exchanged with foreign implementations.

`josectl keys new --token` generates keys of every kind that the token supports. What they sign by
`josectl batch` is verified by jwcrypto and cjose with the published key. The token decrypts what
jwcrypto and cjose encrypt to them, and rejects a changed bit with one code. Every algorithm of such
keys is exchanged with every implementation that supports it. JOSE_TEST_TOKEN_MODULE, _LABEL and
_PIN_FILE name the token.

Fails on a failed check, or on counts that are not those of expected-tokens.json (which `--update`
writes).
"""

import argparse
import json
import os
import pathlib
import random
import secrets
import subprocess
import sys
import tempfile

import encryption_rows
import foreign
import rows
import signature_rows
from batch import Batch, Tally, b64u, payload_of, unb64u
from encryption_rows import ECDH, MONTGOMERY, NIST
from signature_rows import CURVES

EXPECTED = pathlib.Path(__file__).parent / "expected-tokens.json"
SIZES = [0, 1, 600, 65_535]
SIGNATURES = {"RSA": signature_rows.RSA, **{curve: [] for curve in CURVES.values()}}
for row, curve in CURVES.items():
    SIGNATURES[curve].append(row)
OPENINGS = {"RSA": encryption_rows.RSA, **{curve: ECDH for curve in [*NIST, *MONTGOMERY]}}


class Cjose(foreign.Cjose):
    """libcjose with its full tables of keys and algorithms."""

    signatures = [*signature_rows.RSA, "ES256", "ES384", "ES512"]
    openings = {"RSA-OAEP", "ECDH-ES"}
    contents = ["A128CBC-HS256", "A192CBC-HS384", "A256CBC-HS512", "A256GCM"]

    def file(self, key):
        path = os.path.join(self.folder, "held-" + (key.get("n") or key["x"])[:24])
        with open(path, "w") as file:
            json.dump(key, file)
        return path

    def verify(self, key, token, row):
        return unb64u(self.ask("verify", self.file(key), token))

    def encrypt(self, key, payload, header):
        return self.ask(f"encrypt:{header['alg']}:{header['enc']}", self.file(key),
            b64u(payload) or "-")


class Jwcrypto:
    """Its two implementations in the tables of entries, as one."""

    name = "jwcrypto"
    signatures = [*signature_rows.Jwcrypto.rows, "Ed25519"]
    openings = set(encryption_rows.Jwcrypto.rows)
    contents = encryption_rows.Jwcrypto.contents
    encrypt = encryption_rows.Jwcrypto.encrypt

    def verify(self, key, token, row):
        return signature_rows.Jwcrypto().verify(key, token, row)


class Held:
    """The token, through josectl."""

    def __init__(self, josectl, module, label, pin_file):
        self.josectl, self.options = josectl, ["--module", module, "--pin-file", pin_file]
        self.place = "pkcs11:token=" + "".join(f"%{byte:02x}" for byte in label.encode())
        self.batch = Batch(josectl, *self.options, "--token", self.place)

    def new(self, use, kind):
        """The URI and the public JWK of a new key, or josectl's error if the token does not support
        it."""
        uri = f"{self.place};object={use}-{kind}-{secrets.token_hex(8)}"
        wanted = ["--bits", "2048"] if kind == "RSA" else ["--curve", kind]
        done = subprocess.run([self.josectl, "keys", "new", "--token", uri, "--use", use, *wanted,
            *self.options],
                              capture_output=True, text=True)
        if done.returncode != 0:
            return None, done.stderr.strip()
        return uri, rows.public(json.loads(done.stdout)["keys"][0])


def signed(held, sides, tally):
    """The other implementations verify what the token signs."""
    missing = []
    for kind, algorithms in SIGNATURES.items():
        uri, key = held.new("sig", kind)
        if not uri:
            missing.append((kind, "sig", key))
            continue
        for row in algorithms:
            sent = [secrets.token_bytes(size) for size in SIZES]
            answers = held.batch.ask(
                [{"op": "jws.sign", "key": uri, "alg": row, "payload": b64u(p)} for p in sent])
            for payload, answer in zip(sent, answers):
                if not tally.expect(f"token signs, {row}", f"{len(payload)} bytes", answer, "ok"):
                    continue
                for side in (side for side in sides if row in side.signatures):
                    rows.check_opened(tally, f"token to {side.name}, {row}",
                                      f"{kind}, {len(payload)} bytes", payload,
                                      lambda: side.verify(key, answer["token"], row))
    return missing


def opened(held, sides, random_source, tally):
    """The token decrypts what the others encrypt, and rejects what was changed."""
    missing = []
    for kind, algorithms in OPENINGS.items():
        uri, key = held.new("enc", kind)
        if not uri:
            missing.append((kind, "enc", key))
            continue
        for side in sides:
            requests, sent = [], []
            for row in (row for row in algorithms if row in side.openings):
                for number, content in enumerate(side.contents):
                    payload = secrets.token_bytes(SIZES[1 + number % 3])
                    token = side.encrypt(key, payload, {"alg": row, "enc": content})
                    requests.append({"op": "jwe.decrypt", "key": uri, "token": token, "algs": [row],
                        "encs": [content]})
                    sent.append((row, content, payload))
            for (row, content, payload), answer in zip(sent, held.batch.ask(requests)):
                group = f"{side.name} to token, {row}"
                if tally.expect(group, f"{kind}, {content}", answer, "ok"):
                    tally.check(group + ", payload", f"{kind}, {content}",
                        payload_of(answer) == payload, "another payload")
            damaged = [(row, name, {**request, "token": token}) for (row, _, _),
                       request in zip(sent, requests)
                       for name, token in encryption_rows.damages(request["token"], random_source)]
            for (row, name, _), answer in zip(damaged,
                    held.batch.ask([request for _, _, request in damaged])):
                tally.expect(f"{side.name} to token, {row}, tampered", f"{kind}, {name}", answer,
                    "decryption-failed")
    return missing


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--josectl", required=True)
    options.add_argument("--cjose", required=True, help="the program made from cjose_tool.c")
    options.add_argument("--seed", type=int, default=secrets.randbits(32))
    options.add_argument("--update", action="store_true")
    chosen = options.parse_args()
    print(f"tokens by held keys: seed {chosen.seed}")
    module, label, pin_file = (os.environ["JOSE_TEST_TOKEN_" + name]
        for name in ("MODULE", "LABEL", "PIN_FILE"))
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        held = Held(os.path.abspath(chosen.josectl), module, label, pin_file)
        sides = [Jwcrypto(), Cjose(os.path.abspath(chosen.cjose), folder)]
        missing = signed(held, sides, tally) + opened(held, sides, random.Random(chosen.seed),
            tally)
    for kind, use, why in missing:
        print(f"the token makes no key: {kind} for {use}: {why}")
    counts = dict(sorted(tally.passed.items())) | {f"no key of {kind} for {use}": 1 for kind, use,
        _ in missing}
    for failure in tally.failures[:100]:
        print(f"FAILED  {failure}")
    failed = len(tally.failures)
    if chosen.update and not failed:
        EXPECTED.write_text(json.dumps(counts, indent=2) + "\n")
    expected = json.loads(EXPECTED.read_text())
    for group in [group for group in expected | counts if expected.get(group) != counts.get(group)]:
        print(f"FAILED  count of '{group}': expected {expected.get(group)}, "
              f"got {counts.get(group)}")
        failed += 1
    names = {group.split(", ")[1] for group in tally.passed}
    print(f"tokens by held keys: {len(names)} algorithms with jwcrypto and cjose, "
          f"{sum(tally.passed.values())} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
