"""Every vector and every hostile input through `josectl batch`, compared with
Vectors/verdicts.json.

A case runs, or it is listed. "closed": its algorithm needs a trait of the package that this build
lacks (its token is still sent, and must be rejected). "elsewhere": batch has no operation for it
(content encryption with a given key, for example). Both lists are counted, and the counts are
fixed.

SUPPORTED lists the engine's capabilities. A new algorithm is one identifier there.
"""

import collections
import json
import pathlib

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from jwcrypto.jwk import JWK

from batch import b64u, payload_of, unb64u, verdict

SUPPORTED = {
    "algs": {
        "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "ES256K",
        "EdDSA", "Ed25519", "Ed448", "HS256", "HS384", "HS512", "ML-DSA-44", "ML-DSA-65",
    "ML-DSA-87", },
    "key_algs": {"RSA-OAEP", "RSA-OAEP-256", "RSA-OAEP-384", "RSA-OAEP-512", "A128KW", "A192KW",
                 "A256KW", "A128GCMKW", "A192GCMKW", "A256GCMKW", "dir",
                 "ECDH-ES", "ECDH-ES+A128KW", "ECDH-ES+A192KW", "ECDH-ES+A256KW"},
    "encs": {"A128CBC-HS256", "A192CBC-HS384", "A256CBC-HS512", "A128GCM", "A192GCM", "A256GCM"},
    "kty": {"RSA", "EC", "OKP", "oct", "AKP"},
}
# Algorithms that a libcrypto may lack. Their cases are counted separately.
NEWER = {"ML-DSA-44", "ML-DSA-65", "ML-DSA-87"}
# Only with the trait PBES2.
PASSWORDS = ["PBES2-HS256+A128KW", "PBES2-HS384+A192KW", "PBES2-HS512+A256KW"]
# The maximum that a verifier with an RSA key accepts.
RSA = sorted(name for name in SUPPORTED["key_algs"] if name.startswith("RSA"))
NOT_HERE = "not in this libcrypto, rejected: "
# Rejected on purpose, now and later.
NEVER = {"RSA1_5", "none"}

ELSEWHERE = {
    "aead": "content encryption with a given key", "kdf": "key agreement with a given key",
    "base64url": "base64url", "pkce": "PKCE", "half-hash": "at_hash and c_hash",
    "header": "header reading", "x5c": "certificates without a key",
    "claims": "claims reading", "dpop": "proofs of possession", "thumbprint-uri": None,
}


class Closed(Exception):
    """The case needs something that this build or its libcrypto lacks. The text is the reason."""


class Elsewhere(Exception):
    """batch has no operation for the case. The text is the reason."""


class File:
    def __init__(self, path):
        document = json.loads(path.read_text())
        self.name = path.name
        self.keys, self.profile = document["keys"], document.get("profile")
        self.vectors, self.negative = document["vectors"], document["negative"]

    def key(self, name):
        return self.keys[name]


def public(key):
    return {k: v for k,
        v in key.items() if k not in ("d", "p", "q", "dp", "dq", "qi", "oth", "priv")}


def folder():
    return pathlib.Path(__file__).resolve().parents[2] / "Vectors"


def files():
    paths = sorted(folder().glob("*.json"))
    return [File(path) for path in paths if '"jose-vectors/1"' in path.read_text()[:200]]


# ---- one case to one request

def request(file, case):
    """The request that runs the case, or Closed, or Elsewhere."""
    kind = case["kind"]
    if ELSEWHERE.get(kind):
        raise Elsewhere(ELSEWHERE[kind])
    return MAKERS[kind](file, case, case["input"], token_of(file, case))


def token_of(file, case):
    if "compact" in case["input"]:
        return case["input"]["compact"]
    if "recipe" in case["input"]:
        return cooked(file.keys["sig"], case["input"]["recipe"])
    return case.get("output", {}).get("compact")


def cooked(key, recipe):
    (opening, count), (closing, closings) = recipe["repeat"], recipe["repeat_close"]
    payload = recipe["payload_prefix"] + opening * count + closing * closings + recipe[
        "payload_suffix"]
    signed = b64u(recipe["header"].encode()) + "." + b64u(payload.encode())
    signature = JWK(**key).get_op_key("sign").sign(signed.encode(), PKCS1v15(), SHA256())
    return signed + "." + b64u(signature)


