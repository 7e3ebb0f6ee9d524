// mgf1.h: the mask generation function of OAEP and PSS.
#ifndef JOSE_MGF1_H
#define JOSE_MGF1_H

#include "digest.h"

// jose_mgf1_mask XORs out with MGF1 of seed. It wipes its own copies.
void jose_mgf1_mask(const jose_digest_entry *digest, uint8_t *out, size_t out_len,
                    const uint8_t *seed, size_t seed_len);

#endif
