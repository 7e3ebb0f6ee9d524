"""Writes Vectors/verdicts.json: exactly one error code for each hostile input.

A verdict follows from the number of the attack class (the `catalogue` member) or, for the cases
derived from the specifications, from the mutation that the id names. Where two codes would be
correct, the choice is made here once, with its reason in a comment. If one input has several
defects, the first check decides: length, part count, header text, header JSON, `crit`, `alg` and
`enc`, key, then the values. An invalid format (`malformed`) comes before an unsupported feature
(`unsupported`).

    python3 Tests/Interop/make_verdicts.py           writes the file
    python3 Tests/Interop/make_verdicts.py --check   fails if the file differs
"""

import base64
import json
import pathlib
import re
import sys

VECTORS = pathlib.Path(__file__).resolve().parents[2] / "Vectors"
FILE = VECTORS / "verdicts.json"

MALFORMED = "malformed"
LIMIT = "limit-exceeded"
UNSUPPORTED = "unsupported"
ALGORITHM = "algorithm-not-allowed"
KEY = "key-unusable"
NO_KEY = "key-not-found"
UNTRUSTED = "untrusted-key"
SIGNATURE = "signature-invalid"
DECRYPTION = "decryption-failed"
REPLAYED = "replayed"


# Defects in documents of others that the rules tolerate: nothing is rejected.
ACCEPTED = "accepted"


def claim(name):
    return f"claim-rejected {name}"


# ---- attacks.json and x5c.json: by catalogue number, then by id if one class has several codes
# codes

BY_CATALOGUE = {
    1: ALGORITHM, 2: ALGORITHM, 3: ALGORITHM, 4: ALGORITHM, 5: MALFORMED,
    6: KEY, 7: KEY, 8: KEY, 9: KEY, 12: SIGNATURE,
    # The class says `keyUnusable` for an unknown kid. The rules chose `keyNotFound`.
    14: NO_KEY,
    17: MALFORMED,
    # Keys and key locations in a token are ignored, so the signature fails.
    19: SIGNATURE, 20: SIGNATURE, 21: SIGNATURE, 22: SIGNATURE,
    23: claim("typ"), 24: MALFORMED,
    25: MALFORMED, 26: MALFORMED, 27: MALFORMED, 28: MALFORMED, 29: MALFORMED, 30: MALFORMED,
    31: MALFORMED, 32: MALFORMED, 33: MALFORMED, 34: MALFORMED, 35: MALFORMED, 36: MALFORMED,
    38: MALFORMED, 39: MALFORMED, 40: MALFORMED, 41: LIMIT, 42: claim("exp"), 44: MALFORMED,
    45: MALFORMED,
    58: UNTRUSTED, 59: KEY, 60: UNTRUSTED, 61: UNTRUSTED, 62: UNTRUSTED, 63: UNTRUSTED,
    64: UNTRUSTED, 65: UNTRUSTED, 66: UNTRUSTED, 67: UNTRUSTED, 68: UNTRUSTED, 69: UNTRUSTED,
    70: KEY, 71: KEY, 72: LIMIT, 73: UNTRUSTED, 74: MALFORMED,
    75: DECRYPTION, 76: DECRYPTION, 77: DECRYPTION, 78: DECRYPTION, 80: ALGORITHM, 81: DECRYPTION,
    82: DECRYPTION, 83: ALGORITHM, 84: LIMIT,
    # An unexpected encrypted key is an invalid value, not an invalid format.
    86: DECRYPTION,
    88: ALGORITHM, 92: MALFORMED, 93: MALFORMED,
    # A verifier that expects one layer of each kind finds an inner token of the wrong form. It
    # never counts layers, so no limit is reached.
    94: MALFORMED,
    96: claim("aud"), 98: MALFORMED, 99: claim("exp"), 101: claim("aud"), 102: claim("iss"),
    103: claim("sub"), 104: claim("nonce"), 105: claim("azp"), 106: claim("at_hash"),
    107: REPLAYED, 108: claim("exp"), 110: NO_KEY, 111: KEY, 112: KEY, 113: MALFORMED,
}

