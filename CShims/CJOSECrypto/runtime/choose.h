// choose.h: selects one of two keys without a branch.
#ifndef JOSE_CHOOSE_H
#define JOSE_CHOOSE_H

#include <stddef.h>
#include <stdint.h>

#include "cjosekernels.h"

// jose_choose copies the right key over the random key in cek if mask is 0xff, but not if it is 0.
static inline void jose_choose(uint8_t *cek, const uint8_t *right, size_t cek_len, uint8_t mask)
{
    mask = (uint8_t)jose_mask_of(mask);
    for (size_t i = 0; i < cek_len; i++) cek[i] ^= mask & (cek[i] ^ right[i]);
}

#endif
