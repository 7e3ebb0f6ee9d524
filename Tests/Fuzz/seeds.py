#!/usr/bin/env python3
"""Writes seeds for every fuzz target, made from Vectors/ and by openssl: seeds.py FOLDER"""

import base64
import hashlib
import itertools
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[2]
out = pathlib.Path(sys.argv[1])
most = 6_000  # bytes of a seed: what is larger only repeats itself


def seed(target, data):
    if isinstance(data, str):
        data = data.encode()
    if len(data) <= most:
        folder = out / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha1(data).hexdigest()).write_bytes(data)


def undo(text):
    """The bytes of base64url, or None."""
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None


def walk(value, name=None):
    """Every (member name, value) of a JSON value."""
    yield name, value
    if isinstance(value, dict):
        for member, inner in value.items():
            yield from walk(inner, member)
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner, name)


def token(text):
    seed("compact", text)
    parts = text.split(".")
    for part in parts[:2] + parts[-1:]:
        seed("base64url", part)
    head = undo(parts[0])
    if head:
        seed("json", head)
    if len(parts) == 3:
        seed("jws", text)
        body = undo(parts[1])
        if body is not None:
            seed("json", body)
            seed("claims", body)
            if head is not None and b"\0" not in head:
                seed("jws", b"\1" + head + b"\0" + body)
                seed("nested", b"\1" + head + b"\0" + body)
                seed("jws-json", b"\1" + head + b"\0" + body)
            seed("nested", b"\2" + text.encode())
            one = {"protected": parts[0], "signature": parts[2]}
            seed("jws-json", json.dumps({"payload": parts[1], **one}))
            seed("jws-json",
                json.dumps({"payload": parts[1], "signatures": [one, {**one, "header": {"x": 1}}]}))
    if len(parts) == 5:
        seed("jwe", text)
        seed("nested", text)
        one = {"header": {"x": 1}, "encrypted_key": parts[1]}
        whole = {"protected": parts[0], "iv": parts[2], "ciphertext": parts[3], "tag": parts[4]}
        seed("jwe-json", json.dumps({**whole, **one}))
        seed("jwe-json", json.dumps({**whole, "unprotected": {"y": "z"}, "recipients": [one]}))
        if head and b"\0" not in head:
            seed("jwe", b"\1" + head + b"\0some plaintext")


def openssl(*arguments, data=None):
    done = subprocess.run(["openssl", *arguments], input=data, capture_output=True)
    if done.returncode:
        sys.exit(f"seeds: openssl {arguments}: {done.stderr.decode()}")
    return done.stdout


def key_files(certificates):
    rsa = openssl("genrsa", "2048")
    forms = [
        rsa,
        openssl("pkey", "-outform", "DER", data=rsa),
        openssl("rsa", "-traditional", data=rsa),
        openssl("rsa", "-traditional", "-outform", "DER", data=rsa),
        openssl("pkey", "-pubout", data=rsa),
        openssl("pkey", "-pubout", "-outform", "DER", data=rsa),
        openssl("rsa", "-RSAPublicKey_out", data=rsa),
        openssl("rsa", "-RSAPublicKey_out", "-outform", "DER", data=rsa),
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout"),
        openssl("genpkey", "-algorithm", "ed25519", "-outform", "DER"),
    ]
    for prf in ["hmacWithSHA256", "hmacWithSHA512"]:
        forms.append(openssl("pkcs8", "-topk8", "-v2", "aes-256-cbc", "-v2prf", prf, "-iter",
                             "1000", "-passout", "pass:password", "-outform", "DER", data=rsa))
    forms.append(openssl("pkcs8", "-topk8", "-v2", "aes-128-cbc", "-iter", "1000", "-passout",
                         "pass:password", data=rsa))
    for form in forms:
        seed("key-file", form)
    for der in certificates[:3]:
        seed("key-file", der)
        seed("key-file", openssl("x509", "-inform", "DER", data=der))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "key").write_bytes(rsa)
        cert = openssl("req", "-x509", "-key", str(path / "key"), "-subj", "/CN=fuzz", "-days", "9")
        (path / "cert").write_bytes(cert)
        seed("key-file", rsa + cert)
        base = ["pkcs12", "-export", "-inkey", str(path / "key"), "-in", str(path / "cert"),
                "-passout", "pass:password", "-iter", "1000"]
        modern = ["-keypbe", "AES-256-CBC", "-certpbe", "AES-256-CBC", "-macalg", "sha256"]
        seed("pkcs12", openssl(*base, *modern))
        seed("pkcs12", openssl(*base, *modern, "-name", "a name"))
        seed("pkcs12", openssl(*base, "-keypbe", "NONE", "-certpbe", "NONE", "-macalg", "sha256"))
        seed("pkcs12", openssl(*base, "-keypbe", "AES-128-CBC", "-certpbe", "NONE", "-nomac"))


