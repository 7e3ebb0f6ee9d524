// crafted.h: RSA public keys that an attacker may choose: signatures that open to themselves,
// moduli at the edges of their size.
#ifndef CRAFTED_H
#define CRAFTED_H

#include "faults.h"

enum { CRAFTED_MAX = 512 };

typedef struct {
    uint8_t n[CRAFTED_MAX], e[4];
    size_t size;  // bytes of n
} crafted_key;

// crafted_jump makes a key of `bits` bits, e = 65537, under which this number (big-endian, as long
// as the modulus) is its own signature. Returns false if none was found.
bool crafted_jump(crafted_key *key, size_t bits, const uint8_t *number);

// crafted_still makes a key of `bits` bits, e = 3491888401, under which every number is its own
// signature. Each seed gives another key.
void crafted_still(crafted_key *key, size_t bits, unsigned seed);

// crafted_edge makes the nth key with a modulus near 2^bits or 2^(bits - 1) and one of many
// exponents. Returns false if the modulus has a small factor.
bool crafted_edge(crafted_key *key, size_t bits, unsigned n);

// crafted_number writes the nth edge number for a key's modulus: 0, 1, n - 1, n, n + 1, 2^bits - 1,
// the R of each implementation modulo n, its square, its negative. Returns false if there is no
// nth.
bool crafted_number(const crafted_key *key, unsigned nth, uint8_t *number);

// crafted_import imports the key.
jose_status crafted_import(jose_key **key, const crafted_key *crafted);

#endif
