// curve.h: the table of curves and parameter sets.
#ifndef JOSE_CURVE_H
#define JOSE_CURVE_H

#include "key.h"

typedef struct {
    jose_key_type type;
    const char *name;          // OpenSSL's name of the group or the key type, as in certificates
    uint32_t bits;             // nominal size
    size_t bytes;              // as jose_curve_bytes
    size_t signature_bytes;    // 0: its keys do not sign
    jose_hash hash;            // for ECDSA (RFC 7518 section 3.4, RFC 8812 section 3.2)
    bool is_for_certificates;  // certificates may have such keys
    // libcrypto's algorithms for keys on this curve (offer.h).
    const jose_key_offer *offer;
} jose_curve_entry;

const jose_curve_entry *jose_curve_entry_of(jose_curve curve);

// jose_curve_for_certificates returns the entry with this OpenSSL name, or NULL. Curves that
// certificates may not use count as unknown.
const jose_curve_entry *jose_curve_for_certificates(const char *name);

#endif
