// curve.h: the table of curves, one row each.
#ifndef JOSE_CURVE_H
#define JOSE_CURVE_H

#include "key.h"

// All that this target knows of a curve.
typedef struct {
    jose_key_type type;
    const char *name;        // OpenSSL's: of the group, or of the key type
    uint32_t bits;           // as people name it
    size_t bytes;            // a coordinate, a public key of OKP, and every private key
    size_t signature_bytes;  // 0: its keys do not sign
    jose_hash hash;          // of ECDSA, which has one for each curve (RFC 7518 section 3.4, RFC 8812 section 3.2)
    int certified;           // the NID by which certificates may name such keys; 0: they may not
    jose_key_offer offer;
} jose_curve_row;

const jose_curve_row *jose_curve_row_of(jose_curve curve);

// jose_curve_certified returns the row of the type whose keys certificates name so; NULL for any other NID.
const jose_curve_row *jose_curve_certified(jose_key_type type, int nid);

// jose_curve_agrees: whether JOSE has keys on this curve for ECDH-ES.
static inline bool jose_curve_agrees(jose_curve curve)
{
    return jose_curve_row_of(curve)->offer.exchange != NULL;
}

#endif
