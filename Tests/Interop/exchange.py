"""Tokens both ways: the foreign implementations make tokens and josectl opens them, and the
reverse.

Payloads are random, from empty to a megabyte, bytes and non-ASCII text. Keys go both ways too: half
of the tokens use keys made by the foreign implementation, half keys made by `josectl keys new`,
given as single JWKs and inside JWK Sets. Corrupted tokens must be rejected with the code that
matches the corruption.
"""

import json
import math
import os
import subprocess

from batch import b64u, payload_of, unb64u
from foreign import ENC

TOKENS = 100  # for each implementation and job, each way
TAMPERED = slice(1, 13)  # the tokens (1 to 4096 bytes) that are then corrupted in every way
LARGEST = 1_000_000
NOW = 1_800_000_000
ISSUER, AUDIENCE = "https://op.example/ö", "client-1"

ALPHABETS = ["žluťoučký kůň ", "Ελληνικά ", "русский текст ", "漢字かな交じり文", "العربية ",
    "e\u0301n\u0303 ", "😀👩‍👩‍👧🇩🇪", "ascii "]


def payloads(random):
    """TOKENS payloads: sizes at block and limit boundaries, then sizes spread evenly over the
    magnitudes."""
    sizes = [0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 4096, 65_535, LARGEST]
    while len(sizes) < TOKENS:
        sizes.append(int(math.exp(random.uniform(0, math.log(LARGEST)))))
    for index, size in enumerate(sizes):
        if index % 2:
            yield random.randbytes(size)
        else:
            yield text(random, size).encode()


