"""Functions whose mutants must all be killed, by topic. names.py checks that each exists."""

CRITICAL = {
    "tag compare": [
        ("CShims/CJOSEBytes/secret.c", ["josebytes_equal_constant_time"]),
        ("CShims/CJOSECrypto/signatures/signature_hmac.c", ["verify"]),
        ("CShims/CJOSECrypto/content/content_gcm.c", ["decrypt"]),
        ("Sources/JOSEBytes/Secrets.swift", ["equalConstantTime"]),
    ],
    "MAC before decrypt": [
        ("CShims/CJOSECrypto/content/content_cbc_hmac.c", ["decrypt", "check_padding"]),
        ("CShims/CJOSECrypto/content/content.c", ["jose_content_decrypt"]),
        ("CShims/CJOSECrypto/keymgmt/keymgmt_message.c", ["open_message", "open"]),
    ],
    "RSA verdict": [
        ("CShims/CJOSECrypto/signatures/signature_rsa.c", ["is_encoding", "check_with", "recheck", "verify_by_evp", "jose_signature_rsa_verify"]),
        ("CShims/CJOSECrypto/signatures/signature_pkcs1.c",
         ["make_block", "accepts_key", "is_encoding"]),
        ("CShims/CJOSECrypto/signatures/pkcs1.c", None),
    ],
    "kernel of doubles": [
        ("CShims/CJOSEKernels/fma_arith.h", None),
        ("CShims/CJOSEKernels/fma_products.c", None),
        ("CShims/CJOSEKernels/fma_power.c", None),
        ("CShims/CJOSEKernels/fma_x4.c", None),
        ("CShims/CJOSEKernels/fma_limbs.c", ["read", "write", "jose_below_portable"]),
        ("CShims/CJOSEKernels/fma_key.c", ["balance", "inverse", "arrange", "fill"]),
        ("CShims/CJOSEKernels/fma_public.c", ["take_lane", "jose_rsa_fma_run", "jose_rsa_fma_run_x4"]),
    ],
    "private operations": [
        ("CShims/CJOSEKernels/ifma_pairs.h", None),
        ("CShims/CJOSEKernels/ifma_x8.h", None),
        ("CShims/CJOSEKernels/ifma_arith.h", None),
        ("CShims/CJOSEKernels/ifma_private.h", None),
        ("CShims/CJOSEKernels/ifma_private.c", None),
        ("CShims/CJOSEKernels/ifma_private_x4.c", None),
        ("CShims/CJOSEKernels/fma_private.c", None),
        ("CShims/CJOSEKernels/fma_private_power.c", None),
        ("CShims/CJOSEKernels/private_crt.c", None),
        ("CShims/CJOSEKernels/private_key.c", None),
        ("CShims/CJOSEKernels/private_run.c", None),
        ("CShims/CJOSECrypto/keys/rsa_private_fast.c", None),
        ("CShims/CJOSECrypto/keys/rsa_private_batch.c", None),
    ],
    "algorithm admission": [
        ("Sources/JOSE/JWS/SignatureCheck.swift", ["selectKey", "verify"]),
        ("Sources/JOSE/JWS/SignatureHeaderPolicy.swift", None),
        ("Sources/JOSE/JWS/SignatureCheck+JSON.swift", ["verifyAny", "verifyAll", "verifyEach", "verify", "skip"]),
        ("Sources/JOSE/Header/HeaderFields.swift", None),
        ("Sources/JOSE/JWE/JWEOpening+Policy.swift", ["contentEncryption", "checkNested"]),
    ],
    "crit": [("Sources/JOSE/Header/CriticalHeader.swift", None)],
    "leaf key equality": [
        ("Sources/JOSE/Certificates/CertificateMembers.swift", ["checkLeaf", "checkThumbprint"]),
        ("Sources/JOSE/PreparedKeys/RSAKeyMaterial+DER.swift", ["isKey"]),
        ("Sources/JOSE/PreparedKeys/KeyMaterial.swift", ["isKey"]),
    ],
    "chain verdict": [
        (
            "CShims/CJOSECrypto/certificates/trust.c",
            [
                "jose_policies_have_cve_fixes", "accept_notAfter", "check_revocation", "prepare", "validate", "reject", "validate_to",
                "validate_to_each", "jose_trust_validate",
            ],
        ),
        ("CShims/CJOSECrypto/certificates/anchors.c", None),
        ("CShims/CJOSECrypto/certificates/chain_rules.c", None),
        ("CShims/CJOSECrypto/certificates/policy_tree.c", None),
        ("CShims/CJOSECrypto/certificates/revocation.c", None),
        ("CShims/CJOSECrypto/certificates/revocation_signers.c", None),
        ("CShims/CJOSECrypto/certificates/revocation_list.c", None),
        ("Sources/JOSE/Certificates/TrustStore.swift", ["validate", "report", "checkIdentity", "=="]),
        ("Sources/JOSE/Certificates/CertificateIdentity.swift", ["check", "isSameHost", "isSameMailbox"]),
        ("Sources/JOSE/Certificates/LeafNames.swift", None),
        ("Sources/JOSE/Certificates/ValidatedChain.swift", None),
    ],
    "exp, aud, iss": [
        ("Sources/JOSE/JWT/ClaimsCheck.swift", ["checkTimes", "checkAudience", "checkIssuer", "isOne"]),
        ("Sources/JOSE/Coding/NumericDate.swift", ["later", "date"]),
        ("Sources/JOSE/JWT/JWTLayers.swift", ["checkReplicated", "isSame"]),
        ("Sources/JOSE/JWT/IssuerTable.swift", ["selected", "issuer"]),
        ("Sources/JOSE/Header/HeaderText.swift", ["memberValue"]),
    ],
}


def topic(mutant):
    """The verdict that a mutant belongs to, if any."""
    if "trace" in mutant.what:
        return None  # what is told of a verdict, and decides nothing: the tests of `josectl explain` look at it
    for name, places in CRITICAL.items():
        for file, functions in places:
            if mutant.file == file and (functions is None or mutant.function in functions):
                return name
    return None
