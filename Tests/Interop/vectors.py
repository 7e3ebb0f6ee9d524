"""Every vector and every hostile input through `josectl batch`, against Vectors/verdicts.json.

A case runs, or it is listed: "later" where its algorithm or form is not there yet, "elsewhere" where it
has no operation in batch (content encryption with a given key, say). Both lists are counted, and the counts are pinned.
What the engine can do stands in SUPPORTED; a new algorithm is one word there.
"""

import json
import pathlib

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from jwcrypto.jwk import JWK

from batch import b64u, payload_of, unb64u, verdict

SUPPORTED = {
    "algs": {"RS256"}, "key_algs": {"RSA-OAEP", "RSA-OAEP-256"}, "encs": {"A128CBC-HS256"}, "kty": {"RSA"},
}
# Refused on purpose, today and later.
NEVER = {"RSA1_5", "none"}

ELSEWHERE = {
    "aead": "content encryption with a given key", "kdf": "key agreement with a given key",
    "base64url": "base64url", "pkce": "PKCE", "half-hash": "at_hash and c_hash", "header": "header reading",
    "x5c": "certificates without a key",
    "claims": "claims reading", "thumbprint-uri": None,
}


class Later(Exception):
    """The case needs what is not there yet; the reason is its text."""


class Elsewhere(Exception):
    """The case has no operation in batch; the reason is its text."""


class File:
    def __init__(self, path):
        document = json.loads(path.read_text())
        self.name = path.name
        self.keys, self.profile = document["keys"], document.get("profile")
        self.vectors, self.negative = document["vectors"], document["negative"]

    def key(self, name):
        return self.keys[name]


def public(key):
    return {k: v for k, v in key.items() if k not in ("d", "p", "q", "dp", "dq", "qi", "oth")}


def folder():
    return pathlib.Path(__file__).resolve().parents[2] / "Vectors"


def files():
    paths = sorted(folder().glob("*.json"))
    return [File(path) for path in paths if '"jose-vectors/1"' in path.read_text()[:200]]


# ---- one case to one request

def request(file, case):
    """The request that runs the case, or Later, or Elsewhere."""
    kind = case["kind"]
    if ELSEWHERE.get(kind):
        raise Elsewhere(ELSEWHERE[kind])
    if kind in ("jws-json", "jwe-json"):
        raise Later("JSON serialization")
    if kind == "jws-detached":
        raise Later("detached payload")
    if kind == "jws-b64false":
        raise Later("unencoded payload")
    return MAKERS[kind](file, case, case["input"], token_of(file, case))


def token_of(file, case):
    if "compact" in case["input"]:
        return case["input"]["compact"]
    if "recipe" in case["input"]:
        return cooked(file.keys["sig"], case["input"]["recipe"])
    return case.get("output", {}).get("compact")


def cooked(key, recipe):
    (opening, count), (closing, closings) = recipe["repeat"], recipe["repeat_close"]
    payload = recipe["payload_prefix"] + opening * count + closing * closings + recipe["payload_suffix"]
    signed = b64u(recipe["header"].encode()) + "." + b64u(payload.encode())
    signature = JWK(**key).get_op_key("sign").sign(signed.encode(), PKCS1v15(), SHA256())
    return signed + "." + b64u(signature)


def jws(file, case, given, token):
    alg = given.get("alg")
    if alg in NEVER or given.get("key") is None:
        # `none`: whatever the key, and the set of algorithms is that of the others
        key = {"key": public(attack_key("sig"))}
        return {"op": "jws.verify", "token": token, "algs": sorted(SUPPORTED["algs"]), **key}
    need("algs", alg)
    return {"op": "jws.verify", "token": token, "algs": [alg], "key": public(file.key(given["key"]))}


def jwt(file, case, given, token):
    if file.profile:
        if "jwk" in given:  # the key is the matter: given as the one key, not in a set
            return {"op": "jws.verify", "token": token, "algs": ["RS256"], "key": given["jwk"]}
        if "repeat" in given:
            raise Elsewhere("replay")
        replay = {"required": ["exp", "jti"]} if case.get("catalogue") == 107 else {}
        return profiled(file, given, token, {"keys": [public(file.key(given["key"]))]}, **replay)
    if case["id"].startswith("rfc7797"):
        raise Later("unencoded payload")
    if given["alg"] in NEVER:
        return jws(file, case, given, token)
    need("algs", given["alg"])
    claims = json.loads(given["payload_text"])
    wanted = {name: claims[source] for name, source in [("issuer", "iss"), ("audience", "aud"), ("nonce", "nonce")] if source in claims}
    return {"op": "jwt.open", "token": token, "layers": ["signed"], "algs": [given["alg"]], "now": 1311281000,
            "verification_keys": {"keys": [public(file.key(given["key"]))]}, **wanted}