def text(random, size):
    """Text whose UTF-8 has about `size` bytes and at most LARGEST."""
    alphabet = random.choice(ALPHABETS)
    unit = alphabet.encode()
    return alphabet * (size // len(unit)) + "x" * (size % len(unit))


def claims(random, payload):
    """A claims object around a payload, with members of every JSON type."""
    return {
        "iss": ISSUER, "aud": random.choice([AUDIENCE, [AUDIENCE], ["other", AUDIENCE]]),
        "sub": "Alice Łukasz",
        "iat": NOW - 10, "exp": NOW + 300, "nonce": "n-" + str(random.random()),
        "data": b64u(payload), "text": text(random, random.randrange(200)),
        "\u00e9\n\"\\": "\u0001\u007f/",
        "list": [True, False, None, random.randrange(-2**53, 2**53), random.random(), [], {}],
        "object": {"a": {"b": {"c": "deep"}}},
    }


class Keys:
    """Four pairs (private, public): signing and encryption keys, ours and theirs."""

    def __init__(self, side, josectl, folder):
        self.josectl, self.folder = josectl, folder
        self.theirs = {
            "sig": side.new_key(
                **({} if side.name in ("jose",) else {"use": "sig", "kid": "their-sig"}))}
        self.theirs["enc"] = side.new_key(**{"use": "enc", "kid": "their-enc"}) if len(
            side.jobs) > 1 else None
        self.ours = {"sig": self.new("sig", "RS256"),
            "enc": {a: self.new("enc", a) for a in side.jobs if a != "RS256"}}
        self.others = [side.new_key()[1] for _ in range(2)]

    def new(self, use, alg):
        private, public = (os.path.join(self.folder, f"{use}-{alg}.{kind}")
            for kind in ("private", "public"))
        for path in (private, public):
            if os.path.exists(path):
                os.remove(path)
        subprocess.run([self.josectl, "keys", "new", "--use", use, "--alg", alg, "--bits", "2048",
                        "--out", private, "--public", public], check=True,
                        stdout=subprocess.DEVNULL)
        if os.stat(private).st_mode & 0o077:
            raise SystemExit("keys new: the private file is readable for others")
        with open(private) as a, open(public) as b:
            pair = json.load(a)["keys"][0], json.load(b)["keys"][0]
        if set(pair[1]) & {"d", "p", "q", "dp", "dq", "qi"}:
            raise SystemExit("keys new: private members in the public file")
        return pair

    def pair(self, job, index):
        use = "sig" if job == "RS256" else "enc"
        if index % 2 and self.theirs[use]:
            return self.theirs[use]
        return self.ours["sig"] if use == "sig" else self.ours["enc"][job]


def key_members(token, key, index, others):
    """A key for a request: alone, or in a set with others if the token has its kid."""
    if index % 3 == 0 and "kid" in json.loads(unb64u(token.split(".")[0])):
        return {"keys": {"keys": [*others, key]}}
    return {"key": key}


def header_of(job, key, index):
    header = {"alg": job} if job == "RS256" else {"alg": job, "enc": ENC}
    if "kid" in key and index % 3 != 2:
        header["kid"] = key["kid"]
    return header


# ---- theirs to ours

def read_request(job, token, private, public, index, keys):
    if job == "RS256":
        return {"op": "jws.verify", "token": token, "algs": ["RS256"],
            **key_members(token, public, index, keys.others)}
    return {"op": "jwe.decrypt", "token": token, "algs": ["RSA-OAEP", "RSA-OAEP-256"],
            "encs": [ENC], **key_members(token, private, index, [keys.ours["sig"][0]])}


def mint(side, keys, batch, random, tally):
    for job in side.jobs:
        group = f"{side.name} to us, {job}"
        requests, sent = [], []
        for index, payload in enumerate(payloads(random)):
            private, public = keys.pair(job, index)
            header = header_of(job, public, index)
            make, key = (side.sign, private) if job == "RS256" else (side.encrypt, public)
            token = make(key, payload, header)
            requests.append(read_request(job, token, private, public, index, keys))
            sent.append(payload)
        answers = batch.ask(requests)
        for payload, answer in zip(sent, answers):
            size = f"{len(payload)} bytes"
            if tally.expect(group, size, answer, "ok"):
                tally.check(group + ", payload", size, payload_of(answer) == payload,
                    "another payload")
        reject(f"{side.name} to us, {job}, tampered", requests[TAMPERED], keys, batch, random,
            tally)


def reject(group, requests, keys, batch, random, tally):
    """Every request again with its token corrupted. The kind of corruption determines the code."""
    damaged, wanted = [], []
    for request in requests:
        for name, token, code in damages(request["token"], random):
            damaged.append({**request, "token": token})
            wanted.append((name, code))
        if "key" in request:
            stranger = keys.others[0] if request["op"] == "jws.verify" else stranger_to(
                request["key"], keys)
            damaged.append({**request, "key": {k: v for k, v in stranger.items() if k != "kid"}})
            wanted.append(("another key", "signature-invalid" if request["op"] == "jws.verify"
                else "decryption-failed"))
    for (name, code), answer in zip(wanted, batch.ask(damaged)):
        tally.expect(group, name, answer, code)


def stranger_to(key, keys):
    pairs = [keys.theirs["enc"], *keys.ours["enc"].values()]
    other = next(private for private, _ in filter(None, pairs) if private["n"] != key["n"])
    return {k: v for k, v in other.items() if k != "alg"}


def damages(token, random):
    """(what was done, corrupted token, code) for a compact token."""
    parts = token.split(".")
    raw = [unb64u(part) for part in parts]
    failed = "signature-invalid" if len(parts) == 3 else "decryption-failed"

    def with_part(position, data):
        return ".".join(b64u(data) if i == position else part for i, part in enumerate(parts))

    def flipped(data):
        at = random.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:]

    for position in range(1, len(parts)):
        yield f"bit of part {position}", with_part(position, flipped(raw[position])), failed
        yield f"part {position} cut", with_part(position, raw[position][:-1]), failed
        yield f"part {position} longer", with_part(position, raw[position] + b"\0"), failed
        yield f"part {position} empty", with_part(position, b""), failed
    yield "space in the header", with_part(0, raw[0].replace(b"{", b"{ ", 1)), failed
    yield "padding", token + "=", "malformed"
    yield "newline", token + "\n", "malformed"
    yield "a part more", token + ".AA", "malformed"
    yield "a part less", token.rpartition(".")[0], "malformed"
    yield "header cut", with_part(0, raw[0][:-1]), "malformed"
    header = json.loads(raw[0])
    for alg in ["none", "RS384", "rs256", "HS256", "RSA1_5", "dir"]:
        yield f"alg {alg}", with_part(0,
            json.dumps({**header, "alg": alg}).encode()), "algorithm-not-allowed"
    if len(parts) == 5:
        yield "enc A128GCM", with_part(0,
            json.dumps({**header, "enc": "A128GCM"}).encode()), "algorithm-not-allowed"
        yield "zip", with_part(0,
            json.dumps({**header, "zip": "DEF"}).encode()), "algorithm-not-allowed"
    yield "crit", with_part(0,
        json.dumps({**header, "crit": ["x"], "x": 1}).encode()), "unsupported"