def jws(file, case, given, token):
    alg = given.get("alg")
    if alg in NEVER or given.get("key") is None:
        # `none`: any key, and the algorithms are those of the others
        key = {"key": public(attack_key("sig"))}
        return {"op": "jws.verify", "token": token, "algs": sorted(SUPPORTED["algs"]), **key}
    need("algs", alg)
    return {"op": "jws.verify", "token": token, "algs": [alg],
        "key": public(file.key(given["key"]))}


def jws_json(file, case, given, token):
    """A flattened or general token, by the first of its keys. The catalogue's policy requires all
    signatures."""
    output = case.get("output", {})
    token = given.get("json") or output.get("general") or output.get("flattened")
    if file.profile:
        keys = {"keys": [public(file.key(name)) for name in ("sig", "sender")]}
        return {"op": "jws.verify", "token": token, "algs": ["RS256"], "keys": keys,
            "signatures": "all"}
    alg, key = given.get("alg") or given["algs"][0], given.get("key") or given["keys"][0]
    need("algs", alg)
    # two examples of the cookbook have alg outside the protected header
    unprotected = {"unprotected_alg": True} if case["id"].startswith(
        ("rfc7520-4.7", "rfc7520-4.8")) else {}
    return {"op": "jws.verify", "token": token, "algs": [alg], "key": public(file.key(key)),
        **unprotected}


def jws_apart(file, case, given, token):
    """The payload is detached, or is in the token."""
    need("algs", given["alg"])
    token = token or case["output"]["compact_detached"]
    request = {"op": "jws.verify", "token": token, "algs": [given["alg"]],
        "key": public(file.key(given["key"]))}
    if "detached_payload_b64u" in given:
        request["detached_payload"] = given["detached_payload_b64u"]
    elif "payload_text" in given:
        request["detached_payload"] = b64u(given["payload_text"].encode())
    else:
        request["b64"] = False
    return request


def jwt(file, case, given, token):
    if file.profile:
        if "jwk" in given:  # the key is the subject: given as a single key, not in a set
            return {"op": "jws.verify", "token": token, "algs": ["RS256"], "key": given["jwk"]}
        if "repeat" in given:
            raise Elsewhere("replay")
        more = {"required": ["exp", "jti"]} if case.get("catalogue") == 107 else {}
        if case["id"] == "s105-azp":  # the control with a trusted second audience
            more["trusted_audiences"] = ["https://other.example"]
        return profiled(file, given, token, {"keys": [public(file.key(given["key"]))]}, **more)
    if given["alg"] in NEVER:
        return jws(file, case, given, token)
    need("algs", given["alg"])
    if file.key(given["key"])[
        "kty"] == "oct":  # jwt.open accepts no set with a shared secret
        return {"op": "jws.verify", "token": token, "algs": [given["alg"]],
            "key": file.key(given["key"])}
    if case["id"].startswith(
        "rfc7797"):  # a JWT has no unencoded payload: rejected before any claim
        return {"op": "jwt.open", "token": token, "layers": ["signed"], "algs": [given["alg"]],
                "verification_keys": {"keys": [public(file.key(given["key"]))]}}
    claims = json.loads(given["payload_text"])
    wanted = {name: claims[source] for name,
        source in [("issuer", "iss"), ("audience", "aud"), ("nonce", "nonce")] if source in claims}
    # RFC 9101 does not require exp in a request object
    required = {} if "exp" in claims else {"required": []}
    return {"op": "jwt.open", "token": token, "layers": ["signed"], "algs": [given["alg"]],
            "now": 1311281000,
            "verification_keys": {"keys": [public(file.key(given["key"]))]}, **wanted, **required}


def profiled(file, given, token, keys, **more):
    """jwt.open with the settings of the file's profile, and those that the case overrides."""
    settings = file.profile
    request = {
        "op": "jwt.open", "token": token, "layers": ["signed"], "verification_keys": keys,
        "algs": settings["signature_algs"],
        "issuer": settings["issuer"], "audience": settings["audience"], "nonce": settings["nonce"],
        "authorized_party": settings["audience"],
        "required": ["exp", "iat", "sub", "nonce"], "max_lifetime": 86_400,
        "now": settings["clock"], "leeway": settings["leeway"], **more}
    if "expected_sub" in given:  # a UserInfo response: another kind of token, with its own rules
        del request["nonce"], request["max_lifetime"]
        request |= {"subject": given["expected_sub"], "required": []}
    for name in ("access_token", "at_hash_required"):
        if name in given:
            request[name] = given[name]
    return request


