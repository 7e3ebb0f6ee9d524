"""Writes the published vectors as tables for vectors.c: tables.py VECTORS >tables.h. What it cannot
place is an error."""

import base64
import json
import os
import sys

# Read but trusted by no policy of today, so the core has no row for them.
UNSUPPORTED = {"RSA1_5", "none"}
FILES = ["rfc7515", "rfc7516", "rfc7517", "rfc7518", "rfc7519", "rfc7520", "rfc7797", "rfc8037",
    "oauth-oidc", "attacks"]
CURVES = {"P-256": "P256", "P-384": "P384", "P-521": "P521", "secp256k1": "SECP256K1",
          "Ed25519": "ED25519", "Ed448": "ED448", "X25519": "X25519", "X448": "X448"}
CONTENTS = {"A128CBC-HS256": "A128CBC_HS256", "A192CBC-HS384": "A192CBC_HS384",
            "A256CBC-HS512": "A256CBC_HS512",
            "A128GCM": "A128GCM", "A192GCM": "A192GCM", "A256GCM": "A256GCM"}
SIGNATURES = {"RS": "RSA_PKCS1", "PS": "RSA_PSS", "ES": "ECDSA", "HS": "HMAC"}


def decode(text):
    value = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(value).rstrip(b"=").decode() != text:
        raise ValueError("not base64url")
    return value


def text(value):
    return value.encode()


def c_bytes(value):
    return '{(const uint8_t *)"%s", %d}' % ("".join(f"\\x{byte:02x}" for byte in value), len(value))


def c_name(name):
    return json.dumps(name)


# What a key of JWK is to the core: its numbers, and the private parts where it has them.
def c_key(jwk, password=None):
    if password is not None:
        return "{JOSE_KEY_OCT, 0, .secret = %s, .is_private = true}" % c_bytes(password)
    number = lambda name: c_bytes(decode(jwk[name]))
    if jwk["kty"] == "oct":
        return "{JOSE_KEY_OCT, 0, .secret = %s, .is_private = true}" % number("k")
    private = "d" in jwk
    fields = [f"JOSE_KEY_{jwk['kty']}", f"JOSE_{CURVES[jwk['crv']]}" if "crv" in jwk else "0"]
    names = {"RSA": ("n", "e"), "EC": ("x", "y"), "OKP": ("x",)}[jwk["kty"]]
    fields.append(".numbers = {%s}" % ", ".join(number(name) for name in names))
    if private and jwk["kty"] == "RSA":
        fields.append(
            ".parts = {%s}" % ", ".join(number(name) for name in ("d", "p", "q", "dp", "dq", "qi")))
    elif private:
        fields.append(".secret = " + number("d"))
    return "{%s, .is_private = %s}" % (", ".join(fields), "true" if private else "false")


def hash_of(alg):
    return {"256": "SHA256", "384": "SHA384", "512": "SHA512"}.get(alg[2:5], "SHA256")


