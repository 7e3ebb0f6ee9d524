// fma_products.h: products of multi-limb numbers, each by the function for its size.
#ifndef JOSE_FMA_PRODUCTS_H
#define JOSE_FMA_PRODUCTS_H

#include "fma_arith.h"

#if JOSE_KERNELS_X86

// These products are computed lane by lane. `n`, `an` and `bn` count blocks of five limbs. The
// outputs are sums.
//
// The functions with a number in their name are for one and two blocks, which 2048 bits need. Their
// loops are unrolled: loops, and sums that went from column to column through memory, took a ninth
// of an operation. fma_power.c selects the function when it is compiled, fma_x4.c once for each
// product. The functions with a number also leave the constants of limb products in the sums. The
// caller removes the constants together with the bias (jose_fma_bias_at), so an operation has 7 %
// fewer instructions. The functions for any number of blocks remove the constants themselves: at
// 3072 bits halves are padded with zeros, whose products have constants too. At 4096 bits and in
// lanes less than 3 % would be gained.

void jose_fma_multiply_any(jose_fma_sums *out, const jose_fma_limbs *a, int an,
                           const jose_fma_limbs *b, int bn);
void jose_fma_multiply_2_2(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b);
void jose_fma_multiply_1_2(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b);
void jose_fma_square_any(jose_fma_sums *out, const jose_fma_limbs *a, int n);
void jose_fma_square_2(jose_fma_sums *out, const jose_fma_limbs *a);
void jose_fma_low_any(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b, int n);
void jose_fma_low_2(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b);
void jose_fma_high_any(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b, int n);
void jose_fma_high_2(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b);

// jose_fma_multiply: out[0 .. 5 (an + bn)) = a * b.
JOSE_FMA_INLINE void jose_fma_multiply(jose_fma_sums *out, const jose_fma_limbs *a, int an,
                                       const jose_fma_limbs *b, int bn)
{
    if (an == 2 && bn == 2)
        jose_fma_multiply_2_2(out, a, b);
    else if (an == 1 && bn == 2)
        jose_fma_multiply_1_2(out, a, b);
    else
        jose_fma_multiply_any(out, a, an, b, bn);
}

// jose_fma_square: out[0 .. 10 n) = a * a.
JOSE_FMA_INLINE void jose_fma_square(jose_fma_sums *out, const jose_fma_limbs *a, int n)
{
    if (n == 2)
        jose_fma_square_2(out, a);
    else
        jose_fma_square_any(out, a, n);
}

// jose_fma_low: out[0 .. 5 n) = the lower half of a * b.
JOSE_FMA_INLINE void jose_fma_low(jose_fma_sums *out, const jose_fma_limbs *a,
                                  const jose_fma_limbs *b, int n)
{
    if (n == 2)
        jose_fma_low_2(out, a, b);
    else
        jose_fma_low_any(out, a, b, n);
}

// jose_fma_high: out[5 n - 1 .. 10 n) = the upper half of a * b and the column below it. It also
// writes out[5 n - 5 .. 5 n - 2], which have no meaning.
JOSE_FMA_INLINE void jose_fma_high(jose_fma_sums *out, const jose_fma_limbs *a,
                                   const jose_fma_limbs *b, int n)
{
    if (n == 2)
        jose_fma_high_2(out, a, b);
    else
        jose_fma_high_any(out, a, b, n);
}

#endif
#endif