def nested(file, case, given, token):
    settings = file.profile
    return profiled(file, given, token, {"keys": [public(file.key(given["inner_key"]))]},
        layers=["encrypted", "signed"],
                    decryption_keys={"keys": [file.key(given["key"])]},
                    key_algs=settings["key_management_algs"], encs=settings["content_algs"])


def jwks(file, case, given, token):
    if token is None:
        return {"op": "jwks.parse", "jwks": given["jwks"]}
    made = profiled(file, given, token, given.get("jwks"))
    if "jwks_text" not in given:
        return made
    # the exact text, which a JSON encoder would not produce
    return json.dumps({"id": "text", **made, "verification_keys": "@"}).replace('"@"',
        given["jwks_text"])


def jwe(file, case, given, token):
    alg, enc = given.get("alg"), given.get("enc")
    zips = {"zips": ["DEF"]} if given.get("compression") == "on" or case["id"].startswith(
        "rfc7520-5.9") else {}
    if file.profile and alg == "RSA-OAEP":
        settings = file.profile
        key, algs = file.key(given["key"]), settings["key_management_algs"]
        if given.get("allowed") == "dir":
            key, algs = {"kty": "oct", "k": given["direct_key_b64u"]}, ["dir"]
        return {"op": "jwe.decrypt", "token": token, "key": key, "algs": algs,
            "encs": settings["content_algs"], **zips}
    if alg in NEVER:
        return {"op": "jwe.decrypt", "token": token, "key": file.key(given["key"]), "algs": RSA,
            "encs": [enc]}
    need("key_algs", alg)
    need("encs", enc)
    return {"op": "jwe.decrypt", "token": token, "key": file.key(given["key"]), "algs": [alg],
        "encs": [enc], **zips}


def jwe_json(file, case, given, token):
    """A flattened or general token, by the last of its keys: the first of two examples is for
    RSA1_5."""
    output = case.get("output", {})
    token = given.get("json") or output.get("general") or output.get("flattened")
    alg, key = given.get("alg") or given["algs"][-1], given.get("key") or given["keys"][-1]
    # the hostile cases omit enc: their headers use a supported one
    encs = [given["enc"]] if "enc" in given else sorted(SUPPORTED["encs"])
    algs = [alg]
    if alg in NEVER:
        algs = RSA
    else:
        need("key_algs", alg)
        need("encs", encs[0])
    return {"op": "jwe.decrypt", "token": token, "key": file.key(key), "algs": algs, "encs": encs}


def jwk(file, case, given, token):
    key = given.get("jwk") or file.key(given["key"])
    # a key without a known kty is checked alone
    if key.get("kty") in ("EC", "oct", "OKP"):
        need("kty", key["kty"])
    if "alg" in given:  # required if a libcrypto without it cannot report the key's defect
        need("algs", given["alg"])
    return {"op": "jwk.parse", "jwk": key}


def chain(file, case, given, token):
    if "x5c_repeat" not in given["jwk"]:
        key = given["jwk"]
    else:  # a chain too long to be written out
        key = {name: value for name, value in given["jwk"].items() if name != "x5c_repeat"}
        more = given["jwk"]["x5c_repeat"]
        key["x5c"] = key.get("x5c", []) + [more["certificate"]] * more["times"]
    purpose = {"sig": "signature", "enc": "encryption"}[given["use"]]
    return {"op": "chain.verify", "jwk": key, "anchors": given["trust_anchors"],
        "at": given["validation_time"], "purpose": purpose}


def thumbprint(file, case, given, token):
    if case["expect"] == "reject":
        raise Elsewhere("comparison of thumbprints")
    key = file.key(given["key"])
    need("kty", key["kty"])
    return {"op": "thumbprint", "jwk": public(key), "hash": given["hash"]}


def unsecured(file, case, given, token):
    return jws(file, case, {"alg": "none"}, token)


