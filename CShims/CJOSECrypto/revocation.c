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

void jose_crl_bound(jose_chain_report *report, const jose_crl *crls, size_t count,
                    const X509 *certificate, int64_t at)
{
    // Of several that are current OpenSSL takes the newest.
    const jose_crl *current = NULL;
    for (size_t i = 0; i < count; i++) {
        const jose_crl *crl = &crls[i];
        if (X509_NAME_cmp(X509_CRL_get_issuer(crl->list), X509_get_issuer_name(certificate)) != 0)
            continue;
        // One that begins later may revoke what this one does not.
        if (crl->start > at && crl->start - 1 < report->not_after)
            report->not_after = crl->start - 1;
        if (crl->start > at || crl->end < at) continue;
        if (current == NULL || crl->start > current->start) current = crl;
    }
    if (current == NULL) return;
    if (current->start > report->not_before) report->not_before = current->start;
    if (current->end < report->not_after) report->not_after = current->end;
}
