// issuance.c: checks who issued a certificate, by name and signature. This establishes no trust.

#include <openssl/core_names.h>
#include <openssl/objects.h>
#include <openssl/x509.h>

#include "certificate.h"
#include "runtime/host.h"

// Bounds the cost of one verification. Explicit curve parameters are rejected (CVE-2020-0601).
static bool is_bounded(EVP_PKEY *pkey)
{
    int is_explicit = 1;
    switch (EVP_PKEY_get_base_id(pkey)) {
    case EVP_PKEY_RSA:
    case EVP_PKEY_RSA_PSS: return EVP_PKEY_get_bits(pkey) <= 16384;
    case EVP_PKEY_EC:
        return EVP_PKEY_get_int_param(pkey, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS,
                                      &is_explicit) == 1 &&
               is_explicit == 0;
    case EVP_PKEY_DSA: return EVP_PKEY_get_bits(pkey) <= 4096;
    default: return true;
    }
}

static bool is_known(const X509 *certificate)
{
    int hash, key;
    return OBJ_find_sigid_algs(X509_get_signature_nid(certificate), &hash, &key) == 1;
}

static jose_status check(X509 *certificate, X509 *issuer)
{
    if (X509_NAME_cmp(X509_get_issuer_name(certificate), X509_get_subject_name(issuer)) != 0)
        return JOSE_REJECTED;
    if (!is_known(certificate)) return JOSE_UNSUPPORTED;
    EVP_PKEY *pkey = X509_get0_pubkey(issuer);
    if (pkey != NULL && is_bounded(pkey) && X509_verify(certificate, pkey) == 1) return JOSE_OK;
    return jose_certificate_failed() ? JOSE_INTERNAL : JOSE_REJECTED;
}

jose_status jose_chain_issued(const jose_chain *chain, const jose_chain *issuer)
{
    JOSE_HOST_SCOPE;
    return check(chain->certificates[0], issuer->certificates[0]);
}

int jose_chain_compare(const jose_chain *chain, bool by_issuer, const jose_chain *other)
{
    JOSE_HOST_SCOPE;
    X509 *certificate = chain->certificates[0];
    const X509_NAME *name =
        by_issuer ? X509_get_issuer_name(certificate) : X509_get_subject_name(certificate);
    return X509_NAME_cmp(name, X509_get_subject_name(other->certificates[0]));
}
