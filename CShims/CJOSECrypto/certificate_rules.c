// certificate_rules.c: our own rules on top of RFC 5280: strength of keys and signatures, and
// what a leaf may be used for. They hold whatever OpenSSL's security level is.

#include <openssl/objects.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include "certificate.h"

static bool is_strong_hash(int nid)
{
    return nid == NID_sha256 || nid == NID_sha384 || nid == NID_sha512;
}

static bool is_strong_signature(X509 *certificate)
{
    int hash = NID_undef, key = NID_undef, bits = 0;
    uint32_t flags = 0;
    if (X509_get_signature_info(certificate, &hash, &key, &bits, &flags) != 1) return false;
    switch (key) {
    case NID_rsaEncryption:
    case NID_rsassaPss:
    case NID_X9_62_id_ecPublicKey: return is_strong_hash(hash);
    case NID_ED25519:
    case NID_ED448: return true;
    default: return false;
    }
}

static bool is_strong_key(EVP_PKEY *pkey)
{
    int bits = EVP_PKEY_get_bits(pkey);
    switch (EVP_PKEY_get_base_id(pkey)) {
    case EVP_PKEY_RSA:
    case EVP_PKEY_RSA_PSS: return bits >= 2048 && bits <= 16384;
    case EVP_PKEY_EC: {
        char group[32];
        size_t size = 0;
        if (EVP_PKEY_get_group_name(pkey, group, sizeof group, &size) != 1) return false;
        int nid = OBJ_txt2nid(group);
        return nid == NID_X9_62_prime256v1 || nid == NID_secp384r1 || nid == NID_secp521r1;
    }
    case EVP_PKEY_ED25519:
    case EVP_PKEY_ED448: return true;
    default: return false;
    }
}

jose_chain_fault jose_certificate_strength(X509 *certificate, bool is_anchor)
{
    EVP_PKEY *pkey = X509_get0_pubkey(certificate);
    if (pkey == NULL || !is_strong_key(pkey)) return JOSE_CHAIN_WEAK_KEY;
    if (!is_anchor && !is_strong_signature(certificate)) return JOSE_CHAIN_WEAK_SIGNATURE;
    return JOSE_CHAIN_FINE;
}

// TLS-only certificates are not for tokens: a present extendedKeyUsage must name a use that
// covers them.
static bool has_fitting_extended_use(X509 *leaf)
{
    EXTENDED_KEY_USAGE *uses = X509_get_ext_d2i(leaf, NID_ext_key_usage, NULL, NULL);
    bool fits = false;
    for (int i = 0; i < sk_ASN1_OBJECT_num(uses); i++) {
        int nid = OBJ_obj2nid(sk_ASN1_OBJECT_value(uses, i));
        if (nid == NID_anyExtendedKeyUsage || nid == NID_email_protect) fits = true;
    }
    sk_ASN1_OBJECT_pop_free(uses, ASN1_OBJECT_free);
    return fits;
}

jose_chain_fault jose_certificate_leaf_use(X509 *leaf, jose_purpose purpose)
{
    uint32_t flags = X509_get_extension_flags(leaf);
    if (flags & EXFLAG_INVALID) return JOSE_CHAIN_OTHER;
    if (flags & EXFLAG_CA) return JOSE_CHAIN_LEAF_IS_CA;
    if (flags & EXFLAG_KUSAGE) {
        uint32_t wanted = purpose == JOSE_PURPOSE_SIGNATURE
                              ? X509v3_KU_DIGITAL_SIGNATURE | X509v3_KU_NON_REPUDIATION
                              : X509v3_KU_KEY_ENCIPHERMENT;
        if ((X509_get_key_usage(leaf) & wanted) == 0) return JOSE_CHAIN_KEY_USAGE;
    }
    if ((flags & EXFLAG_XKUSAGE) && !has_fitting_extended_use(leaf))
        return JOSE_CHAIN_EXTENDED_KEY_USAGE;
    return JOSE_CHAIN_FINE;
}