def pasted_files(certificates):
    """Key files as people pass them on, PKCS#7, and what is named and not read."""
    rsa = openssl("genpkey", "-algorithm", "ed25519")
    text = rsa.decode()
    lines = text.split("\n")
    chain = "".join(openssl("x509", "-inform", "DER", data=one).decode()
        for one in certificates[:2])
    files = [text, chain]
    for file in files:
        escaped = file.replace("\n", "\\n")
        for target in ["key-file", "certificate-file"]:
            for form in [file, "\ufeff" + file, escaped, '"' + escaped + '"',
                escaped.replace("\\n", "\\r\\n"),
                         file.replace("\n", ""), "\t" + file.replace("\n", "\n\t"),
                         file.replace("\n", "\r\n"),
                         "# " + file, file.replace("PRIVATE KEY", "CERTIFICATE"),
                         file.encode("utf-16")]:
                seed(target, form)
            body = "".join(line for line in file.split("\n") if not line.startswith("-"))
            seed(target, body)
            seed(target, body.replace("+", "-").replace("/", "_").rstrip("="))
            seed(target, base64.b64encode(file.encode()))
    for one in certificates[:3]:
        seed("certificate-file", one)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "chain").write_text(chain)
        for form in ["PEM", "DER"]:
            bag = openssl("crl2pkcs7", "-nocrl", "-certfile", str(path / "chain"), "-outform", form)
            for target in ["key-file", "certificate-file"]:
                seed(target, bag)
                seed(target, base64.b64encode(bag))
    for text in ["ssh-rsa AAAA", "---- BEGIN SSH2 PUBLIC KEY ----",
        "PuTTY-User-Key-File-3: ssh-rsa", b"\xfe\xed\xfe\xed\0\0\0\2",
                 '{"type":"service_account","private_key":"x"}', "<RSAKeyValue>",
                 "-----BEGIN PGP MESSAGE-----\nA: b"]:
        seed("key-file", text)
    for text in ["CN=client,O=Example,C=BE", "CN=a+serialNumber=1, O=Example\\, Inc, C=BE",
        "2.5.4.97=x,OID.1.2.3=#0c0161",
                 "CN=\\ a\\20,O=Lu\\C4\\8Di\\C4\\87", "DC=example,DC=com,emailAddress=a@b",
                 "CN=a,,O=b", "/CN=a", "CN=\"a\""]:
        seed("subject", text)


def der(tag, *parts):
    body = b"".join(parts)
    size = len(body)
    if size < 0x80:
        return bytes([tag, size]) + body
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(octets)]) + octets + body


