"""Published key sets with certificates: every foreign implementation loads and uses ours, and
josectl theirs.

The certificates are validated by the cryptography package on one side and by `chain.verify` on the
other.
"""

import base64
import datetime
import json
import os
import subprocess

import joserfc.jwk
import jwcrypto.jwk
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from batch import b64u, payload_of, unb64u
from foreign import ENC

PAYLOAD = bytes(range(256))


class Authority:
    """A CA of the test."""

    def __init__(self):
        self.key = rsa.generate_private_key(65537, 2048)
        self.certificate = self.issue("root", self.key.public_key(), authority=True)

    def issue(self, name, public_key, authority=False, encrypts=False):
        def named(text):
            return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

        now = datetime.datetime.now(datetime.timezone.utc)
        usage = dict.fromkeys(["content_commitment", "data_encipherment", "key_agreement",
            "crl_sign", "encipher_only", "decipher_only"], False)
        usage |= {"digital_signature": not authority and not encrypts, "key_encipherment": encrypts,
            "key_cert_sign": authority}
        builder = x509.CertificateBuilder(named("root"), named(name), public_key,
            x509.random_serial_number(),
                                          now - datetime.timedelta(hours=1),
                                          now + datetime.timedelta(days=30))
        builder = builder.add_extension(x509.BasicConstraints(authority, None),
            True).add_extension(x509.KeyUsage(**usage), True)
        builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key),
            False)
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(self.key.public_key()), False)
        return builder.sign(self.key, hashes.SHA256())

    def write(self, folder):
        """The input files of `keys certify`."""
        key, certificate = os.path.join(folder, "ca.key"), os.path.join(folder, "ca.pem")
        with open(key, "wb") as file:
            file.write(self.key.private_bytes(serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        with open(certificate, "wb") as file:
            file.write(self.certificate.public_bytes(serialization.Encoding.PEM))
        return key, certificate


def der(certificate):
    return base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode()


def run(sides, josectl, folder, batch, tally):
    authority = Authority()
    private, published = ours(josectl, folder, authority)
    certificates(published, authority, tally)
    for side in sides:
        given(side, private, published, batch, tally)
        taken(side, authority, batch, tally)


# ---- ours to theirs

def ours(josectl, folder, authority):
    """A private set and the public one with x5c, made only by the command line."""
    def call(*words):
        subprocess.run([josectl, *words], check=True, capture_output=True, cwd=folder, timeout=120)

    key, certificate = authority.write(folder)
    call("keys", "new", "--kid", "sig-1", "--kid", "enc-1", "--out", "p.own", "--public", "p.bare",
        "--force")
    call("keys", "certify", "p.own", "--ca", certificate, "--ca-key", key, "--subject", "CN=op",
        "--out", "p.certified", "--force")
    call("keys", "public", "p.certified", "--out", "p.open", "--force")
    call("keys", "lint", "p.open")
    with open(os.path.join(folder, "p.own")) as own, open(os.path.join(folder, "p.open")) as opened:
        return json.load(own)["keys"], json.load(opened)


def certificates(published, authority, tally):
    """The contents of our certificates as another X.509 library reads them."""
    group = "published by us, certificates"
    for key in published["keys"]:
        leaf, root = (x509.load_der_x509_certificate(base64.b64decode(text)) for text in key["x5c"])
        numbers = leaf.public_key().public_numbers()
        tally.check(group, "the leaf's key",
            (numbers.n, numbers.e) == tuple(int.from_bytes(unb64u(key[m]), "big") for m in "ne"))
        tally.check(group, "root", root == authority.certificate)
        tally.check(group, "thumbprint", b64u(leaf.fingerprint(hashes.SHA256())) == key["x5t#S256"])
        leaf.verify_directly_issued_by(root)
        root.public_key().verify(leaf.signature, leaf.tbs_certificate_bytes, padding.PKCS1v15(),
            leaf.signature_hash_algorithm)
        usage = leaf.extensions.get_extension_for_class(x509.KeyUsage).value
        tally.check(group, "usage",
            (usage.digital_signature, usage.key_encipherment) == ((key["use"] == "sig"),
                (key["use"] == "enc")))
        basic = leaf.extensions.get_extension_for_class(x509.BasicConstraints)
        tally.check(group, "no authority", basic.critical and not basic.value.ca)


def given(side, private, published, batch, tally):
    group = f"published by us, {side.name}"
    text = json.dumps(published)
    keys = loaded(side, text)
    tally.check(group, "all keys", sorted(keys) == ["enc-1", "sig-1"], f"{sorted(keys)}")
    signing, decrypting = (next(key for key in private if key["use"] == use)
        for use in ("sig", "enc"))
    signed, = batch.ask(
        [{"op": "jws.sign", "key": signing, "alg": "RS256", "payload": b64u(PAYLOAD)}])
    if tally.expect(group, "sign", signed, "ok"):
        tally.check(group, "theirs verifies by our set",
            bytes(side.verify(keys["sig-1"], signed["token"])) == PAYLOAD)
    job = "RSA-OAEP-256"  # as the key's alg says
    if job in side.jobs:
        token = side.encrypt(keys["enc-1"], PAYLOAD, {"alg": job, "enc": ENC, "kid": "enc-1"})
        opened, = batch.ask(
            [{"op": "jwe.decrypt", "key": decrypting, "token": token, "algs": [job],
                "encs": [ENC]}])
        tally.check(group, "encrypted to our set",
            opened.get("ok") and payload_of(opened) == PAYLOAD, f"{opened}"[:200])


def loaded(side, text):
    """The public keys of a set by kid, read by the implementation's own JWK Set parser if it has
    one."""
    if side.name == "jwcrypto":
        keys = [key.export_public(as_dict=True)
            for key in jwcrypto.jwk.JWKSet.from_json(text)["keys"]]
    elif side.name == "joserfc":
        keys = [dict(key.as_dict(private=False))
            for key in joserfc.jwk.KeySet.import_key_set(json.loads(text)).keys]
    elif side.name == "jose":
        keys = json.loads(side.run("jwk", "pub", "-i-", "-s", data=text.encode()))["keys"]
    else:
        keys = json.loads(text)["keys"]
    return {key["kid"]: key for key in keys}


# ---- theirs to ours

def taken(side, authority, batch, tally):
    group = f"published by {side.name}"
    members = {} if side.name in ("jose", "cjose") else {"use": "sig", "kid": "their-sig"}
    private, public = side.new_key(**members)
    numbers = rsa.RSAPublicNumbers(*(int.from_bytes(unb64u(public[m]), "big") for m in "en"))
    leaf = authority.issue("their", numbers.public_key())
    chain = [der(leaf), der(authority.certificate)]
    document = {**public, "x5c": chain, "x5t#S256": b64u(leaf.fingerprint(hashes.SHA256()))}
    if side.name in ("jwcrypto",
        "joserfc"):  # these two carry the certificates in a separate key
        document = list(loaded(side, json.dumps({"keys": [document]})).values())[0]
    token = side.sign(private, PAYLOAD,
        {"alg": "RS256", **({"kid": public["kid"]} if "kid" in public else {})})
    anchors = [der(authority.certificate)]
    now = int(datetime.datetime.now(datetime.timezone.utc).timestamp())
    judge = {"op": "chain.verify", "jwk": document, "anchors": anchors, "at": now,
        "purpose": "signature"}
    read, verified, judged, late = batch.ask([
        {"op": "jwks.parse", "jwks": {"keys": [document]}},
        {"op": "jws.verify", "keys": {"keys": [document]}, "token": token, "algs": ["RS256"]},
        judge, {**judge, "at": now + 31 * 86_400}])
    tally.check(group, "read", len(read.get("keys", [])) == 1 and read.get("skipped") == [],
        f"{read}"[:200])
    tally.check(group, "verifies", verified.get("ok") and payload_of(verified) == PAYLOAD,
        f"{verified}"[:200])
    tally.check(group, "chain", judged.get("ok") and judged["subject"] == "CN=their"
        and "x5c" in judged["public"], f"{judged}"[:200])
    tally.expect(group, "chain that has ended", late, "untrusted-key")
