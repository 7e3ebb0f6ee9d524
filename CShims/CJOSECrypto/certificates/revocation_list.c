// revocation_list.c: parses CRLs (RFC 5280 section 5). Only complete and direct CRLs are accepted:
// those that list all revoked certificates of their scope, and only certificates of their issuer.

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "certificate.h"

// MARK: checks

// A duplicate extension is ambiguous. An unknown critical one must be rejected here: libcrypto's
// validation gets no CRLs. The authority key identifier may be critical: every key is tried anyway.
static jose_list_failure extension_failure(const X509_CRL *list)
{
    for (int i = 0; i < X509_CRL_get_ext_count(list); i++) {
        jose_extension *extension = X509_CRL_get_ext(list, i);
        const ASN1_OBJECT *object = X509_EXTENSION_get_object(extension);
        if (X509_CRL_get_ext_by_OBJ(list, object, i) >= 0) return JOSE_LIST_MALFORMED;
        int kind = OBJ_obj2nid(object);
        if (X509_EXTENSION_get_critical(extension) != 0 &&
            kind != NID_issuing_distribution_point && kind != NID_authority_key_identifier)
            return JOSE_LIST_CRITICAL_EXTENSION;
    }
    return JOSE_LIST_OK;
}

static jose_list_failure read_scope(jose_crl *crl)
{
    int index = X509_CRL_get_ext_by_NID(crl->list, NID_issuing_distribution_point, -1);
    if (index < 0) return JOSE_LIST_OK;
    const ASN1_OCTET_STRING *value = X509_EXTENSION_get_data(X509_CRL_get_ext(crl->list, index));
    const unsigned char *at = ASN1_STRING_get0_data(value), *end = at + ASN1_STRING_length(value);
    ISSUING_DIST_POINT *scope = crl->scope = d2i_ISSUING_DIST_POINT(NULL, &at, end - at);
    if (scope == NULL || at != end) return JOSE_LIST_SCOPE;
    if (scope->indirectCRL > 0) return JOSE_LIST_INDIRECT;
    if (scope->onlysomereasons != NULL) return JOSE_LIST_SOME_REASONS;
    if (scope->onlyattr > 0) return JOSE_LIST_ATTRIBUTES;
    if (scope->onlyuser > 0 && scope->onlyCA > 0) return JOSE_LIST_SCOPE;
    // Completes a name that is relative to the issuer's. Later uses only read the result, dpname.
    if (DIST_POINT_set_dpname(scope->distpoint, X509_CRL_get_issuer(crl->list)) != 1)
        return JOSE_LIST_SCOPE;
    return JOSE_LIST_OK;
}

// removeFromCRL (RFC 5280 section 5.3.1), an ENUMERATED.
static const uint8_t removal[] = {0x0a, 0x01, 0x08};

static jose_list_failure entry_failure(const X509_REVOKED *entry)
{
    for (int i = 0; i < X509_REVOKED_get_ext_count(entry); i++) {
        jose_extension *extension = X509_REVOKED_get_ext(entry, i);
        int kind = OBJ_obj2nid(X509_EXTENSION_get_object(extension));
        if (kind == NID_certificate_issuer) return JOSE_LIST_INDIRECT;
        if (kind != NID_crl_reason) {
            if (X509_EXTENSION_get_critical(extension) != 0) return JOSE_LIST_CRITICAL_EXTENSION;
            continue;
        }
        const ASN1_OCTET_STRING *value = X509_EXTENSION_get_data(extension);
        if (ASN1_STRING_length(value) == sizeof removal &&
            memcmp(ASN1_STRING_get0_data(value), removal, sizeof removal) == 0)
            return JOSE_LIST_REMOVE_FROM_CRL;
    }
    return JOSE_LIST_OK;
}