class Tables:
    def __init__(self):
        self.signatures, self.contents, self.messages, self.chains = [], [], [], []

    def signature(self, name, alg, jwk, message, signature, repeats, right=True):
        family = "EDDSA" if alg in ("EdDSA", "Ed25519", "Ed448") else SIGNATURES[alg[:2]]
        self.signatures.append(
            "{%s, JOSE_%s, JOSE_%s, %s, %s, %s, %s, %s}" % (
                c_name(name), family, hash_of(alg), c_key(jwk), c_bytes(message),
                c_bytes(signature), "true" if repeats else "false", "true" if right else "false"))

    def content(self, name, enc, cek, iv, aad, plaintext, ciphertext, tag):
        self.contents.append("{%s, JOSE_%s, %s}" % (
            c_name(name), CONTENTS[enc],
            ", ".join(c_bytes(value) for value in (cek, iv, aad, plaintext, ciphertext, tag))))

    def message(self, name, header, jwk, password, parts, plaintext, right=True):
        """parts: aad, encrypted key, iv, ciphertext, tag."""
        alg = header["alg"]
        parameters, wrap, family, digest = b"", 0, None, "SHA256"
        if alg.startswith("RSA-OAEP"):
            family, digest = "RSA_OAEP", {"": "SHA1", "-256": "SHA256", "-384": "SHA384",
                "-512": "SHA512"}[alg[8:]]
        elif alg == "dir":
            family = "DIRECT"
        elif alg.startswith("ECDH-ES"):
            family, epk = "ECDH_ES", header["epk"]
            parameters = decode(epk["x"]) + decode(epk.get("y", ""))
            wrap = int(alg[9:12]) // 8 if "+" in alg else 0
        elif alg.startswith("PBES2"):
            family, digest, wrap = "PBES2", "SHA" + alg[8:11], int(alg[13:16]) // 8
            parameters = decode(header["p2s"])
        elif alg.endswith("GCMKW"):
            family, wrap = "AES_GCM_KW", int(alg[1:4]) // 8
            parameters = decode(header["iv"]) + decode(header["tag"])
        elif alg.endswith("KW"):
            family, wrap = "AES_KW", int(alg[1:4]) // 8
        # The core opens what the header inflates to; inflating is not asked for here.
        self.messages.append(
            "{%s, {JOSE_%s, JOSE_%s, %d}, JOSE_%s, %s, %s, %s, %s, %s, %d, %s, %s}" % (
            c_name(name), family, digest, wrap, CONTENTS[header["enc"]], c_key(jwk, password),
            c_bytes(parameters),
            c_bytes(decode(header.get("apu", ""))), c_bytes(decode(header.get("apv", ""))),
            ", ".join(c_bytes(part) for part in parts), header.get("p2c", 0), c_bytes(plaintext),
            "true" if right else "false"))


def take_signatures(tables, vector, keys):
    given, made = vector["input"], vector["output"]
    repeats = vector["reproducible"] == "yes"
    if "signing_input" in made and "signature_b64u" in made:
        tables.signature(vector["id"], given["alg"], keys[given["key"]],
                         text(made["signing_input"]), decode(made["signature_b64u"]), repeats)
        return
    compact = made.get("compact") or given.get("compact")
    if compact:
        if given["alg"] in UNSUPPORTED:
            return
        header, payload, signature = compact.split(".")
        payload = payload or given["detached_payload_b64u"]
        tables.signature(vector["id"], given["alg"], keys[given["key"]],
                         text(f"{header}.{payload}"), decode(signature), repeats)
        return
    json_form = made.get("general") or made["flattened"]
    for place, signed in enumerate(json_form.get("signatures", [json_form])):
        tables.signature(
            f"{vector['id']} {place}", given["algs"][place], keys[given["keys"][place]],
            text(f"{signed.get('protected', '')}.{json_form['payload']}"),
            decode(signed["signature"]), repeats)


def plaintext_of(given):
    if "compressed_plaintext_b64u" in given:
        return decode(given["compressed_plaintext_b64u"])
    return decode(given["plaintext_b64u"]) if "plaintext_b64u" in given else text(
        given["plaintext_text"])


def take_messages(tables, vector, keys):
    given, made = vector["input"], vector["output"]
    password = text(given["password_text"]) if "password_text" in given else None
    compact = made.get("compact") or given.get("compact")
    if compact:
        first, *others = compact.split(".")
        forms = [(json.loads(decode(first)), given["key"],
            [text(first)] + [decode(part) for part in others])]
    else:
        whole = made.get("general") or made["flattened"]
        aad = whole.get("protected", "") + ("." + whole["aad"] if "aad" in whole else "")
        shared = json.loads(decode(whole["protected"])) if "protected" in whole else {}
        shared |= whole.get("unprotected", {})
        names = given.get("keys") or [given["key"]]
        forms = [(shared | each.get("header", {}), names[place],
                  [text(aad), decode(each.get("encrypted_key", "")),
                      *(decode(whole[name]) for name in (
                      "iv", "ciphertext", "tag"))])
                 for place, each in enumerate(whole.get("recipients", [whole]))]
    for place, (header, name, parts) in enumerate(forms):
        aad, encrypted_key, iv, ciphertext, tag = parts
        if "cek_b64u" in given:
            if place == 0:
                tables.content(vector["id"], header["enc"], decode(given["cek_b64u"]), iv, aad,
                               plaintext_of(given), ciphertext, tag)
        if header["alg"] in UNSUPPORTED:
            continue
        if "plaintext_text" not in given and "plaintext_b64u" not in given:
            continue  # a nested token of our own: opened by the Swift tests
        tables.message(f"{vector['id']} {place}", header, keys[name], password, parts,
            plaintext_of(given))