MAKERS = {"jws": jws, "jws-json": jws_json, "jws-detached": jws_apart, "jws-b64false": jws_apart,
          "jwt": jwt, "jws-unsecured": unsecured, "nested": nested, "jwks": jwks, "jwe": jwe,
          "jwe-json": jwe_json, "jwk": jwk, "jwk-x5c": jwk, "jwk-x5c-trust": chain,
          "thumbprint": thumbprint, "thumbprint-uri": thumbprint}


def need(what, name):
    if name not in SUPPORTED[what]:
        raise Closed(name)


def attack_key(name):
    return json.loads((folder() / "attacks.json").read_text())["keys"][name]


def newer(case):
    """The suffix of a group's name if the case is about an algorithm that a libcrypto may lack."""
    alg = case["input"].get("alg")
    return f", {alg}" if alg in NEWER else ""


# ---- what an accepted vector must return

def compare(file, case, answer, tally):
    """The response to an accepted vector, member by member."""
    given, output, kind = case["input"], case.get("output", {}), case["kind"]

    def equal(what, got, wanted):
        tally.check("vectors, values" + newer(case), f"{case['id']} {what}", got == wanted,
            f"expected {wanted!r:.120}, got {got!r:.120}")

    if kind in ("jws-json", "jws-detached", "jws-b64false"):
        wanted = given["payload_text"].encode() if "payload_text" in given else unb64u(
            given["detached_payload_b64u"])
        equal("payload", payload_of(answer), wanted)
        text = given["protected_text"] if "protected_text" in given else given["protected_texts"][0]
        equal("header", answer["header"], json.loads(text) if text else None)
    if kind == "jwe-json":
        equal("payload", payload_of(answer), given["plaintext_text"].encode())
        equal("header", answer["header"], json.loads(given["protected_text"])
            if given["protected_text"] else None)
    if kind in ("jws", "jwe"):
        wanted = given.get("payload_text", given.get("plaintext_text"))
        equal("payload", payload_of(answer), wanted.encode())
        if "protected_text" in given:
            equal("header", answer["header"], json.loads(given["protected_text"]))
    if kind == "jwt" and "claims" in output:
        claims = answer["claims"] if "claims" in answer else json.loads(payload_of(answer))
        equal("claims", claims, output["claims"])
    if kind == "jwk" and "public_jwk" in output:
        equal("public part", answer["public"], output["public_jwk"])
    elif kind == "jwk":
        equal("kty", answer["kty"], output["kty"])
        equal("private", answer["private"], output["has_private"])
    if kind.startswith("thumbprint"):
        key = "uri" if kind == "thumbprint-uri" else "thumbprint"
        equal(key, answer[key], output.get("thumbprint_b64u", output.get("uri")))
    if kind == "jwk" and "thumbprint_sha256" in output:
        equal("thumbprint", answer["thumbprint"], output["thumbprint_sha256"])
    if kind == "jwks" and "summary" in output:
        usable = [key for key in output["summary"] if key["kty"] in SUPPORTED["kty"]]
        got = [{name: key.get(name) for name in ("kty", "kid", "use", "alg")}
            for key in answer["keys"]]
        equal("keys", got,
            [{name: key[name] for name in ("kty", "kid", "use", "alg")} for key in usable])
        equal("skipped", len(answer["skipped"]), len(output["summary"]) - len(usable))


def reproduce(batch, tally):
    """Signatures printed in the specification, reproduced byte for byte."""
    for file in files():
        for case in file.vectors:
            given = case["input"]
            if case["kind"] != "jws" or given.get("alg") not in SUPPORTED["algs"] or case[
                    "reproducible"] != "yes":
                continue
            header = json.loads(given["protected_text"])
            if not set(header) <= {"alg", "kid"} or json.dumps(header,
                    separators=(",", ":")) != given["protected_text"]:
                continue  # the signer writes no other header
            payload = b64u(given["payload_text"].encode())
            answer, = batch.ask(
                [{"op": "jws.sign", "key": file.key(given["key"]), "alg": given["alg"],
                    "payload": payload}])
            if tally.expect("vectors, made again", case["id"], answer, "ok"):
                tally.check("vectors, made again byte for byte", case["id"],
                    answer["token"] == case["output"]["compact"], answer["token"])


# ---- all of them