def key_pairs(keys):
    """Key files of ML-DSA, by hand, as an older openssl writes none (RFC 9881); where it can, its
    own, and certificates."""
    for place, key in enumerate(keys.values()):
        algorithm = der(0x30,
            der(0x06, bytes.fromhex("608648016503040311")[:-1] + bytes([0x11 + place])))
        pub, secret = undo(key["pub"]), undo(key["priv"])
        spki = der(0x30, algorithm, der(0x03, b"\0" + pub))
        seed("key-file", spki)
        seed("key-file",
            b"-----BEGIN PUBLIC KEY-----\n" + base64.encodebytes(spki)
            + b"-----END PUBLIC KEY-----\n")
        for inner in [der(0x80, secret), der(0x30, der(0x04, secret), der(0x04, bytes(2560))),
                      der(0x04, bytes(2560)), der(0x80, secret[:-1]), der(0x30, der(0x04, secret))]:
            seed("key-file", der(0x30, der(0x02, b"\0"), algorithm, der(0x04, inner)))
        seed("jwk-set",
            json.dumps(
                {"keys": [{**key, "use": "sig"}, {"kty": "AKP", "alg": "X", "pub": key["pub"]}]}))
    if b"ML-DSA-44" not in openssl("list", "-signature-algorithms"):
        print("seeds: this openssl has no ML-DSA: no key files and certificates of its own")
        return
    own = openssl("genpkey", "-algorithm", "ML-DSA-44")
    forms = [[], ["-provparam", "ml-dsa.output_formats=seed-only"],
        ["-provparam", "ml-dsa.output_formats=priv-only"]]
    for form in forms:
        seed("key-file", openssl("pkcs8", "-topk8", "-nocrypt", "-outform", "DER", *form, data=own))
    seed("key-file",
        openssl("pkcs8", "-topk8", "-v2", "aes-256-cbc", "-iter", "1000", "-passout",
                             "pass:password", *forms[1], data=own))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "key").write_bytes(own)
        subject = ["-subj", "/CN=fuzz", "-days", "9"]
        cert = openssl("req", "-x509", "-key", str(path / "key"), *subject, "-outform", "DER")
        seed("chain", b"\0" + len(cert).to_bytes(2, "big") + cert)
        seed("key-file", cert)
        (path / "rsa").write_bytes(openssl("genrsa", "2048"))
        (path / "ca").write_bytes(openssl("req", "-x509", "-key", str(path / "rsa"), *subject))
        (path / "csr").write_bytes(openssl("req", "-new", "-key", str(path / "key"), "-subj",
            "/CN=leaf"))
        leaf = openssl("x509", "-req", "-in", str(path / "csr"), "-CA", str(path / "ca"), "-CAkey",
                       str(path / "rsa"), "-days", "9", "-outform", "DER")
        seed("chain", b"\0" + len(leaf).to_bytes(2, "big") + leaf)
        seed("pkcs12",
            openssl("pkcs12", "-export", "-inkey", str(path / "key"), "-nocerts", "-passout",
                               "pass:password",
                               "-iter", "1000", "-keypbe", "AES-256-CBC", "-macalg", "sha256"))


def vector_file(name):
    return json.loads((root / "Vectors" / f"{name}.json").read_text())


def chains(document):
    certificates = []
    for part in ["vectors", "negative"]:
        for case in document[part]:
            x5c = case["input"]["jwk"].get("x5c")
            if not isinstance(x5c, list) or not all(isinstance(text, str) for text in x5c):
                continue
            try:
                ders = [base64.b64decode(text, validate=True) for text in x5c]
            except ValueError:
                continue
            certificates += ders
            data = b"".join(len(der).to_bytes(2, "big") + der for der in ders if len(der) < 65536)
            for purpose in [b"\0", b"\1"]:
                seed("chain", purpose + data)
    return certificates