def mint_nested(side, keys, batch, random, tally):
    """Signed and then encrypted by the foreign implementation, opened in one call."""
    for job in [job for job in side.jobs if job != "RS256"]:
        group = f"{side.name} to us, nested {job}"
        requests, sent = [], []
        for index, payload in enumerate(payloads(random)):
            content = claims(random, payload)
            sign_private, sign_public = keys.pair("RS256", index)
            private, public = keys.pair(job, index // 2)
            inner = side.sign(sign_private,
                json.dumps(content, ensure_ascii=bool(index % 2)).encode(),
                header_of("RS256", sign_public, 0))
            header = {**header_of(job, public, 0),
                "cty": ["JWT", "jwt", "application/jwt"][index % 3]}
            token = side.encrypt(public, inner.encode(), header)
            requests.append(open_request(token, private, sign_public, content))
            sent.append(content)
        for content, answer in zip(sent, batch.ask(requests)):
            size = f"{len(content['data'])} characters"
            if tally.expect(group, size, answer, "ok"):
                tally.check(group + ", claims", size, answer["claims"] == content, "other claims")
        reject_nested(f"{side.name} to us, nested {job}, tampered", side, requests[TAMPERED], keys,
            batch, tally)


def open_request(token, private, sign_public, content):
    return {"op": "jwt.open", "token": token, "decryption_keys": {"keys": [private]},
        "verification_keys": {"keys": [sign_public]},
            "algs": ["RS256"], "key_algs": ["RSA-OAEP", "RSA-OAEP-256"], "encs": [ENC],
            "issuer": ISSUER,
            "audience": AUDIENCE, "nonce": content["nonce"], "required": ["exp", "iat", "sub"],
            "now": NOW}


def reject_nested(group, side, requests, keys, batch, tally):
    damaged, wanted = [], []

    def add(request, code, **changes):
        damaged.append({**request, **changes})
        wanted.append((", ".join(changes), code))

    for request in requests:
        head, ek, iv, ct, tag = request["token"].split(".")
        add(request, "decryption-failed", token=".".join([head, ek, iv, ct, b64u(bytes(16))]))
        add(request, "decryption-failed", token=".".join([head, b64u(bytes(256)), iv, ct, tag]))
        add(request, "malformed", layers=["signed"])
        add(request, "claim-rejected exp", now=NOW + 361)
        add(request, "claim-rejected iat", now=NOW - 72)
        add(request, "claim-rejected iss", issuer=ISSUER + "/")
        add(request, "claim-rejected aud", audience="client-2")
        add(request, "claim-rejected nonce", nonce="n-0")
        add(request, "claim-rejected jti", required=["exp", "jti"])
        add(request, "algorithm-not-allowed",
            key_algs=["RSA-OAEP-256" if alg_of(head) == "RSA-OAEP" else "RSA-OAEP"])
        # a key without kid does not match a token's kid, but a token without kid is tried with it
        add(request, "signature-invalid" if side.name == "cjose" else "key-not-found",
            verification_keys={"keys": [keys.others[0]]})
    for (name, code), answer in zip(wanted, batch.ask(damaged)):
        tally.expect(group, name, answer, code)


def alg_of(head):
    return json.loads(unb64u(head))["alg"]


# ---- ours to theirs

def give(side, keys, batch, random, tally):
    for job in side.jobs:
        group = f"us to {side.name}, {job}"
        requests, sent = [], []
        for index, payload in enumerate(payloads(random)):
            if not payload and job != "RS256" and not side.opens_empty_plaintext:
                continue
            private, public = keys.pair(job, index)
            body = {"payload_text": payload.decode()} if index % 4 == 0 else {
                "payload": b64u(payload)}
            if job == "RS256":
                requests.append({"op": "jws.sign", "key": private, "alg": job, **body})
            else:
                requests.append({"op": "jwe.encrypt", "key": public, "alg": job, "enc": ENC,
                    **body})
            sent.append((payload, private, public))
        for (payload, private, public), answer in zip(sent, batch.ask(requests)):
            size = f"{len(payload)} bytes"
            if not tally.expect(group, size, answer, "ok"):
                continue
            token = answer["token"]
            read = opened(side.verify, public, token) if job == "RS256" else opened(side.decrypt,
                private, token)
            tally.check(group + ", opened", size, read == payload, f"read {read!r:.80}")
            header = json.loads(unb64u(token.split(".")[0]))
            tally.check(group + ", header", size, header == header_of(job, public, 0),
                f"header {header}")


def give_nested(side, keys, batch, random, tally):
    for job in [job for job in side.jobs if job != "RS256"]:
        group = f"us to {side.name}, nested {job}"
        requests, sent = [], []
        for index, payload in enumerate(payloads(random)):
            content = claims(random, payload)
            sign_private, sign_public = keys.pair("RS256", index)
            private, public = keys.pair(job, index // 2)
            requests.append({"op": "jwt.seal", "signing_key": sign_private,
                             "encryption_key": public, "claims": content,
                             "alg": "RS256", "key_alg": job, "enc": ENC})
            sent.append((content, private, sign_public))
        for (content, private, sign_public), answer in zip(sent, batch.ask(requests)):
            size = f"{len(content['data'])} characters"
            if not tally.expect(group, size, answer, "ok"):
                continue
            inner = opened(side.decrypt, private, answer["token"])
            read = opened(side.verify, sign_public, inner.decode()) if isinstance(inner,
                bytes) else inner
            good = isinstance(read, bytes) and json.loads(read) == content
            tally.check(group + ", opened", size, good, f"read {read!r:.80}")
            outer = json.loads(unb64u(answer["token"].split(".")[0]))
            tally.check(group + ", cty", size, outer.get("cty") == "JWT", f"header {outer}")


def opened(read, key, token):
    """The payload as the foreign implementation reads it, or its error."""
    try:
        return bytes(read(key, token))
    except Exception as problem:  # a foreign exception is a failed check
        return f"{type(problem).__name__}: {problem}"


def run(sides, josectl, folder, batch, random, tally):
    for side in sides:
        keys = Keys(side, josectl, folder)
        mint(side, keys, batch, random, tally)
        mint_nested(side, keys, batch, random, tally)
        give(side, keys, batch, random, tally)
        give_nested(side, keys, batch, random, tally)
