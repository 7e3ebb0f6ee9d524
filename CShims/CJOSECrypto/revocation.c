// revocation.c: certificate revocation lists (RFC 5280 section 5): reading, and how long one speaks.

#include <openssl/x509.h>

#include "certificate.h"

bool jose_crl_read(jose_crl *crl, OSSL_LIB_CTX *context, const uint8_t *der, size_t len)
{
    const unsigned char *at = der;
    X509_CRL *list = len == 0 || len > INT32_MAX ? NULL : X509_CRL_new_ex(context, JOSE_PROPERTIES);
    if (list == NULL) return false;
    // On failure d2i frees what it was given.
    if (d2i_X509_CRL(&list, &at, (long)len) == NULL) return false;
    // A CRL without nextUpdate never grows stale: it would be trusted for ever.
    if (at == der + len && jose_time_read(&crl->start, X509_CRL_get0_lastUpdate(list)) &&
        jose_time_read(&crl->end, X509_CRL_get0_nextUpdate(list))) {
        crl->list = list;
        return true;
    }
    X509_CRL_free(list);
    return false;
}

// Whether two lists have the same extension of that kind, or both have none.
static bool agree(const jose_crl *one, const jose_crl *other, int kind)
{
    X509_EXTENSION *first = X509_CRL_get_ext(
        one->list, X509_CRL_get_ext_by_NID(one->list, kind, -1));
    X509_EXTENSION *second = X509_CRL_get_ext(
        other->list, X509_CRL_get_ext_by_NID(other->list, kind, -1));
    if (first == NULL || second == NULL) return first == second;
    return ASN1_OCTET_STRING_cmp(X509_EXTENSION_get_data(first),
                                 X509_EXTENSION_get_data(second)) == 0;
}

static bool is_of(const jose_crl *crl, const X509_NAME *issuer)
{
    return X509_NAME_cmp(X509_CRL_get_issuer(crl->list), issuer) == 0;
}

static bool is_current(const jose_crl *crl, int64_t at)
{
    return crl->start <= at && at <= crl->end;
}

// OpenSSL asks the newest of the current lists that one key signed for the same certificates.
static bool is_replaced(const jose_crl *crl, const jose_crl *crls, size_t count,
                        const X509_NAME *issuer, int64_t at)
{
    for (size_t i = 0; i < count; i++)
        if (crls[i].start > crl->start && is_current(&crls[i], at) && is_of(&crls[i], issuer) &&
            agree(crl, &crls[i], NID_authority_key_identifier) &&
            agree(crl, &crls[i], NID_issuing_distribution_point))
            return true;
    return false;
}

void jose_crl_bound(jose_chain_report *report, const jose_crl *crls, size_t count,
                    const X509 *certificate, int64_t at)
{
    const X509_NAME *issuer = X509_get_issuer_name(certificate);
    for (size_t i = 0; i < count; i++) {
        const jose_crl *crl = &crls[i];
        if (!is_of(crl, issuer)) continue;
        // One that begins later may revoke what this one does not.
        if (crl->start > at && crl->start - 1 < report->not_after)
            report->not_after = crl->start - 1;
        if (!is_current(crl, at) || is_replaced(crl, crls, count, issuer, at)) continue;
        if (crl->start > report->not_before) report->not_before = crl->start;
        if (crl->end < report->not_after) report->not_after = crl->end;
    }
}