for path in sorted((root / "Vectors").glob("*.json")):
    document = json.loads(path.read_text())
    if document.get("format") != "jose-vectors/1":
        continue
    for name, value in walk(document):
        if name == "compact" and isinstance(value, str):
            token(value)
        elif name in ("json", "flattened", "general") and isinstance(value, dict):
            seed("jwe-json" if "ciphertext" in value else "jws-json", json.dumps(value))
        elif name == "jwks_text" or (name and name.endswith("_text") and isinstance(value, str)):
            seed("json", value)
            seed("claims", value)
            seed("jwk-set", value)
        elif name == "jwk" or (isinstance(value, dict) and "kty" in value):
            text = json.dumps(value, separators=(",", ":"))
            seed("jwk", text)
            seed("jwk-set", '{"keys":[' + text + "]}")
        elif name == "jwks":
            seed("jwk-set", json.dumps(value, separators=(",", ":")))
    if path.name == "x5c.json":
        key_files(chains(document))
        pasted_files(chains(document))
    if path.name == "rfc9964.json":
        key_pairs(document["keys"])

for kind, (r, s) in itertools.product(range(3),
        itertools.product([b"\1", b"\x7f" * 31, b"\0" + b"\x80" * 32], repeat=2)):
    body = b"".join(b"\2" + bytes([len(n)]) + n for n in (r, s))
    seed("signature-value", bytes([kind]) + b"\x30" + bytes([len(body)]) + body)
large = b"".join(b"\2\x42" + b"\1" * 66 for _ in range(2))
for der in [b"\x30\x81\x88" + large, b"\x30\x88" + large, b"\x30\x06\2\1\0\2\1\0",
        b"\x30\x08\2\2\0\1\2\2\0\1", b"\x30\0"]:
    seed("signature-value", b"\2" + der)
for kind, size in itertools.product(range(24), [0, 32, 256]):
    seed("external-key-response", bytes([kind]) + b"\1" * size)
for text in ["", "A", "AA", "AB", "AAA", "AAAA" * 40, "-_-_", "////", "AA==", "A" * 129 + "="]:
    seed("base64url", text)
for text in ["0", "-0", "1e400", "[" * 33 + "]" * 33, "[" * 32 + "]" * 32, '{"a":1,"\\u0061":2}',
             '"\\ud83d\\ude00"', '"\\ud800"', "[1,1,1,1]", "1.7976931348623157e308", "1E+2",
             "\ufeff1",
             '{"a":{"b":[null,true,false,"\\n"]}}', "99999999999999999999", "0.1e-7", "[1.0,10e1]"]:
    seed("json", text)
    seed("claims", text)
state = "state=a-state&iss=https%3A%2F%2Fidp.example%2Fv2"
for query in ["code=abc&" + state, state + "&code=a%2Bb+c&x=y&error=",
              "error=access_denied&" + state,
              "error=server_error&error_description=no%20way&error_uri=https%3A%2F%2Fx&" + state,
              "code=a&state=a-state", "code=a&" + state + "&state=b", "c%6fde=a&" + state, "%",
              "&&=&"]:
    seed("callback", query)
for value in [
    {"userinfo": {"name": None, "email": {"essential": True}},
        "id_token": {"auth_time": {"essential": True}}},
    {"id_token": {"acr": {"values": ["a", "b"]}, "sub": {"value": "u"}}},
    {"id_token": {"acr": {"value": ["a", "b"]}}},
    {"id_token": {"acr": {"essential": False, "value": "a", "values": ["b"]},
        "acr_values": {"value": "c"}}},
    {"id_token": {"acr": {"value": [1]}, "sub": {"values": [None, {"a": [1.5]}]}}, "own": [1]},
    {"id_Token": {}}, {"id_token": {"K": None, "\u212a": {"purpose": "x"}}}]:
    seed("claims-request", json.dumps(value))
    seed("claims-request", json.dumps(value, ensure_ascii=False))
for text in ["a client:s3c r/t+:%2F", "a+client:s3c+r%2Ft%2B%3A%252F",
    "a%20client:s3c%20r/t%2b:%252f", "a+client:s3c r/t+:%2F",
             ":", "a client", "a client:", "Basic YSBjbGllbnQ6czNjIHIvdCs6JTJG",
             "basic  YStjbGllbnQ6czNjK3IlMkZ0JTJCJTNBJTI1MkY=",
             "Bearer x", "client_id=a+client&grant_type=x", "client_assertion=a.eyJpc3MiOiJ4In0.c",
             "client_assertion=a.e30.c", "a=%"]:
    seed("basic", text)