def profiled(file, given, token, keys, **more):
    """jwt.open with the settings of the file's profile, and those that the case replaces."""
    settings = file.profile
    request = {
        "op": "jwt.open", "token": token, "layers": ["signed"], "verification_keys": keys, "algs": settings["signature_algs"],
        "issuer": settings["issuer"], "audience": settings["audience"], "nonce": settings["nonce"], "authorized_party": settings["audience"],
        "required": ["exp", "iat", "sub", "nonce"], "max_lifetime": 86_400, "now": settings["clock"], "leeway": settings["leeway"], **more}
    if "expected_sub" in given:  # a UserInfo answer: another kind of token, with its own rules
        del request["nonce"], request["max_lifetime"]
        request |= {"subject": given["expected_sub"], "required": []}
    for name in ("access_token", "at_hash_required"):
        if name in given:
            request[name] = given[name]
    return request


def nested(file, case, given, token):
    settings = file.profile
    return profiled(file, given, token, {"keys": [public(file.key(given["inner_key"]))]}, layers=["encrypted", "signed"],
                    decryption_keys={"keys": [file.key(given["key"])]}, key_algs=settings["key_management_algs"], encs=settings["content_algs"])


def jwks(file, case, given, token):
    if token is None:
        return {"op": "jwks.parse", "jwks": given["jwks"]}
    made = profiled(file, given, token, given.get("jwks"))
    if "jwks_text" not in given:
        return made
    # the exact text, which no JSON writer would write
    return json.dumps({"id": "text", **made, "verification_keys": "@"}).replace('"@"', given["jwks_text"])


def jwe(file, case, given, token):
    alg, enc = given.get("alg"), given.get("enc")
    if file.profile and alg == "RSA-OAEP":
        if given.get("compression") == "on":
            raise Later("compression")
        if given.get("allowed") == "dir":
            raise Later("dir")
        settings = file.profile
        return {"op": "jwe.decrypt", "token": token, "key": file.key(given["key"]),
                "algs": settings["key_management_algs"], "encs": settings["content_algs"]}
    if alg in NEVER:
        return {"op": "jwe.decrypt", "token": token, "key": file.key(given["key"]), "algs": sorted(SUPPORTED["key_algs"]), "encs": [enc]}
    need("key_algs", alg)
    need("encs", enc)
    return {"op": "jwe.decrypt", "token": token, "key": file.key(given["key"]), "algs": [alg], "encs": [enc]}


def jwk(file, case, given, token):
    key = given.get("jwk") or file.key(given["key"])
    # a key without a known kty is judged as it is
    if key.get("kty") in ("EC", "oct", "OKP"):
        need("kty", key["kty"])
    return {"op": "jwk.parse", "jwk": key}


def chain(file, case, given, token):
    if "x5c_repeat" not in given["jwk"]:
        key = given["jwk"]
    else:  # a chain too long to be written out
        key = {name: value for name, value in given["jwk"].items() if name != "x5c_repeat"}
        more = given["jwk"]["x5c_repeat"]
        key["x5c"] = key.get("x5c", []) + [more["certificate"]] * more["times"]
    purpose = {"sig": "signature", "enc": "encryption"}[given["use"]]
    return {"op": "chain.verify", "jwk": key, "anchors": given["trust_anchors"], "at": given["validation_time"], "purpose": purpose}


def thumbprint(file, case, given, token):
    if case["expect"] == "reject":
        raise Elsewhere("comparison of thumbprints")
    key = file.key(given["key"])
    need("kty", key["kty"])
    return {"op": "thumbprint", "jwk": key, "hash": given["hash"]}


def unsecured(file, case, given, token):
    return jws(file, case, {"alg": "none"}, token)


MAKERS = {"jws": jws, "jwt": jwt, "jws-unsecured": unsecured, "nested": nested, "jwks": jwks, "jwe": jwe, "jwk": jwk,
          "jwk-x5c": jwk, "jwk-x5c-trust": chain,
          "thumbprint": thumbprint, "thumbprint-uri": thumbprint}


def need(what, name):
    if name not in SUPPORTED[what]:
        raise Later(name)


def attack_key(name):
    return json.loads((folder() / "attacks.json").read_text())["keys"][name]


# ---- what an accepted vector must say

def compare(file, case, answer, tally):
    """The answer to an accepted vector, member by member."""
    given, output, kind = case["input"], case.get("output", {}), case["kind"]

    def equal(what, got, wanted):
        tally.check("vectors, values", f"{case['id']} {what}", got == wanted, f"expected {wanted!r:.120}, got {got!r:.120}")

    if kind in ("jws", "jwe"):
        wanted = given.get("payload_text", given.get("plaintext_text"))
        equal("payload", payload_of(answer), wanted.encode())
        if "protected_text" in given:
            equal("header", answer["header"], json.loads(given["protected_text"]))
    if kind == "jwt" and "claims" in output:
        equal("claims", answer["claims"], output["claims"])
    if kind == "jwk":
        equal("kty", answer["kty"], output["kty"])
        equal("private", answer["private"], output["has_private"])
    if kind.startswith("thumbprint"):
        key = "uri" if kind == "thumbprint-uri" else "thumbprint"
        equal(key, answer[key], output.get("thumbprint_b64u", output.get("uri")))
    if kind == "jwk" and "thumbprint_sha256" in output:
        equal("thumbprint", answer["thumbprint"], output["thumbprint_sha256"])
    if kind == "jwks" and "summary" in output:
        usable = [key for key in output["summary"] if key["kty"] in SUPPORTED["kty"]]
        got = [{name: key.get(name) for name in ("kty", "kid", "use", "alg")} for key in answer["keys"]]
        equal("keys", got, [{name: key[name] for name in ("kty", "kid", "use", "alg")} for key in usable])
        equal("skipped", len(answer["skipped"]), len(output["summary"]) - len(usable))


