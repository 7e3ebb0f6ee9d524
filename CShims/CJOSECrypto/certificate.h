// certificate.h: parsed certificates inside this target.
#ifndef JOSE_CERTIFICATE_H
#define JOSE_CERTIFICATE_H

#include <openssl/x509.h>

#include "library.h"

struct jose_chain {
    size_t count;
    X509 *certificates[JOSE_LONGEST_CHAIN];
};

// jose_certificate_read parses exactly one DER certificate; NULL if it is none.
X509 *jose_certificate_read(const jose_library *library, const uint8_t *der, size_t len);

// jose_time_read converts an ASN.1 time to seconds since 1970; false for a malformed one.
bool jose_time_read(int64_t *seconds, const ASN1_TIME *time);

// jose_certificate_strength returns JOSE_CHAIN_FINE, JOSE_CHAIN_WEAK_SIGNATURE or
// JOSE_CHAIN_WEAK_KEY. An anchor's own signature proves nothing and is not looked at.
jose_chain_fault jose_certificate_strength(X509 *certificate, bool is_anchor);

// jose_certificate_leaf_use judges keyUsage, extendedKeyUsage and basicConstraints of a leaf.
jose_chain_fault jose_certificate_leaf_use(X509 *leaf, jose_purpose purpose);

#endif