for text in [
    "grant_type=authorization_code&code=a%2Bb&redirect_uri=https%3A%2F%2Frp.example%2Fcb&code_verifier=" + "A" * 43,
             "grant_type=authorization_code&code=a&resource=https:%2F%2Fr.example&resource=https:%2F%2Fs.example&client_id=c",
             "grant_type=refresh_token&refresh_token=a.b&scope=openid+email",
             "grant_type=refresh_token&refresh_token=.&resource=x",
             "grant_type=urn:openid:params:grant-type:ciba&auth_req_id=" + "a" * 43,
             "grant_type=urn%3Aopenid%3Aparams%3Agrant-type%3Aciba&auth_req_id=%c3%a9&resource=https:%2F%2Fr.example",
             "token=mF_9.B5f-4.1JqM&token_type_hint=access_token", "token=a+b&client_id=c",
             "token=a&token=b", "grant_type=password&code=a"]:
    seed("basic", text)
base = "https://idp.example/v2"
algorithms = {"_signing_alg_values_supported": ["RS256"],
              "_encryption_alg_values_supported": ["RSA-OAEP"],
              "_encryption_enc_values_supported": ["A128CBC-HS256"]}
document = {
    "issuer": base, "authorization_endpoint": base + "/a", "token_endpoint": base + "/t",
    "userinfo_endpoint": base + "/u", "jwks_uri": base + "/k", "response_types_supported": ["code"],
    "subject_types_supported": ["public"], "scopes_supported": ["openid"],
    "token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_basic"],
    "request_parameter_supported": True, "code_challenge_methods_supported": ["S256"],
    "authorization_response_iss_parameter_supported": True,
    **{kind + name: value for kind in ["id_token", "userinfo", "request_object"] for name,
        value in algorithms.items()},
}
for value in [document, {**document, "issuer": base + "/"},
    {**document, "token_endpoint": "http://x"},
              {"access_token": "abc", "token_type": "Bearer", "id_token": "a.b.c",
                  "expires_in": 300},
              {"error": "invalid_grant", "error_description": "no"}]:
    seed("discovery", json.dumps(value))
form = "application/x-www-form-urlencoded"
for call in [("GET", "", "Bearer abc.d-e_f~+/=="),
    ("POST", "x=y", "bearer  a", "application/json", "access_token=b"),
             ("POST", "", "", form + "; charset=utf-8", "a=b&access_token=c%2Bd"),
             ("GET", "access_token=a", "Bearer a"),
             ("POST", "", "Bearer a", form, "access_token=a"), ("GET", "", "Bearer a, Bearer b"),
             ("GET", "", "Basic AA=="),
             ("POST", "", "", form, "access_token=a&access_token=b"), ("PUT", "", "Bearer a"),
             ("GET", "", "Bearer ")]:
    seed("bearer", "\n".join(call))
for text in ['Bearer realm="u"', 'Bearer error="invalid_token", error_description="It expired"',
    'error="insufficient_scope"',
             '{"status":"OK","activationCode":"1","statusUrl":"https://a.b/s","completeUrl":"https://a.b/c"}',
             '{"status":"ERROR","completeUrl":"https://a.b","error":{"code":"urn:x","message":"no"}}', '{"status":"ERROR"}']:
    seed("bearer", text)
proof = {"jti": "j-1", "htm": "GET", "htu": "https://api.example/a/b", "iat": 1760000000}
signing = vector_file("attacks")["keys"]["sig"]
signer = {name: signing[name] for name in ("kty", "n", "e")}
for head, body in [({}, {}), ({}, {"ath": "x"}),
    ({}, {"htu": "HTTPS://API.example:443/a/c/../%62?d#e"}), ({"typ": "JWT"}, {}),
                   ({"alg": "none"}, {}), ({"jwk": signing}, {}),
                   ({"jwk": {**signer, "e": "Aw"}}, {}), ({}, {"htm": "get"}),
                   ({"kid": "k", "jwk": {**signer, "kid": "l", "use": "sig"}},
                       {"nonce": "n", "x": [1]}), ({}, {"iat": 1760000100})]:
    head = {"typ": "dpop+jwt", "alg": "RS256", "jwk": signer, **head}
    seed("dpop", b"\1" + json.dumps(head).encode() + b"\0" + json.dumps({**proof, **body}).encode())
