// curve.h: the table of curves, one row each.
#ifndef JOSE_CURVE_H
#define JOSE_CURVE_H

#include "key.h"

// What a family needs to know of a curve.
typedef struct {
    jose_key_type type;
    const char *name;  // OpenSSL's: of the group, or of the key type
    int nid;           // of the group; 0 for OKP
    uint32_t bits;     // as people name it
    size_t bytes;      // a coordinate, a public key of OKP, and every private key
} jose_curve_row;

const jose_curve_row *jose_curve_row_of(jose_curve curve);

#endif