def reproduce(batch, tally):
    """Signatures that the specification prints, made again byte for byte."""
    for file in files():
        for case in file.vectors:
            given = case["input"]
            if case["kind"] != "jws" or given.get("alg") not in SUPPORTED["algs"] or case["reproducible"] != "yes":
                continue
            payload = b64u(given["payload_text"].encode())
            answer, = batch.ask([{"op": "jws.sign", "key": file.key(given["key"]), "alg": given["alg"], "payload": payload}])
            if tally.expect("vectors, made again", case["id"], answer, "ok"):
                tally.check("vectors, made again byte for byte", case["id"], answer["token"] == case["output"]["compact"], answer["token"])


# ---- all of them

def run(batch, tally, report):
    pinned = json.loads((folder() / "verdicts.json").read_text())["verdicts"]
    counts = json.loads((folder() / "counts.json").read_text())
    later, elsewhere, requests, cases = {}, {}, [], []
    for file in files():
        found = {"vectors": len(file.vectors), "negative": len(file.negative)}
        tally.check("vectors, counts of the files", file.name, counts["files"].get(file.name) == found, f"{found}")
        for case in file.vectors + file.negative:
            try:
                requests.append(request(file, case))
                cases.append((file, case))
            except Later as reason:
                later.setdefault(str(reason), []).append(case["id"])
            except Elsewhere as reason:
                elsewhere.setdefault(str(reason), []).append(case["id"])
    tally.check("vectors, counts of the files", "verdicts", len(pinned) == counts["negative"], f"{len(pinned)} verdicts")

    for (file, case), answer in zip(cases, batch.ask(requests)):
        if case["id"] in pinned:
            tally.expect("hostile inputs, the pinned code", case["id"], answer, pinned[case["id"]])
        elif case["expect"] == "reject" or case["input"].get("alg") in NEVER:
            tally.expect("vectors, refused on purpose", case["id"], answer, "algorithm-not-allowed")
        elif tally.expect("vectors, accepted", case["id"], answer, "ok"):
            compare(file, case, answer, tally)
    reproduce(batch, tally)

    for title, found in [("later", later), ("elsewhere", elsewhere)]:
        for reason, ids in sorted(found.items()):
            report.write(f"{title}, {reason}: {len(ids)}\n" + "".join(f"    {name}\n" for name in ids))
    return {name: sum(map(len, found.values())) for name, found in [("run", {"": requests}), ("later", later), ("elsewhere", elsewhere)]}, later, elsewhere


def closed(batch, tally, later):
    """What is not there yet is refused, whether the token is good or bad."""
    requests, names = [], []
    waiting = {name for ids in later.values() for name in ids}
    for file in files():
        for case in file.vectors + file.negative:
            given, token = case["input"], token_of(file, case)
            if case["id"] not in waiting or not isinstance(token, str) or not given.get("key"):
                continue
            if case["kind"] == "jws-detached":
                continue  # a good token to those who were not given the payload apart
            if token.count(".") == 4:
                requests.append({"op": "jwe.decrypt", "token": token, "key": file.key(given["key"]),
                                 "algs": sorted(SUPPORTED["key_algs"]), "encs": sorted(SUPPORTED["encs"])})
            else:
                requests.append({"op": "jws.verify", "token": token, "key": public(file.key(given["key"])), "algs": sorted(SUPPORTED["algs"])})
            names.append(case["id"])
    for name, answer in zip(names, batch.ask(requests)):
        got = verdict(answer)
        tally.check("not there yet, refused all the same", name, got not in ("ok", "internal", "misuse"), f"got {got}")


def uniform(batch, tally):
    """Every failure of a value in a JWE gives the same answer, byte for byte (RFC 7516 section 11.5)."""
    file = next(file for file in files() if file.name == "attacks.json")
    cases = [case for case in file.negative if case["catalogue"] in (75, 76, 77, 78, 81, 82)]
    answers = batch.ask([request(file, case) for case in cases])
    texts = {json.dumps(answer["error"], sort_keys=True) for answer in answers if verdict(answer) == "decryption-failed"}
    tally.check("hostile inputs, one error text for all", f"{len(cases)} tokens", len(texts) == 1, f"{texts}")