for case in vector_file("rfc9449")["vectors"]:
    seed("dpop", case["input"]["compact"])
for text in ["eyJ7S_zG.eyJH0-Z.HX4w-7v", "eyJ7S_zG.eyJbYu3.xQmBj-1", "a b", 'a"b', "a\\b",
        "x" * 1024, "x" * 1025]:
    seed("dpop", text)
for call in [("GET", "https://api.example/a?b=c", "DPoP abc.d-e_f~+/==", "a.b.c"),
    ("POST", "https://api.example/", "bearer  a"),
             ("GET", "https://api.example/?access_token=a", "Bearer a"), ("GET", "/", "Basic AA=="),
             ("DELETE", "", "dpop a", ""),
             ("GET", "https://api.example/?%61ccess_token=a#b", "Bearer a"),
             ("GET", "https://a.b/#?access_token=c", "DPoP a")]:
    seed("resource-request", "\n".join(call))
digest = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
for claims in [{"sub": "s", "client_id": "c", "scope": "a b", "cnf": {"jkt": digest}},
    {"sub": "s", "client_id": "c", "cnf": {"x5t#S256": digest}},
               {"sub": "s", "client_id": "c", "cnf": {"kid": "k"}},
               {"sub": "s", "client_id": "c", "auth_time": 1, "acr": "x", "scope": "  a "},
               {"token_introspection": {"active": True, "aud": ["a"], "cnf": {"jkt": digest},
                   "exp": 1760000100, "scope": "a"}},
               {"token_introspection": {"active": False, "sub": "s"}},
               {"token_introspection": {"active": True, "exp": 1}}]:
    seed("access-token", json.dumps(claims))
old, new = "tag:sixdots.be,", "http://itsme.services/V2/claim/"
for claims in [{"name": "n", "email": "a@b", "email_verified": False, "birthdate": "1990-12-31",
    "locale": "nl_BE"},
               {"picture": "https://a.b/c", "profile": "http://a.b", "updated_at": 1.5,
                   "address": {"street_address": "a\nb"}},
               {"picture": "/+8AAQ==", "birthdate": "0000-02-29", "locale": 1, "address": [],
                   "email_verified": "true"},
               {old + "2016-06:claim_eid": {"eid": "1", "read_date": "2017-04-01T19:43:37+0000",
                   "validity_to": "2027-04-01"},
                old + "2017-05:claim_photo": "AAAA",
                "tag:itsmetag:sixdots.be,2016-06:claim_nationality": "BE"},
               {old + "2017-05:claim_device": {"os": "ANDROID", "rooted": False, "deviceId": "d",
                   "deviceID": "e"},
                old + "2017-05:claim_transaction_info": {"mcc": 206, "bindLevel": "SIM_ONLY"}},
               {new + "BEeidSN": "592-1", new + "claim_device": {"os": "iOS", "rooted": "no"},
                   new + "place_of_birth": "Gent"},
               {new + "claim_citizenship": "BE", new.lower() + "claim_citizenship": "NL",
                   new + "transaction_info": {"mcc": 1}},
               {"os": "iOS", "deviceID": "d", "rooted": True, "eid": "592-1",
                   "read_date": "2017-04-01T19:43:37+0000", "mcc": 206,
                "street_address": "a", "SNN": "L1", "place of Birth": "Gent",
                "e-ID Picture": "AAAA"},
               {"os": 1, "mcc": "206", "country": [],
                   old + "2017-05:claim_device": {"os": "ANDROID"}, "bindLevel": "x"}]:
    seed("user-claims", json.dumps({"sub": "u", **claims}))
