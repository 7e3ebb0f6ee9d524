"""NIST's Public Key Interoperability Test Suite, its sections on revocation: certificates and lists
as NIST made them.

The package cryptography_vectors contains the suite. The path of a case follows from the names and
key identifiers of the certificates. Its lists are those in NIST's S/MIME message for the case, and
all others issued under the name of an issuer of the path. The name of a case has its expected
result.

Every case must have NIST's result, except for two kinds, which are named below and counted. A case
with a list of an unsupported kind is rejected when the store is made. A case whose list was signed
by a key outside the path is rejected because the revocation status is unknown. The end entity of
4.14.13 is a CA, which cannot be a leaf here: with its key, published by NIST, a leaf and an empty
list are made below it.

Then each case runs again with every supported list of the suite, in both orders: an invalid path is
never valid.
"""

import base64
import datetime
import email
import pathlib
import re
import warnings

import cryptography_vectors
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12
from cryptography.x509.oid import ExtensionOID, NameOID

from batch import verdict

FOLDER = pathlib.Path(cryptography_vectors.__file__).parent / "x509" / "PKITS_data"
AT = "2020-01-01T00:00:00Z"
ROOT = "TrustAnchorRootCertificate"

# The prefixes of the case names of a section, and their number.
SECTIONS = {
    "4.4": (21, ["MissingCRL", "RevokedCA", "RevokedEE", "BadCRLSignature", "BadCRLIssuerName",
        "WrongCRL", "TwoCRLs",
                 "UnknownCRLEntryExtension", "UnknownCRLExtension", "OldCRLnextUpdate",
                 "pre2000CRLnextUpdate",
                 "GeneralizedTimeCRLnextUpdate", "NegativeSerialNumber", "LongSerialNumber",
                 "SeparateCertificateandCRLKeys"]),
    "4.5": (8, ["BasicSelfIssued"]),
    "4.7": (5, ["keyUsage"]),
    "4.14": (35,
        ["distributionPoint", "NoissuingDistributionPoint", "onlyContains", "onlySomeReasons",
                  "IDPwithindirectCRL", "cRLIssuer"]),
    "4.15": (10, ["deltaCRL"]),
}

CRITICAL = "the revocation list has an unknown critical extension"
ATTRIBUTES = "revocation lists for attribute certificates are not supported"
REASONS = "revocation lists for some reasons only are not supported"
INDIRECT = "indirect revocation lists (of several issuers) are not supported"
DELTA = "delta revocation lists are not supported; use the complete list"
WEAK = "the revocation list is signed with a weak algorithm"
NOT_TAKEN = {
    ("4.4", 8): CRITICAL, ("4.4", 9): CRITICAL, ("4.4", 10): CRITICAL, ("4.14", 14): ATTRIBUTES,
    **{("4.14", number): REASONS for number in range(15, 22)},
    **{("4.14", number): INDIRECT for number in [*range(22, 27), *range(28, 36)]},
    **{("4.15", number): DELTA for number in range(1, 11)},
}
# Their lists are signed by an issuer's key that is in no certificate of the path.
OUTSIDE = [("4.4", 19), ("4.5", 4), ("4.5", 6)]
AUTHORITY = ("4.14", 13)
# Only the delta list has the entry, and is unsupported. A store with only the complete list cannot
# know it.
ONLY_IN_A_DELTA = ("4.15", 4)

REVOKED = "a certificate has been revoked"
UNKNOWN = "there is no current revocation list for a certificate"
NOT_A_CA = "an issuing certificate is not allowed to issue certificates"


class Suite:
    def __init__(self):
        self.certificates = {f.stem: f.read_bytes() for f in (FOLDER / "certs").glob("*.crt")}
        self.lists = {f.stem: f.read_bytes() for f in sorted((FOLDER / "crls").glob("*.crl"))}
        # DSA keys with inherited parameters are in no path here.
        self.parsed = {name: x509.load_der_x509_certificate(der) for name,
            der in self.certificates.items() if "DSA" not in name}
        self.list_issuers = {name: x509.load_der_x509_crl(der).issuer for name,
            der in self.lists.items()}
        self.messages = {f.stem.lower(): f for f in (FOLDER / "smime").glob("Signed*.eml")}

    def cases(self, section):
        """(number, whether NIST considers it valid, the end entity's name) of each case."""
        found = []
        for name in self.certificates:
            match = re.fullmatch(r"(Valid|Invalid)(\D.*)Test(\d+)EE", name)
            if match and any(match[2].startswith(start) for start in SECTIONS[section][1]):
                found.append((int(match[3]), match[1] == "Valid", name))
        return sorted(found)

    def path(self, name):
        """The end entity and the certificates above it, below the root, by name and by key."""
        path = [name]
        while True:
            lowest = self.parsed[path[-1]]
            above = [other for other, certificate in self.parsed.items()
                     if certificate.subject == lowest.issuer and other not in path
                     and holds_key(certificate, lowest)]
            if ROOT in above:
                return path
            if len(above) != 1:
                raise SystemExit(f"PKITS: {path} is issued by {above}")
            path += above

    def lists_of(self, name, path):
        issuers = [self.parsed[each].issuer for each in path]
        chosen = [each for each, issuer in self.list_issuers.items() if issuer in issuers]
        message = self.messages.get("signed" + name.removesuffix("EE").lower())
        if message:
            parts = email.message_from_bytes(message.read_bytes()).walk()
            sent = b"".join(p.get_payload(decode=True) for p in parts
                if p.get_content_subtype() == "pkcs7-signature")
            chosen += [each for each, der in self.lists.items() if der in sent
                and each not in chosen]
        return chosen

    def request(self, path, lists):
        return {"op": "chain.verify", "x5c": [text(self.certificates[each]) for each in path],
            "purpose": "signature",
                "anchors": [text(self.certificates[ROOT])],
                "crls": [text(self.lists[each]) for each in lists], "at": AT}

    def below(self, name):
        """A leaf below the CA `name`, and a list of that CA that revokes nothing."""
        key, authority, _ = pkcs12.load_key_and_certificates(
            (FOLDER / "pkcs12" / f"{name}.p12").read_bytes(), b"password")
        start, end = datetime.datetime(2019, 1, 1), datetime.datetime(2021, 1, 1)
        own = authority.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        leaf = (x509.CertificateBuilder().issuer_name(authority.subject)
                .subject_name(
                    x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "leaf")])).serial_number(1)
                .public_key(rsa.generate_private_key(65537, 2048).public_key()).not_valid_before(
                    start).not_valid_after(end)
                .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own),
                    False)
                .sign(key, hashes.SHA256()))
        empty = (x509.CertificateRevocationListBuilder().issuer_name(authority.subject)
                 .last_update(start).next_update(end).sign(key, hashes.SHA256()))
        return leaf.public_bytes(Encoding.DER), empty.public_bytes(Encoding.DER)


