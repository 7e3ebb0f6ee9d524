// sha_rounds.h: SHA-256 by the SHA instructions, four rounds at a time, so that others fit between.
#ifndef JOSE_SHA_ROUNDS_H
#define JOSE_SHA_ROUNDS_H

#include "kernels.h"

#if JOSE_KERNELS_X86
#include <immintrin.h>

#define JOSE_CONTENT_TARGET "aes,sha,ssse3,sse4.1"

#pragma clang attribute push(__attribute__((target(JOSE_CONTENT_TARGET))), apply_to = function)

// The state as the instructions want it, and the last sixteen words of the message schedule.
typedef struct jose_sha {
    __m128i abef, cdgh;
    __m128i was_abef, was_cdgh;
    __m128i w[4];
} jose_sha;

extern const uint32_t jose_sha_constants[64];

// jose_sha_begin starts a block: its 64 bytes are read group by group.
static inline __attribute__((always_inline)) void jose_sha_begin(jose_sha *s)
{
    s->was_abef = s->abef;
    s->was_cdgh = s->cdgh;
}

// jose_sha_group does rounds 4g to 4g + 3; g is a constant. Words 4g.. are read from the block for
// g < 4 and made from the sixteen before otherwise.
static inline __attribute__((always_inline)) void jose_sha_group(jose_sha *s, const uint8_t *block,
                                                                 const int g)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i *w = s->w;
    if (g < 4) {
        w[g] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * g)), swap);
    } else {
        // w[t] = s1(w[t-2]) + w[t-7] + s0(w[t-15]) + w[t-16], four at once
        const __m128i seven = _mm_alignr_epi8(w[(g + 3) % 4], w[(g + 2) % 4], 4);
        __m128i next = _mm_sha256msg1_epu32(w[g % 4], w[(g + 1) % 4]);
        next = _mm_add_epi32(next, seven);
        w[g % 4] = _mm_sha256msg2_epu32(next, w[(g + 3) % 4]);
    }
    const __m128i k = _mm_load_si128((const __m128i *)(jose_sha_constants + 4 * g));
    const __m128i wk = _mm_add_epi32(w[g % 4], k);
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, wk);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, _mm_shuffle_epi32(wk, 0x0e));
}

static inline __attribute__((always_inline)) void jose_sha_end(jose_sha *s)
{
    s->abef = _mm_add_epi32(s->abef, s->was_abef);
    s->cdgh = _mm_add_epi32(s->cdgh, s->was_cdgh);
}

// jose_sha_block takes in one block of 64 bytes.
static inline __attribute__((always_inline)) void jose_sha_block(jose_sha *s, const uint8_t *block)
{
    jose_sha_begin(s);
#pragma clang loop unroll(full)
    for (int g = 0; g < 16; g++) jose_sha_group(s, block, g);
    jose_sha_end(s);
}

static inline __attribute__((always_inline)) void jose_sha_load(jose_sha *s,
                                                                const uint32_t state[8])
{
    s->abef = _mm_load_si128((const __m128i *)state);
    s->cdgh = _mm_load_si128((const __m128i *)(state + 4));
}

static inline __attribute__((always_inline)) void jose_sha_store(uint32_t state[8],
                                                                 const jose_sha *s)
{
    _mm_store_si128((__m128i *)state, s->abef);
    _mm_store_si128((__m128i *)(state + 4), s->cdgh);
}

// jose_sha_digest writes the state as a digest: eight big-endian words a to h.
static inline __attribute__((always_inline)) void jose_sha_digest(uint8_t digest[32],
                                                                  const jose_sha *s)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    // lanes from the lowest: abef holds f e b a, cdgh holds h g d c
    const __m128i dcba = _mm_shuffle_epi32(_mm_unpackhi_epi64(s->cdgh, s->abef), 0x1b);
    const __m128i hgfe = _mm_shuffle_epi32(_mm_unpacklo_epi64(s->cdgh, s->abef), 0x1b);
    _mm_storeu_si128((__m128i *)digest, _mm_shuffle_epi8(dcba, swap));
    _mm_storeu_si128((__m128i *)(digest + 16), _mm_shuffle_epi8(hgfe, swap));
}

#pragma clang attribute pop
#endif
#endif