def take_hostile(tables, hostile, base, keys, verdict):
    """Of the hostile inputs those that the core itself has to reject."""
    given = hostile.get("input", {})
    compact = given.get("compact")
    if not isinstance(compact, str) or base is None:
        return
    was = base["input"]
    name = given.get("key", was.get("key"))
    jwk = keys.get(name) if isinstance(name, str) else name
    alg = given.get("alg", was.get("alg"))
    if not isinstance(jwk, dict) or alg in UNSUPPORTED or alg is None:
        return
    try:
        parts = compact.split(".")
        decoded = [decode(part) for part in parts]
        if verdict == "signature-invalid" and len(parts) == 3:
            tables.signature(hostile["id"], alg, jwk, text(f"{parts[0]}.{parts[1]}"), decoded[2],
                False, right=False)
        if verdict == "decryption-failed" and len(parts) == 5 and alg != "dir" and decoded[3]:
            password = text(was["password_text"]) if "password_text" in was and name == was[
                "key"] else None
            header = json.loads(decoded[0])
            if header.get("alg") == alg:
                tables.message(hostile["id"], header, jwk, password, [text(parts[0])] + decoded[1:],
                    b"", right=False)
    except (ValueError, KeyError):
        return  # rejected before the core: by its form


def take_chain(tables, case, keys, profile, right):
    given = case["input"]
    jwk = given["jwk"]
    anchors = given.get("trust_anchors", [])
    if not anchors or not jwk.get("x5c"):
        return
    try:
        chain = [base64.b64decode(one, validate=True) for one in jwk["x5c"]]
        anchors = [base64.b64decode(one, validate=True) for one in anchors]
    except ValueError:
        return
    many = lambda values: "%d, {%s}" % (len(values), ", ".join(c_bytes(value) for value in values))
    tables.chains.append("{%s, %s, %s, %d, %s, %s}" % (
        c_name(case["id"]), many(chain), many(anchors),
        given.get("validation_time", profile["validation_time"]),
        "JOSE_PURPOSE_ENCRYPTION" if given.get("use", jwk.get("use")) == "enc"
        else "JOSE_PURPOSE_SIGNATURE", "true" if right else "false"))


def main(folder):
    load = lambda name: json.load(open(os.path.join(folder, name + ".json"), encoding="utf-8"))
    verdicts = load("verdicts")["verdicts"]
    tables = Tables()
    for file in FILES:
        content = load(file)
        keys = content["keys"]
        for vector in content["vectors"]:
            kind, given = vector["kind"], vector["input"]
            if kind in ("jws", "jws-detached", "jws-json", "jws-b64false", "jwt"):
                take_signatures(tables, vector, keys)
            elif kind in ("jwe", "jwe-json"):
                take_messages(tables, vector, keys)
            elif kind == "aead":
                tables.content(vector["id"], given["enc"], decode(given["cek_b64u"]),
                               decode(given["iv_b64u"]),
                               decode(given["aad_b64u"]), decode(given["plaintext_b64u"]),
                               decode(vector["output"]["ciphertext_b64u"]),
                               decode(vector["output"]["tag_b64u"]))
        bases = {vector["id"]: vector for vector in content["vectors"]}
        for hostile in content.get("negative", []):
            take_hostile(tables, hostile, bases.get(hostile.get("base")), keys,
                verdicts.get(hostile["id"]))
    content = load("x5c")
    for vector in content["vectors"]:
        take_chain(tables, vector, {}, content["profile"], True)
    for hostile in content["negative"]:
        if verdicts[hostile["id"]] == "untrusted-key":
            take_chain(tables, hostile, {}, content["profile"], False)
    for name, entry, entries in (("signatures", "signature_entry", tables.signatures),
                                 ("contents", "content_entry", tables.contents),
                                 ("messages", "message_entry", tables.messages),
                                 ("chains", "chain_entry", tables.chains)):
        print("static const %s %s[] = {\n    %s,\n};" % (entry, name, ",\n    ".join(entries)))


main(sys.argv[1])