static jose_list_failure entries_failure(X509_CRL *list)
{
    STACK_OF(X509_REVOKED) *entries = X509_CRL_get_REVOKED(list);
    for (int i = 0; i < sk_X509_REVOKED_num(entries); i++) {
        jose_list_failure failure = entry_failure(sk_X509_REVOKED_value(entries, i));
        if (failure != JOSE_LIST_OK) return failure;
    }
    return JOSE_LIST_OK;
}

static jose_list_failure signature_failure(const X509_CRL *list)
{
    const X509_ALGOR *algorithm = NULL;
    X509_CRL_get0_signature(list, NULL, &algorithm);
    return jose_signature_is_strong(algorithm) ? JOSE_LIST_OK : JOSE_LIST_WEAK_SIGNATURE;
}

// MARK: reading

static jose_list_failure read_times(jose_crl *crl)
{
    // Without nextUpdate the CRL would be trusted forever.
    if (X509_CRL_get0_nextUpdate(crl->list) == NULL) return JOSE_LIST_NO_NEXT_UPDATE;
    return jose_time_read(&crl->start, X509_CRL_get0_lastUpdate(crl->list)) &&
                   jose_time_read(&crl->end, X509_CRL_get0_nextUpdate(crl->list))
               ? JOSE_LIST_OK
               : JOSE_LIST_MALFORMED;
}

// The first lookup sorts the entries, so it is done before threads share the CRL. If it does not
// find the first entry, no later lookup would find that entry either.
static bool sort_entries(X509_CRL *list)
{
    STACK_OF(X509_REVOKED) *entries = X509_CRL_get_REVOKED(list);
    X509_REVOKED *found = NULL;
    if (sk_X509_REVOKED_num(entries) <= 0) return true;
    const X509_REVOKED *first = sk_X509_REVOKED_value(entries, 0);
    return X509_CRL_get0_by_serial(list, &found, X509_REVOKED_get0_serialNumber(first)) != 0;
}

static jose_list_failure check(jose_crl *crl)
{
    jose_list_failure failure = JOSE_LIST_OK;
    if (X509_CRL_get_ext_by_NID(crl->list, NID_delta_crl, -1) >= 0) return JOSE_LIST_DELTA;
    if ((failure = read_times(crl)) != JOSE_LIST_OK ||
        (failure = extension_failure(crl->list)) != JOSE_LIST_OK ||
        (failure = read_scope(crl)) != JOSE_LIST_OK ||
        (failure = entries_failure(crl->list)) != JOSE_LIST_OK ||
        (failure = signature_failure(crl->list)) != JOSE_LIST_OK)
        return failure;
    return sort_entries(crl->list) ? JOSE_LIST_OK : JOSE_LIST_MALFORMED;
}

jose_list_failure jose_crl_read(jose_crl *crl, OSSL_LIB_CTX *context, const uint8_t *der,
                                size_t len)
{
    const unsigned char *at = der;
    *crl = (jose_crl){0};
    const bool is_possible = len > 0 && len <= INT32_MAX;
    X509_CRL *list =
        is_possible ? X509_CRL_new_ex(context, jose_certificate_properties()) : NULL;
    // On failure d2i frees its argument.
    if (list == NULL || d2i_X509_CRL(&list, &at, (long)len) == NULL) return JOSE_LIST_MALFORMED;
    crl->list = list;
    crl->signers = OPENSSL_zalloc(sizeof *crl->signers);
    // The caller finds the system failure in the error queue, not in the result.
    if (crl->signers == NULL) ERR_raise(ERR_LIB_X509, ERR_R_MALLOC_FAILURE);
    jose_list_failure failure =
        crl->signers != NULL && at == der + len ? check(crl) : JOSE_LIST_MALFORMED;
    if (failure != JOSE_LIST_OK) jose_crl_free(crl);
    return failure;
}

void jose_crl_free(jose_crl *crl)
{
    ISSUING_DIST_POINT_free(crl->scope);
    X509_CRL_free(crl->list);
    OPENSSL_free(crl->signers);
    *crl = (jose_crl){0};
}