BY_ATTACK = {
    # Another JSON type is malformed. Any other string is an algorithm that is not allowed.
    "s001-none-null": MALFORMED,
    "s006-alg-number": MALFORMED, "s007-use-array": MALFORMED,
    "s008-ops-dup": MALFORMED, "s008-ops-string": MALFORMED,
    "s014-kid-number": MALFORMED, "s014-kid-null": MALFORMED, "s014-kid-array": MALFORMED,
    "s014-kid-object": MALFORMED, "s014-kid-bool": MALFORMED,
    # 70,000 characters: over the limit of the header before any key lookup.
    "s014-kid-long": LIMIT,
    # A JWT has no critical extensions (RFC 7797 section 7 excludes b64), so a listed one is
    # unknown.
    "s018-b64-false-crit": UNSUPPORTED,
    # b64 without crit violates RFC 7797 section 6, whatever the verifier supports.
    "s018-b64-false-no-crit": MALFORMED,
    "s023-typ-number": MALFORMED,
    # NUL is a character like any other: the value differs, and nothing is truncated.
    "s037-iss-nul": claim("iss"), "s037-aud-nul": claim("aud"), "s037-alg-nul": ALGORITHM,
    "s037-raw-nul-header": MALFORMED, "s037-raw-nul-claims": MALFORMED,
    "s037-name-nul": MALFORMED,  # so `alg` is missing
    "s046-one-of-two-bad": SIGNATURE,
    "s046-only-attacker": NO_KEY,  # its kid matches none of our keys
    "x5c-rsa-1024-leaf": KEY,  # the key itself is too short; in a CA it is the chain's defect
    "x5c-x5t-length": MALFORMED,
    # Compression enabled: an unknown zip name is not allowed, like an unknown alg. An invalid
    # stream in an authentic token is malformed.
    "s083-bomb-1mb": LIMIT, "s083-bomb-16mb": LIMIT, "s083-zip-number": MALFORMED,
    "s083-zip-zlib": MALFORMED, "s083-zip-trailing": MALFORMED, "s083-zip-truncated": MALFORMED,
    # p2c is a positive integer (RFC 7518 4.8.1.2) and p2s has at least 8 bytes (4.8.1.1): other
    # values are malformed, integers outside 1,000 to 1,000,000 exceed the limits.
    "s084-p2c-zero": MALFORMED, "s084-p2c-minus": MALFORMED, "s084-p2c-string": MALFORMED,
    "s084-p2c-float": MALFORMED, "s084-p2c-null": MALFORMED, "s084-p2s-short": MALFORMED,
    "s095-inner-none": ALGORITHM, "s095-inner-hs256": ALGORITHM, "s095-inner-rs512": ALGORITHM,
    "s095-inner-attacker": SIGNATURE, "s095-inner-sig-broken": SIGNATURE,
    "s096-expired-inner": claim("exp"),
    "s097-replicated-iss": claim("iss"), "s097-replicated-aud": claim("aud"),
    "s097-replicated-sub": claim("sub"),
    # The other audience is not trusted, whatever azp is.
    "s105-multi-aud-no-azp": claim("aud"), "s105-azp-other": claim("aud"),
    "s107-jti-number": claim("jti"), "s107-jti-missing": claim("jti"),
    "s108-iat-missing": claim("iat"),
    # A set without keys is well-formed: the token's key is not found.
    "s113-form-empty": NO_KEY,
    # An entry that is not an object, or has a duplicate member, is skipped: the token's key is not
    # found.
    "s113-form-key-null": NO_KEY, "s113-form-key-array": NO_KEY, "s027-dup-member": KEY,
    # null means absent, so there is no chain.
    "x5c-form-null": UNTRUSTED,
}


def attack(case, name):
    if name in BY_ATTACK:
        return BY_ATTACK[name]
    number = case["catalogue"]
    if number == 16:
        return crit(header(case["input"]["compact"]))
    if number == 100:
        return claim(name.split("-")[1])
    return BY_CATALOGUE[number]


# ---- the cases derived from the specifications: by mutation (the part of the id after the last
# dot)

