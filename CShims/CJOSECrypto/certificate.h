// certificate.h: parsed certificates inside this target.
#ifndef JOSE_CERTIFICATE_H
#define JOSE_CERTIFICATE_H

#include <openssl/x509.h>

#include "library.h"

struct jose_chain {
    size_t count;
    X509 *certificates[JOSE_LONGEST_CHAIN];
};

// jose_certificate_context returns the context of certificates, which lives as long as the
// process; NULL if it cannot be made. OpenSSL looks for the decoder of a public key among all
// that was fetched in a context: one that has ciphers too makes each certificate a fifth dearer.
OSSL_LIB_CTX *jose_certificate_context(void);

// jose_certificate_read parses exactly one DER certificate; NULL if it is none.
X509 *jose_certificate_read(OSSL_LIB_CTX *context, const uint8_t *der, size_t len);

// jose_time_read converts an ASN.1 time to seconds since 1970; false for a malformed one.
bool jose_time_read(int64_t *seconds, const ASN1_TIME *time);

// jose_certificate_strength returns JOSE_CHAIN_FINE, JOSE_CHAIN_OLD_VERSION,
// JOSE_CHAIN_WEAK_SIGNATURE or JOSE_CHAIN_WEAK_KEY. An anchor's own signature proves nothing and is not looked at.
jose_chain_fault jose_certificate_strength(X509 *certificate, bool is_anchor);

// jose_certificate_leaf_use judges keyUsage, extendedKeyUsage and basicConstraints of a leaf.
jose_chain_fault jose_certificate_leaf_use(X509 *leaf, jose_purpose purpose);

// A CRL and the span of time in which it is current, inclusive.
typedef struct {
    X509_CRL *list;
    int64_t start;  // thisUpdate
    int64_t end;    // nextUpdate
} jose_crl;

// jose_crl_read parses exactly one DER CRL that says when it ends; the caller frees the list.
bool jose_crl_read(jose_crl *crl, OSSL_LIB_CTX *context, const uint8_t *der, size_t len);

// jose_crl_bound narrows the span of a report to that of the CRL that speaks for the certificate
// at that time, or of all that may.
void jose_crl_bound(jose_chain_report *report, const jose_crl *crls, size_t count,
                    const X509 *certificate, int64_t at);

#endif