def run(batch, tally, report):
    pinned = json.loads((folder() / "verdicts.json").read_text())["verdicts"]
    counts = json.loads((folder() / "counts.json").read_text())
    closed, elsewhere, requests, cases = {}, {}, [], []
    for file in files():
        found = {"vectors": len(file.vectors), "negative": len(file.negative)}
        tally.check("vectors, counts of the files", file.name,
            counts["files"].get(file.name) == found, f"{found}")
        for case in file.vectors + file.negative:
            try:
                requests.append(request(file, case))
                cases.append((file, case))
            except Closed as reason:
                closed.setdefault(str(reason), []).append(case["id"])
            except Elsewhere as reason:
                elsewhere.setdefault(str(reason), []).append(case["id"])
    tally.check("vectors, counts of the files", "verdicts", len(pinned) == counts["negative"],
        f"{len(pinned)} verdicts")

    for (file, case), answer in zip(cases, batch.ask(requests)):
        if case["id"] in pinned:
            code = pinned[case["id"]]
            if "jwks_text" in case["input"]:
                code = "malformed"  # a duplicate member violates strict JSON
            tally.expect("hostile inputs, the pinned code" + newer(case), case["id"], answer,
                "ok" if code == "accepted" else code)
        elif case["expect"] == "reject" or case["input"].get("alg") in NEVER:
            tally.expect("vectors, rejected on purpose", case["id"], answer,
                "algorithm-not-allowed")
        elif tally.expect("vectors, accepted" + newer(case), case["id"], answer, "ok"):
            compare(file, case, answer, tally)
    reproduce(batch, tally)

    for title, found in [("rejected without its trait or libcrypto", closed),
            ("elsewhere", elsewhere)]:
        for reason, ids in sorted(found.items()):
            report.write(f"{title}, {reason}: {len(ids)}\n"
                + "".join(f"    {name}\n" for name in ids))
    run = collections.Counter("cases run" + newer(case) for _, case in cases)
    return run, closed, elsewhere


def every_path(batches, tally):
    """The same responses to every case for each implementation: vector kernels of public and of
    private operations, OpenSSL's functions, EVP alone."""
    requests, names = [], []
    for file in files():
        for case in file.vectors + file.negative:
            try:
                requests.append(request(file, case))
                names.append((case["id"], newer(case)))
            except (Closed, Elsewhere):
                pass
    expected = None
    for way, batch in batches.items():
        answers = batch.ask(requests)
        expected = expected or answers
        for (name, more), answer, first in zip(names, answers, expected):
            tally.check(f"every case by the path {way}{more}", name, answer == first,
                f"{answer} is not {first}")


def rejected(batch, tally, closed):
    """Algorithms that were not compiled in, or are not in libcrypto, are rejected for valid and
    invalid tokens."""
    requests, names = [], []
    waiting = {name for ids in closed.values() for name in ids}
    for file in files():
        for case in file.vectors + file.negative:
            given, token = case["input"], token_of(file, case)
            if case["id"] not in waiting or not isinstance(token, str) or not given.get("key"):
                continue
            if case["kind"] == "jws-detached":
                continue  # a valid token without its detached payload
            if token.count(".") == 4:
                requests.append({"op": "jwe.decrypt", "token": token, "key": file.key(given["key"]),
                                 "algs": sorted(SUPPORTED["key_algs"]),
                                 "encs": sorted(SUPPORTED["encs"])})
            else:
                requests.append({"op": "jws.verify", "token": token,
                    "key": public(file.key(given["key"])), "algs": sorted(SUPPORTED["algs"])})
            group = NOT_HERE + given["alg"] if newer(case) else "rejected without its trait"
            names.append((case["id"], group))
    for (name, group), answer in zip(names, batch.ask(requests)):
        got = verdict(answer)
        tally.check(group, name, got not in ("ok", "internal", "misuse"), f"got {got}")


def uniform(batch, tally):
    """Every invalid value in a JWE gets the same response, byte for byte (RFC 7516 section
    11.5)."""
    file = next(file for file in files() if file.name == "attacks.json")
    cases = [case for case in file.negative if case["catalogue"] in (75, 76, 77, 78, 81, 82)]
    answers = batch.ask([request(file, case) for case in cases])
    texts = {json.dumps(answer["error"], sort_keys=True) for answer in answers
        if verdict(answer) == "decryption-failed"}
    tally.check("hostile inputs, one error text for all", f"{len(cases)} tokens", len(texts) == 1,
        f"{texts}")