BY_MUTATION = {
    # JWS: malformed text of the header or the signature is malformed. Corrupted payload text only
    # breaks the signature: the payload is not decoded before the signature is verified.
    "header-space": SIGNATURE, "header-bit": MALFORMED, "payload-first-bit": SIGNATURE,
    "payload-last-bit": SIGNATURE, "payload-empty": SIGNATURE, "payload-noncanonical": SIGNATURE,
    "sig-first-bit": SIGNATURE, "sig-middle-bit": SIGNATURE, "sig-last-bit": SIGNATURE,
    "sig-truncated": SIGNATURE, "sig-extended": SIGNATURE, "sig-leading-zero": SIGNATURE,
    "sig-empty": SIGNATURE, "sig-zero": SIGNATURE, "wrong-key": SIGNATURE,
    "der-signature": SIGNATURE,
    "r-zero": SIGNATURE, "s-zero": SIGNATURE, "r-is-n": SIGNATURE, "s-is-n": SIGNATURE,
    "s-plus-l": SIGNATURE, "sig-bit": SIGNATURE, "payload-bit": SIGNATURE,
    "second-sig-bit": SIGNATURE, "other-payload": SIGNATURE,
    "padding": MALFORMED, "sig-noncanonical": MALFORMED, "std-alphabet": MALFORMED,
    "whitespace": MALFORMED, "leading-space": MALFORMED, "trailing-newline": MALFORMED,
    "extra-segment": MALFORMED, "two-segments": MALFORMED, "four-segments": MALFORMED,
    "header-array": MALFORMED, "header-empty": MALFORMED, "header-utf8": MALFORMED,
    "header-dup-alg": MALFORMED, "header-trailing": MALFORMED,
    # JSON serializations. Algorithms outside the protected header are malformed.
    "header-overlap": MALFORMED, "both-forms": MALFORMED, "unprotected-none": MALFORMED,
    "alg-unprotected-only": MALFORMED, "payload-missing": MALFORMED, "signature-missing": MALFORMED,
    "crit-unprotected": MALFORMED, "no-signatures": MALFORMED, "both-payloads": MALFORMED,
    "kid-unknown-alg-none": MALFORMED,  # alg in both headers
    "zip-unprotected": MALFORMED, "no-recipients": MALFORMED, "enc-differs": MALFORMED,
    "unprotected-b64": MALFORMED,
    # b64
    "no-crit": MALFORMED, "crit-other": MALFORMED, "b64-string": MALFORMED, "b64-null": MALFORMED,
    "dot-in-payload": MALFORMED, "jwt": UNSUPPORTED,
    # JWE: every invalid value is the same failure.
    "six-segments": MALFORMED, "tag-noncanonical": MALFORMED, "header-dup-enc": MALFORMED,
    "enc-missing": MALFORMED, "swap-enc": ALGORITHM,
    "swap-alg-none": ALGORITHM, "swap-alg-none-keep-sig": ALGORITHM,
    # ECDH-ES: an ephemeral key of the wrong type is an invalid header. One of the right type that
    # is not a point of the recipient's curve is an invalid value.
    "epk-not-on-curve": DECRYPTION, "epk-zero": DECRYPTION, "epk-one": DECRYPTION,
    "epk-x-too-big": DECRYPTION, "epk-other-curve": DECRYPTION, "epk-okp": DECRYPTION,
    "epk-short": MALFORMED, "epk-long": MALFORMED, "epk-no-y": MALFORMED, "epk-y": MALFORMED,
    # Keys: a missing or misspelt member is malformed. A well-formed key with a wrong kind, curve,
    # size or exponent, or with inconsistent members, is unusable.
    "leaf-mismatch": KEY, "leaf-mismatch-e": KEY, "x5t-mismatch": KEY, "x5t-s256-mismatch": KEY,
    "rsa-no-n": MALFORMED, "rsa-no-e": MALFORMED, "rsa-kty-case": KEY, "rsa-kty-missing": MALFORMED,
    "rsa-n-number": MALFORMED, "rsa-e-1": KEY, "rsa-e-even": KEY, "rsa-e-0": KEY,
    # RFC 7518 6.3.1.1 mentions producers that prefix n with a zero byte: it is removed.
    "rsa-e-leading-zero": ACCEPTED, "rsa-n-leading-zero": ACCEPTED, "rsa-n-even": KEY,
    "rsa-n-empty": MALFORMED, "rsa-n-padded": MALFORMED, "rsa-n-512": KEY, "rsa-n-1024": KEY,
    "rsa-n-2047": KEY, "rsa-n-32768": KEY, "rsa-e-huge": KEY, "rsa-n-std-base64": MALFORMED,
    "ec-x-bit": KEY, "ec-short-x": MALFORMED, "ec-long-x": MALFORMED, "ec-crv-missing": MALFORMED,
    "ec-crv-unknown": KEY, "ec-crv-case": KEY, "ec-d-zero": KEY, "ec-d-order": KEY,
    "ec-d-other": KEY, "ec-d-short": MALFORMED,
    # alg determines the length of pub: another parameter set's name makes the length wrong, another
    # family's makes the key unusable.
    "akp-alg-missing": MALFORMED, "akp-alg-number": MALFORMED, "akp-alg-unknown": KEY,
    "akp-alg-case": KEY,
    "akp-alg-other": MALFORMED, "akp-kty-case": KEY, "akp-pub-missing": MALFORMED,
    "akp-pub-missing-private": MALFORMED,
    "akp-pub-empty": MALFORMED, "akp-pub-short": MALFORMED, "akp-pub-long": MALFORMED,
    "akp-pub-padded": MALFORMED,
    "akp-priv-empty": MALFORMED, "akp-priv-short": MALFORMED, "akp-priv-long": MALFORMED,
    "akp-priv-expanded": MALFORMED, "akp-priv-other": KEY,
    # A PKCE verifier or challenge is malformed text, or does not match. A mismatched hash or
    # thumbprint is reported under the name of the value that it protects.
    "short": MALFORMED, "long": MALFORMED, "charset": MALFORMED, "empty": MALFORMED,
    "nul": MALFORMED, "plain-as-s256": claim("code_challenge"), "padded": claim("code_challenge"),
    "right-half": claim("at_hash"), "whole": claim("at_hash"),
    "other-key": KEY, "unknown-hash": UNSUPPORTED,
}


