// fma_arith.h: 52-bit limbs held in doubles, four to a vector, and their products.
// docs/decisions/0017-rsa-by-doubles.md bounds all values and proves that no bit is lost.
//
// A product of two limbs has at most 103 bits. Added to 1.5 * 2^104 and rounded down, it leaves its
// high part, a multiple of 2^52, in the last bits of a double, exactly. Subtracting that high part
// from the product leaves the low part in the last bits of another double. Both doubles are summed
// as integers; the bits above the parts are a constant. This holds only in the mode of fma_mode.h.
#ifndef JOSE_FMA_ARITH_H
#define JOSE_FMA_ARITH_H

#include "kernels.h"

#if JOSE_KERNELS_X86
#include <immintrin.h>

#define JOSE_FMA_TARGET "avx2,fma"
#define JOSE_FMA_INLINE static inline __attribute__((always_inline))
#define JOSE_FMA_UNROLL _Pragma("clang loop unroll(full)")

typedef __m256d jose_fma_limbs;  // |limb| <= 2^51 + 2^8
typedef __m256i jose_fma_sums;   // |sum| < 2^60 without the constants of products

enum { JOSE_FMA_BLOCK = 5 };  // limbs in a block; every count of limbs here is a multiple of it

#define JOSE_FMA_MASK ((UINT64_C(1) << 52) - 1)

// The bit patterns of the constants that products are added to: 2^52 for the low part, 1.5 * 2^104
// for the high part.
#define JOSE_FMA_LOW_BITS UINT64_C(0x4330000000000000)
#define JOSE_FMA_HIGH_BITS UINT64_C(0x4678000000000000)

#pragma clang attribute push(__attribute__((target(JOSE_FMA_TARGET))), apply_to = function)

JOSE_FMA_INLINE jose_fma_sums jose_fma_all(uint64_t word)
{
    return _mm256_set1_epi64x((long long)word);
}

JOSE_FMA_INLINE jose_fma_sums jose_fma_add(jose_fma_sums a, jose_fma_sums b)
{
    return _mm256_add_epi64(a, b);
}

JOSE_FMA_INLINE jose_fma_sums jose_fma_bits(jose_fma_limbs a)
{
    return _mm256_castpd_si256(a);
}

JOSE_FMA_INLINE jose_fma_limbs jose_fma_double(jose_fma_sums a)
{
    return _mm256_castsi256_pd(a);
}

// A sum gets this bias before it is split into a limb and a carry, so that it is not negative. The
// carry is then JOSE_FMA_NO_CARRY too large.
#define JOSE_FMA_BIAS ((UINT64_C(1) << 60) + (UINT64_C(1) << 51))
enum { JOSE_FMA_NO_CARRY = 256 };

JOSE_FMA_INLINE jose_fma_sums jose_fma_biased(jose_fma_sums sum)
{
    return jose_fma_add(sum, jose_fma_all(JOSE_FMA_BIAS));
}

JOSE_FMA_INLINE jose_fma_sums jose_fma_carry(jose_fma_sums biased)
{
    return _mm256_srli_epi64(biased, 52);
}

// jose_fma_minus_constants returns the negative of the constants that the parts of products add to
// a column's sum, in a product of two numbers of `count` limbs. Column k of the lower half has
// k + 1 low parts and k high ones. Column `count` + k has `count` - 1 - k low parts and `count` - k
// high ones. This holds in whatever lanes and order the partial products are computed (decision
// 17), and for a square whose pairs are doubled.
JOSE_FMA_INLINE uint64_t jose_fma_minus_constants(int count, int column)
{
    const uint64_t both = JOSE_FMA_LOW_BITS + JOSE_FMA_HIGH_BITS;
    if (column < count) return 0 - JOSE_FMA_LOW_BITS - (uint64_t)column * both;
    return JOSE_FMA_LOW_BITS - (uint64_t)(2 * count - column) * both;
}

// Which constants of products a sum still has: none, those of a column of the lower half of a
// product, or those of a column of the upper halves of two products.
typedef enum jose_fma_half {
    JOSE_FMA_PLAIN,
    JOSE_FMA_LOWER,
    JOSE_FMA_TWO_UPPER
} jose_fma_half;

// jose_fma_bias_at returns the bias that also removes these constants. `column` counts from the
// start of the half.
JOSE_FMA_INLINE uint64_t jose_fma_bias_at(jose_fma_half half, int count, int column)
{
    if (half == JOSE_FMA_PLAIN) return JOSE_FMA_BIAS;
    if (half == JOSE_FMA_LOWER) return JOSE_FMA_BIAS + jose_fma_minus_constants(count, column);
    return JOSE_FMA_BIAS + 2 * jose_fma_minus_constants(count, count + column);
}

// jose_fma_limb returns the limb of a biased sum plus the carry into it. Both become doubles
// separately, since their sum could leave the range from 2^52 to 2^53.
JOSE_FMA_INLINE jose_fma_limbs jose_fma_limb(jose_fma_sums biased, jose_fma_sums carry)
{
    const jose_fma_sums low = _mm256_or_si256(_mm256_and_si256(biased, jose_fma_all(JOSE_FMA_MASK)),
                                              jose_fma_all(JOSE_FMA_LOW_BITS));
    const jose_fma_sums rest = _mm256_sub_epi64(  // 2^52 + 2^51 - (carry - JOSE_FMA_NO_CARRY)
        jose_fma_all(JOSE_FMA_LOW_BITS + (UINT64_C(1) << 51) + JOSE_FMA_NO_CARRY), carry);
    return _mm256_sub_pd(jose_fma_double(low), jose_fma_double(rest));
}

// jose_fma_whole_limb returns the same limb as an integer.
JOSE_FMA_INLINE jose_fma_sums jose_fma_whole_limb(jose_fma_sums biased, jose_fma_sums carry)
{
    const jose_fma_sums low = _mm256_and_si256(biased, jose_fma_all(JOSE_FMA_MASK));
    return _mm256_sub_epi64(jose_fma_add(low, carry),
                            jose_fma_all((UINT64_C(1) << 51) + JOSE_FMA_NO_CARRY));
}

#pragma clang attribute pop
#endif
#endif