parameters = {"response_type": "code", "client_id": "c", "scope": "openid",
    "redirect_uri": "https://rp.example/cb", "nonce": "n"}
for claims in [parameters,
    {**parameters, "iss": "c", "aud": [base], "exp": 9999999999, "max_age": 60,
        "login_hint": ["a", "b"]},
               {**parameters, "claims": {"id_token": {"acr": {"values": ["x"]}}},
                   "own": {"a": [1, None]}, "text": "t"},
               {"own": 1}, {}, {**parameters, "request": "x"}, {**parameters, "state": 1.5},
               {"sub": "c", "prompt": "none"},
               {**parameters, "idp_params": {"mitid": {"enable_app_switch": True}}},
               {**parameters, "idp_params": '{"mitid":{"a":"\\u007f"}}'},
               {**parameters, "idp_params": "[]", "claims": "{}"}, {**parameters, "idp_params": ""},
               {**parameters, "x\ny": "a\nb", "\u00e9": "e\u0301", "flag": True, "none": None,
                   "list": []}]:
    seed("request-object", json.dumps(claims))
    seed("request-object", json.dumps(claims, ensure_ascii=False, indent=1))
pushed = (
          "client_id=c&response_type=code&scope=openid&redirect_uri=https%3A%2F%2Frp.example%2Fcb&state=s&nonce=n"
          "&code_challenge_method=S256&code_challenge=" + "A" * 43)
for text in [pushed, pushed + "&request_uri=urn:ietf:params:oauth:request_uri:a",
    pushed + "&client_secret=x", pushed + "&own=%FF",
             pushed + "&claims=%7B%22id_token%22:%7B%7D%7D&resource=https:%2F%2Fr.example&max_age=0", "request=e30.e30.e30",
             pushed.replace("client_id=c&", ""), pushed.replace("cb", "cc"),
             pushed + "&response_mode=query.jwt",
             '{"request_uri":"urn:ietf:params:oauth:request_uri:a","expires_in":60}',
             '{"request_uri":"urn:a#b","expires_in":0}']:
    seed("pushed", text)
asked = "scope=openid&login_hint=a&client_notification_token=" + "A" * 22
for text in [asked, asked + "&binding_message=W4SCT&user_code=1&requested_expiry=60",
    asked + "&id_token_hint=b", asked + "&own=%FF",
             asked.replace("login_hint", "login_hint_token"), asked + "&request=e30.e30.e30",
             "request=e30.e30.e30&client_id=c",
             '{"auth_req_id":"' + "a" * 22 + '","expires_in":120,"interval":2}',
             '{"auth_req_id":"a","expires_in":0}', "Bearer " + "A" * 22]:
    seed("backchannel", text)
signed = {"iss": "c", "aud": base, "exp": 1760000300, "iat": 1760000000, "nbf": 1760000000,
          "jti": "j", "scope": "openid", "login_hint": "a", "client_notification_token": "A" * 22}
for claims in [signed, {**signed, "requested_expiry": 60, "own": [1]},
    {**signed, "requested_expiry": "060"}, {**signed, "nbf": 1759990000},
               {**signed, "login_hint_token": "b"}, {**signed, "sub": "c"},
               {**signed, "aud": [base, "b"]}, {**signed, "login_hint": ["a"]}]:
    seed("backchannel", json.dumps(claims))