# DPoP proofs: the header, the key, the signature, then the claims. A proof by another key than the
# token's is rejected before any computation with that key.
BY_PROOF = {
    "method-other": claim("htm"), "method-case": claim("htm"), "url-host": claim("htu"),
    "url-path": claim("htu"), "url-path-case": claim("htu"), "url-port": claim("htu"),
    "url-dots": claim("htu"), "token-other": claim("ath"), "key-bound-other": claim("cnf"),
    "late": claim("iat"), "early": claim("iat"), "nonce-missing": claim("nonce"),
    "alg-policy": ALGORITHM, "at-resource-without-ath": claim("ath"), "payload-jti": SIGNATURE,
    "sig-first-bit": SIGNATURE, "sig-empty": SIGNATURE, "two-segments": MALFORMED,
    "two-proofs": MALFORMED, "padding": MALFORMED, "typ-missing": claim("typ"),
    "typ-jwt": claim("typ"), "typ-access-token": claim("typ"), "alg-none": ALGORITHM,
    "alg-hs256": ALGORITHM, "alg-missing": MALFORMED, "alg-other-key": KEY, "jwk-missing": NO_KEY,
    "jwk-text": MALFORMED, "jwk-private": KEY, "jwk-symmetric": KEY, "jwk-curve-other": KEY,
    "jwk-off-curve": KEY, "jwk-use-enc": KEY, "jwk-rsa-e-3": KEY, "jwk-rsa-e-65539": KEY,
    "jwk-rsa-4104": KEY, "jwk-rsa-1024": KEY, "wrong-key": SIGNATURE, "crit": UNSUPPORTED,
    "header-dup-jwk": MALFORMED, "jti-missing": claim("jti"), "htm-missing": claim("htm"),
    "htu-missing": claim("htu"), "iat-missing": claim("iat"), "ath-missing": claim("ath"),
    "jti-empty": claim("jti"), "jti-long": claim("jti"), "jti-number": claim("jti"),
    "htm-array": claim("htm"), "htu-number": claim("htu"), "htu-http": claim("htu"),
    "htu-relative": claim("htu"), "htu-userinfo": claim("htu"), "iat-text": claim("iat"),
    "iat-null": claim("iat"), "exp-over": claim("exp"), "ath-hex": claim("ath"),
    "ath-number": claim("ath"), "claims-dup": MALFORMED, "claims-array": MALFORMED,
}


