// curve.h: the table of curves and of parameter sets, one row each.
#ifndef JOSE_CURVE_H
#define JOSE_CURVE_H

#include "key.h"

// All that this target knows of a curve or a parameter set.
typedef struct {
    jose_key_type type;
    const char *name;        // OpenSSL's: of the group, or of the key type; certificates say the same
    uint32_t bits;           // as people name it
    size_t bytes;            // a coordinate, a public key of OKP and AKP, and a private key of EC and OKP
    size_t signature_bytes;  // 0: its keys do not sign
    jose_hash hash;          // of ECDSA, which has one for each curve (RFC 7518 section 3.4, RFC 8812 section 3.2)
    bool is_certified;       // certificates may hold such keys
    const jose_key_offer *offer;
} jose_curve_entry;

const jose_curve_entry *jose_curve_entry_of(jose_curve curve);

// jose_curve_certified returns the row whose keys certificates may hold, by OpenSSL's name of it; NULL for any other.
const jose_curve_entry *jose_curve_certified(const char *name);

#endif