answer = {"iss": base, "aud": "c", "exp": 1760000300, "state": "a-state", "code": "abc"}
for claims in [answer, {**answer, "aud": ["b", "c"]}, {**answer, "error": "access_denied"},
    {**answer, "code": 1}, {**answer, "sub": "u"},
               {**{k: v for k, v in answer.items() if k != "code"}, "error": "server_error",
                   "error_description": "no\n"},
               {**answer, "exp": 9999999999}, {**answer, "state": "b"},
               {**answer, "iss": base + "/"}, {**answer, "code": "\u00e9"}]:
    seed("signed-response", json.dumps(claims))
    left = {**claims, "iat": 1760000000, "jti": "j", "sid": "s",
        "events": {"http://schemas.openid.net/event/backchannel-logout": {}}}
    seed("signed-response", json.dumps(left))
    # as of providers that write neither typ nor exp
    seed("signed-response", json.dumps({k: v for k, v in left.items() if k != "exp"}))
    seed("signed-response", json.dumps(claims, ensure_ascii=False, indent=1))
for path in ["/a/b", "/a/b/", "/a/b/1?x=%2f..", "/a/b2", "/a/../b", "/a/b/%2e%2e/x", "/a/b/..;/x",
             "/a//b", "/a/./b", "", "/", "?a/b",
             "/a/b#x", "/a/b\\..\\x", "/a/b/...", "/a/b:c@d!$&'()*+,=~_-."]:
    for host in ["rp.example", "RP.example:443", "rp.example:8443", "u@rp.example",
            "rp.example.evil.example", "[::1]", "127.1"]:
        seed("address", "https://" + host + path)
for host in ["127.0.0.1", "[::1]", "localhost", "127.0.0.1.evil.example", "127.0.0.1@evil.example",
        "2130706433", "[::2]", "127.1"]:
    for port in ["", ":1", ":50000", ":65535", ":0", ":65536", ":080", ":", ":80:80"]:
        for path in ["/cb", "/cb?a=b", "/", "", "/cb#f", "/cb/../x", "/c%62"]:
            seed("redirect", "http://" + host + port + path)
for path in ["", "token=a%20b;object=k%3b;id=%00%ff;type=private",
    "slot-id=18446744073709551615;library-version=3.14",
             "manufacturer=m;serial=01;model=x;slot-description=d&e;slot-manufacturer=f;library-description=g;library-manufacturer=h",
             "token=a;token=b", "type=key", "slot-id=01", "token=%4", "x-vendor=1", "token=a/b",
             "object=\u212a"]:
    for query in ["", "?module-path=/usr/lib/a.so&pin-source=file:/etc/pin",
            "?module-name=a|b?&pin-value=1", "?"]:
        seed("token-uri", "pkcs11:" + path + query)
texts = ['{"alg":"A128KW"}', '{"enc":"A128CBC-HS256"}',
    '{"alg":"A128KW","enc":"A128CBC-HS256","kid":"kw-1"}',
         '{"kid":"kw-1","x":[1,{"a":null}]}', '{"enc":"A128CBC-HS256","zip":"DEF"}',
         '{"crit":["x"],"x":1}', '']
for form in "\1", "\2":
    for protected, shared, own in itertools.permutations(texts, 3):
        for aad in "", "bound":
            seed("jwe-json", "\0".join([form + protected, shared, own, aad, "some plaintext"]))
numbers = [-2**63, -2**53, -60, -1, 0, 1, 60, 300, 301, 2**31, 1760000000, 253402300799,
    253402300800, 10**12, 2**63 - 1]
for use in range(35):
    # two that are at hand for each other, then a row of them
    for first, second in zip(numbers, reversed(numbers)):
        seed("numbers",
            b"".join(bytes([use]) + struct.pack(">q", number) for number in (first, second)))
    seed("numbers", b"".join(bytes([use]) + struct.pack(">q", number) for number in numbers))
for claims in [{"iss": "a", "aud": ["b"], "exp": 1, "iat": 1.5, "amr": ["x"], "acr": "low"},
               {"address": {"locality": "x", "codes": [1, 255]}, "link": {"next": {"sub": "y"}}},
               {"admin": True, "byte": 255, "short": -32768, "word": 2**64 - 1, "wide": -(2**63)},
               {"ratio": 0.1, "single": 1.5, "map": {"a": 1e300}, "other": [1, {"x": None}]}]:
    seed("claims", json.dumps(claims))
