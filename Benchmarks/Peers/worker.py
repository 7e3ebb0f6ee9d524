"""What every Python worker shares: the fixed inputs, and the loop that times on request.

A worker says `ready NAME VERSION OP...`, then answers each line `OP COUNT` with the nanoseconds that
COUNT repetitions took. The programs in C, JavaScript and Swift speak the same.
"""

import json
import pathlib
import sys
import time

ISSUER = "https://idp.example.com"
AUDIENCE = "s6BhdRkqt3"
SIGNED = {"alg": "RS256", "kid": "sig-2048", "typ": "JWT"}
SEALED = {"alg": "RSA-OAEP", "enc": "A128CBC-HS256", "kid": "enc-2048"}
NESTED = {**SEALED, "cty": "JWT"}


class Inputs:
    """The files that `Bench fixtures` wrote."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.signing = json.loads(self.text("sig-private.json"))
        self.verifying = json.loads(self.text("sig-public.json"))
        self.decrypting = json.loads(self.text("enc-private.json"))
        self.encrypting = json.loads(self.text("enc-public.json"))
        self.key_set = self.text("jwks10.json")
        self.claims_text = self.bytes("claims.json")
        self.claims = json.loads(self.claims_text)
        self.small = self.bytes("payload-600.txt")
        self.large = self.bytes("payload-65536.txt")
        self.jws = self.text("jws.txt")
        self.jwe_small = self.text("jwe-600.txt")
        self.jwe_large = self.text("jwe-65536.txt")
        self.nested = self.text("nested.txt")
        self.picked = "sig-2048"

    def bytes(self, name):
        return (self.folder / name).read_bytes()

    def text(self, name):
        return self.bytes(name).decode()


def serve(name, version, operations):
    """Runs every operation once, so that a broken one shows, and then on request."""
    able = []
    for operation, work in operations.items():
        try:
            work()
            able.append(operation)
        except Exception as error:  # the table then says that this library cannot
            print(f"{name} {operation}: {type(error).__name__}: {error}", file=sys.stderr)
    print("ready", name, version, *able, flush=True)
    for line in sys.stdin:
        operation, count = line.split()
        work = operations[operation]
        start = time.perf_counter_ns()
        for _ in range(int(count)):
            work()
        print(time.perf_counter_ns() - start, flush=True)
