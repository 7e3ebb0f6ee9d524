// choose.h: one of two keys, without a branch on which.
#ifndef JOSE_CHOOSE_H
#define JOSE_CHOOSE_H

#include <stddef.h>
#include <stdint.h>

// jose_choose copies the right key over the random one where mask is all ones.
static inline void jose_choose(uint8_t *cek, const uint8_t *right, size_t cek_len, uint8_t mask)
{
    for (size_t i = 0; i < cek_len; i++) cek[i] ^= mask & (cek[i] ^ right[i]);
}

#endif
