// certificate_rules.c: rules in addition to RFC 5280, at every OpenSSL security level: the strength
// of keys and signatures, and the uses of a leaf.

#include <openssl/core_names.h>
#include <openssl/objects.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include "certificate.h"
#include "keys/curve.h"
#include "runtime/host.h"

static bool is_strong_hash(int nid)
{
    return nid == NID_sha256 || nid == NID_sha384 || nid == NID_sha512;
}

// Parameters without a hash mean SHA-1 (RFC 8017, A.2.3); this returns NID_undef for them.
static int pss_hash(const X509_ALGOR *algorithm)
{
    RSA_PSS_PARAMS *parameters =
        ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(RSA_PSS_PARAMS), algorithm->parameter);
    int hash = NID_undef;
    if (parameters != NULL && parameters->hashAlgorithm != NULL)
        hash = OBJ_obj2nid(parameters->hashAlgorithm->algorithm);
    RSA_PSS_PARAMS_free(parameters);
    return hash;
}

bool jose_signature_is_strong(const X509_ALGOR *algorithm)
{
    int hash = NID_undef, key = NID_undef;
    if (OBJ_find_sigid_algs(OBJ_obj2nid(algorithm->algorithm), &hash, &key) != 1) return false;
    switch (key) {
    case NID_rsaEncryption:
    case NID_X9_62_id_ecPublicKey: return is_strong_hash(hash);
    case NID_rsassaPss: return is_strong_hash(pss_hash(algorithm));
    default: {
        const jose_curve_entry *entry = jose_curve_for_certificates(OBJ_nid2ln(key));
        return entry != NULL && entry->type != JOSE_KEY_EC && entry->signature_bytes != 0;
    }
    }
}

// Explicit curve parameters, even good ones, are rejected: CVE-2020-0601 used them.
static bool is_named_curve(EVP_PKEY *pkey)
{
    int is_explicit = 1;
    char group[32];
    size_t size = 0;
    if (EVP_PKEY_get_int_param(pkey, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS,
                               &is_explicit) != 1 ||
        is_explicit != 0 || EVP_PKEY_get_group_name(pkey, group, sizeof group, &size) != 1)
        return false;
    const jose_curve_entry *entry = jose_curve_for_certificates(group);
    return entry != NULL && entry->type == JOSE_KEY_EC;
}

// FIPS 186-5 section A.1.1 requires e above 2^16. A FIPS provider verifies with smaller ones too.
static bool is_approved_exponent(EVP_PKEY *pkey)
{
    const jose_library *library = jose_library_get();
    if (library == NULL || !library->is_fips) return library != NULL;
    BIGNUM *exponent = NULL;
    const bool approved = EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_E, &exponent) == 1 &&
                          BN_num_bits(exponent) > 16;
    BN_free(exponent);
    return approved;
}

static bool is_strong_key(EVP_PKEY *pkey)
{
    int bits = EVP_PKEY_get_bits(pkey);
    switch (EVP_PKEY_get_base_id(pkey)) {
    case EVP_PKEY_RSA:
    case EVP_PKEY_RSA_PSS: return bits >= 2048 && bits <= 16384 && is_approved_exponent(pkey);
    case EVP_PKEY_EC: return is_named_curve(pkey);
    // Key-agreement keys occur only in a leaf, since they cannot issue. Newer key types, such as
    // ML-DSA, have no EVP_PKEY number, but every type has a name.
    default: {
        const jose_curve_entry *entry = jose_curve_for_certificates(EVP_PKEY_get0_type_name(pkey));
        return entry != NULL && entry->type != JOSE_KEY_EC;
    }
    }
}

jose_chain_failure jose_certificate_strength(X509 *certificate, bool is_anchor)
{
    // Before version 3 a certificate cannot limit who may issue and what a key is for.
    if (X509_get_version(certificate) != X509_VERSION_3) return JOSE_CHAIN_OLD_VERSION;
    EVP_PKEY *pkey = X509_get0_pubkey(certificate);
    if (pkey == NULL || !is_strong_key(pkey)) return JOSE_CHAIN_WEAK_KEY;
    const X509_ALGOR *algorithm = NULL;
    X509_get0_signature(NULL, &algorithm, certificate);
    if (!is_anchor && !jose_signature_is_strong(algorithm)) return JOSE_CHAIN_WEAK_SIGNATURE;
    return JOSE_CHAIN_OK;
}

// Certificates for TLS alone are rejected: extendedKeyUsage, if present, must include one of these.
static bool has_allowed_extended_use(X509 *leaf)
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

// keyUsage, if present, must have one of these bits (RFC 5280, 4.2.1.3). Only RSA keys encipher.
static uint32_t wanted_usage(X509 *leaf, jose_purpose purpose)
{
    if (purpose == JOSE_PURPOSE_SIGNATURE)
        return X509v3_KU_DIGITAL_SIGNATURE | X509v3_KU_NON_REPUDIATION;
    EVP_PKEY *pkey = X509_get0_pubkey(leaf);
    bool is_rsa = pkey != NULL && EVP_PKEY_get_base_id(pkey) == EVP_PKEY_RSA;
    return is_rsa ? X509v3_KU_KEY_ENCIPHERMENT : X509v3_KU_KEY_AGREEMENT;
}

jose_chain_failure jose_certificate_leaf_use(X509 *leaf, jose_purpose purpose)
{
    uint32_t flags = X509_get_extension_flags(leaf);
    if (flags & EXFLAG_INVALID) return JOSE_CHAIN_OTHER;
    if (flags & EXFLAG_CA) return JOSE_CHAIN_LEAF_IS_CA;
    if ((flags & EXFLAG_KUSAGE) &&
        (X509_get_key_usage(leaf) & wanted_usage(leaf, purpose)) == 0)
        return JOSE_CHAIN_KEY_USAGE;
    if ((flags & EXFLAG_XKUSAGE) && !has_allowed_extended_use(leaf))
        return JOSE_CHAIN_EXTENDED_KEY_USAGE;
    return JOSE_CHAIN_OK;
}

jose_chain_failure jose_chain_leaf_failure(const jose_chain *chain, jose_purpose purpose)
{
    JOSE_HOST_SCOPE;
    X509 *leaf = chain->certificates[0];
    jose_chain_failure failure = jose_certificate_strength(leaf, false);
    if (failure == JOSE_CHAIN_OK) failure = jose_certificate_leaf_use(leaf, purpose);
    if (failure != JOSE_CHAIN_OK && jose_certificate_failed()) failure = JOSE_CHAIN_INTERNAL;
    return failure;
}