def derived(case, name):
    mutation = name.split(".")[-1]
    kind = case["kind"]
    if kind == "dpop":
        return BY_PROOF[mutation]
    if kind == "base64url":
        return MALFORMED
    if kind == "aead":
        # The length of the content encryption key included (RFC 7516 section 11.5).
        return DECRYPTION
    if kind == "jwk-x5c" and mutation.startswith("x5c-"):
        return ACCEPTED  # with a trust rule malformed (kind jwk-x5c-trust)
    if kind == "jwk" and mutation.startswith("rsa-priv-"):
        return KEY
    if name == "rfc7515-e-crit":
        return crit(header(case["input"]["compact"]))  # before alg, which is `none` here
    if mutation == "kid-unknown-alg-none" and name.startswith("rfc7520-4.7"):
        return ALGORITHM  # alg is only in the unprotected header, as the example allows
    if kind == "jws" and (mutation.startswith(("swap-alg-", "hs256-keyed-", "case-"))):
        return ALGORITHM
    if kind in ("jwe", "jwe-json"):
        return encrypted(case, name, mutation)
    return BY_MUTATION[mutation]


# Malformed text of a compact JWE, detected before or after `alg` is checked.
HEADER_FAULTS = {"four-segments", "six-segments", "header-dup-enc", "enc-missing"}


def encrypted(case, name, mutation):
    if mutation in HEADER_FAULTS:
        return MALFORMED
    if mutation == "unknown-crit":
        return crit(header(case["input"].get("compact") or case["input"]["json"]["protected"]))
    if re.match(r"swap-(alg|enc)", mutation):
        return ALGORITHM
    if case["input"].get("alg") == "RSA1_5":
        return ALGORITHM  # not implemented on purpose; rejected before any value is read
    if mutation in ("padding", "tag-noncanonical", "whitespace"):
        return MALFORMED
    if BY_MUTATION.get(mutation) == MALFORMED:
        return MALFORMED
    if re.match(
            r"(ek|iv|ct|tag|aad)-|wrong-key|header-space|protected-space|ciphertext-bit|"
            r"encrypted-key-bit", mutation):
        return DECRYPTION
    raise SystemExit(f"no rule for {name}")


# ---- crit: RFC 7515 section 4.1.11

REGISTERED = {"alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit",
              "enc", "zip", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c"}


def crit(header):
    """Format first: a list of names, not empty, none empty or duplicate, each in the header, none
    registered by the RFC."""
    names = header["crit"]
    well_formed = (
        isinstance(names, list) and names and all(isinstance(name, str) and name for name in names)
        and len(set(names)) == len(names)
        and all(name in header and name not in REGISTERED for name in names))
    return UNSUPPORTED if well_formed else MALFORMED


def header(token):
    part = token.split(".")[0]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


# ---- all of them

def verdicts():
    found = {}
    for path in sorted(VECTORS.glob("*.json")):
        document = json.loads(path.read_text())
        if document.get("format") != "jose-vectors/1":
            continue
        for case in document["negative"]:
            name = case["id"].removesuffix(".negative")
            verdict = attack(case, name) if "catalogue" in case else derived(case, name)
            if case["id"] in found:
                raise SystemExit(f"two cases with the id {case['id']}")
            found[case["id"]] = verdict
    return found


def text():
    # One line per verdict, so that changing one changes one line.
    lines = ",\n".join(f"    {json.dumps(k)}: {json.dumps(v)}" for k, v in verdicts().items())
    return ('{\n  "format": "jose-verdicts/1",\n'
            '  "verdicts": {\n' + lines + "\n  }\n}\n")


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if FILE.read_text() == text()
            else "Vectors/verdicts.json is not what make_verdicts.py writes")
    FILE.write_text(text())