def text(der):
    return base64.b64encode(der).decode()


def holds_key(certificate, issued):
    """Whether the certificate's key identifier is the other's authority key identifier."""
    def value(of, oid):
        try:
            return of.extensions.get_extension_for_oid(oid).value
        except x509.ExtensionNotFound:
            return None
    own = value(certificate, ExtensionOID.SUBJECT_KEY_IDENTIFIER)
    wanted = value(issued, ExtensionOID.AUTHORITY_KEY_IDENTIFIER)
    return own is None or wanted is None or own.digest == wanted.key_identifier


def run(batch, tally):
    with warnings.catch_warnings():  # of the negative serial numbers, which are intended
        warnings.simplefilter("ignore")
        run_all(Suite(), batch, tally)


def run_all(suite, batch, tally):
    cases = []
    for section, (count, _) in SECTIONS.items():
        found = suite.cases(section)
        tally.check("PKITS, all cases of a section", section,
            [n for n, _, _ in found] == list(range(1, count + 1)), f"{found}")
        cases += [((section, number), valid, name, suite.path(name)) for number, valid,
            name in found]
    asked = [made(suite, case, suite.lists_of(case[2], case[3])) for case in cases]
    for (place, valid, name, _), answer in zip(cases, batch.ask(asked)):
        judge(place, valid, name, answer, tally)
    everything(suite, cases, batch, tally)


def made(suite, case, lists):
    """The request of a case."""
    place, _, name, path = case
    request = suite.request(path, lists)
    if place == AUTHORITY:
        leaf, empty = suite.below(name)
        request["x5c"].insert(0, text(leaf))
        request["crls"].append(text(empty))
    return request


def judge(place, valid, name, answer, tally):
    got, message = verdict(answer), message_of(answer)
    told = f"{place}: {got} ({message})"
    group = f"PKITS {place[0]}"
    if place in NOT_TAKEN:
        good = got == "unsupported" and message.startswith("'crls'[") and message.endswith(
            ": " + NOT_TAKEN[place])
        tally.check(f"{group}, a list that is not taken", name, good, told)
    elif place in OUTSIDE:
        tally.check(f"{group}, a list by a key outside the path", name,
            got == "untrusted-key" and message == UNKNOWN, told)
    elif valid:
        tally.check(f"{group}, valid", name, got == "ok", told)
    else:
        tally.check(f"{group}, invalid", name,
            got == "untrusted-key" and message in (REVOKED, UNKNOWN, NOT_A_CA), told)


def everything(suite, cases, batch, tally):
    """All supported lists of the suite, in one store."""
    taken = []
    for each, answer in zip(suite.lists,
            batch.ask([suite.request(cases[0][3], [each]) for each in suite.lists])):
        if verdict(answer) in ("ok", "untrusted-key"):
            taken.append(each)
            tally.check("PKITS, lists that are taken", each, message_of(answer) in ("", UNKNOWN),
                message_of(answer))
        else:
            good = message_of(answer).removeprefix("'crls'[0]: ") in {WEAK, *NOT_TAKEN.values()}
            tally.check("PKITS, lists that are not taken", each, good, message_of(answer))
    for lists in (taken, taken[::-1]):
        answers = batch.ask([made(suite, case, lists) for case in cases])
        for (place, valid, name, _), answer in zip(cases, answers):
            got = verdict(answer)
            good = got == "untrusted-key" or (got == "ok" and (valid or place == ONLY_IN_A_DELTA))
            tally.check("PKITS, beside all lists", f"{place} {name}", good, got)


def message_of(answer):
    return (answer.get("error") or {}).get("message", "")
