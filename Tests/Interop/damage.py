"""Random corruption: valid tokens with a few characters changed, inserted, removed or moved must be
rejected.

The code is not checked, except that it blames the token: no `internal` and no `misuse`.
"""

import json

from batch import verdict
from exchange import ENC
from foreign import Jwcrypto

ROUNDS = 1500  # corrupted tokens of each kind
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
STRANGERS = ".=+/ \n\0\"\\{}é€😀"
BLAMES = {"malformed", "limit-exceeded", "unsupported", "algorithm-not-allowed", "key-unusable",
          "key-not-found", "signature-invalid", "decryption-failed"}


def damaged(token, random):
    for _ in range(random.choice((1, 1, 1, 2, 5))):
        at, length = random.randrange(len(token)), random.choice((1, 1, 2, 8, 100))
        head, part, tail = token[:at], token[at:at + length], token[at + length:]
        letters = ALPHABET if random.random() < 0.8 else STRANGERS
        token = random.choice((
            lambda: head + "".join(random.choice(letters) for _ in part) + tail,
            lambda: head + random.choice(letters) + part + tail,
            lambda: head + tail,
            lambda: head + part + part + tail,
            lambda: tail + part + head,
            lambda: head + part[::-1] + tail,
            lambda: head,
        ))() or "."
    return token


def run(batch, random, tally):
    side = Jwcrypto()
    (sign_key, sign_public), (private, public) = side.new_key(kid="s"), side.new_key(kid="e")
    claims = json.dumps({"iss": "i", "aud": "a", "exp": 2_000_000_000, "sub": "Ø"}).encode()
    jws = side.sign(sign_key, claims, {"alg": "RS256", "kid": "s"})
    header = {"alg": "RSA-OAEP-256", "enc": ENC, "kid": "e", "cty": "JWT"}
    kinds = {
        "jws.verify": {"token": jws, "keys": {"keys": [sign_public]}, "algs": ["RS256"]},
        "jwe.decrypt": {"token": side.encrypt(public, claims, header), "key": private,
            "algs": ["RSA-OAEP-256"], "encs": [ENC]},
        "jwt.open": {"token": side.encrypt(public, jws.encode(), header),
            "decryption_keys": {"keys": [private]}, "algs": ["RS256"],
                     "verification_keys": {"keys": [sign_public]}, "key_algs": ["RSA-OAEP-256"],
                     "encs": [ENC], "issuer": "i", "audience": "a", "now": 1_800_000_000},
    }
    for op, request in kinds.items():
        good = request["token"]
        tokens = [good]
        while len(tokens) <= ROUNDS:
            token = damaged(good, random)
            if token != good:
                tokens.append(token)
        answers = batch.ask([{"op": op, **request, "token": token} for token in tokens])
        tally.expect(f"random damage, {op}", "as it was", answers[0], "ok")
        for token, answer in zip(tokens[1:], answers[1:]):
            tally.check(f"random damage, {op}", token, verdict(answer) in BLAMES,
                f"got {verdict(answer)}")
