// ifma_private.h: windows of the exponents, for ifma_private.c and ifma_private_x4.c.
#ifndef JOSE_IFMA_PRIVATE_H
#define JOSE_IFMA_PRIVATE_H

#include "ifma_arith.h"
#include "private_key.h"
#include "rsa_area.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_IFMA_TARGET))), apply_to = function)

// The bits of a window: 5 with primes of 1024 bits, 4 with larger ones. There a table for 5 bits
// takes more memory, and more time than it saves.
enum { JOSE_WINDOW_2048 = 5,
       JOSE_WINDOW_LARGER = 4,
       JOSE_TABLE = 1 << JOSE_WINDOW_2048 };

// jose_window returns in each lane `width` bits of that lane's exponent, from bit `at` on. words[w]
// has word w of each exponent. Only `at` and `width` decide which memory is read.
JOSE_ALWAYS_INLINE jose_vec jose_window(const jose_vec *words, int at, int width)
{
    // A shift by 64 gives zero.
    const jose_vec low = _mm512_srl_epi64(words[at / 64], _mm_cvtsi32_si128(at % 64));
    const jose_vec high = _mm512_sll_epi64(words[at / 64 + 1], _mm_cvtsi32_si128(64 - at % 64));
    return _mm512_and_si512(_mm512_or_si512(low, high), _mm512_set1_epi64((1 << width) - 1));
}

// jose_last_window returns the position of the lowest bit of an exponent's highest window.
JOSE_ALWAYS_INLINE int jose_last_window(int bits, int width)
{
    return (bits - 1) / width * width;
}

#pragma clang attribute pop
#endif
#endif
