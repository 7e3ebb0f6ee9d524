"""Writes the RSA cases of Wycheproof that JOSE's algorithms cover, one a line, for wycheproof.c:
cases.py FOLDER, the testvectors_v1 of https://github.com/C2SP/wycheproof.

    group TYPE HASH n e [d p q dp dq qi]    numbers in hexadecimal
    case FILE:ID accept|reject MESSAGE DATA    DATA is the signature or the ciphertext; "-" is empty
"""

import json
import sys
from pathlib import Path

HASHES = {"SHA-1": 20, "SHA-256": 32, "SHA-384": 48, "SHA-512": 64}
SIZES = {2048, 3072, 4096}


def integers(der):
    """The integers of an RSAPrivateKey in PKCS #8."""

    def element(at):
        length, at = der[at + 1], at + 2
        if length & 0x80:
            count = length & 0x7F
            length, at = int.from_bytes(der[at : at + count], "big"), at + count
        return at, at + length

    at, _ = element(0)  # PrivateKeyInfo: version, algorithm, key
    for _ in range(2):
        _, at = element(at)
    at, _ = element(element(at)[0])
    found = []
    while at < len(der):
        start, at = element(at)
        found.append(int.from_bytes(der[start:at], "big"))
    return found[1:]  # after the version


def is_covered(group):
    """Whether an algorithm of JOSE has these parameters."""
    kind, digest = group["type"], group.get("sha")
    if group.get("keySize") not in SIZES or digest not in HASHES:
        return False
    if kind in ("RsassaPkcs1Verify", "RsassaPkcs1Generate"):
        return digest != "SHA-1"
    if kind == "RsassaPssVerify":
        return digest != "SHA-1" and group["mgfSha"] == digest and group["sLen"] == HASHES[digest]
    return kind == "RsaesOaepDecrypt" and group["mgfSha"] == digest


def is_accepted(kind, case):
    """What a JOSE library says. A DigestInfo without NULL is another block, and OAEP has no label."""
    if kind == "RsassaPkcs1Generate":
        return True
    return case["result"] == "valid" and not case.get("label")


def numbers(group):
    if group["type"] in ("RsassaPkcs1Generate", "RsaesOaepDecrypt"):
        return integers(bytes.fromhex(group["privateKeyPkcs8"]))
    key = group["publicKey"]
    return [int(key["modulus"], 16), int(key["publicExponent"], 16)]


def text(number):
    digits = f"{number:x}"
    return digits if len(digits) % 2 == 0 else "0" + digits


def main():
    count = 0
    for path in sorted(Path(sys.argv[1]).glob("rsa_*_test.json")):
        for group in json.loads(path.read_text())["testGroups"]:
            kind = group["type"]
            if not is_covered(group):
                continue
            key = numbers(group)
            if len(key) > 8:  # a third prime, which the library rejects
                continue
            print("group", kind, group["sha"], *map(text, key))
            for case in group["tests"]:
                right = is_accepted(kind, case)
                count += 1
                data = case["ct"] if kind == "RsaesOaepDecrypt" else case["sig"]
                print("case", f"{path.name.removesuffix('_test.json')}:{case['tcId']}",
                      "accept" if right else "reject", case["msg"] or "-", data or "-")
    if count == 0:
        sys.exit(f"FAILED  {sys.argv[1]} has no RSA test vectors")


main()
