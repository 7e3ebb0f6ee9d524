// fma_x4.c: four public operations at once, one number in each lane, each with its own modulus.
//
// Limb i of all four numbers is one vector. The steps are those of fma_power.c, without quarters.

#include "fma_products.h"
#include "fma_power.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_FMA_TARGET))), apply_to = function)

// settle reduces sums to limbs. Returns the carry out of the highest limb. It is JOSE_FMA_NO_CARRY
// too large; the caller subtracts that. *top gets the highest limb as integers.
static jose_fma_sums settle(jose_fma_limbs *limbs, const jose_fma_sums *sums, int count,
                            jose_fma_sums *top)
{
    jose_fma_sums carry = jose_fma_all(JOSE_FMA_NO_CARRY), before = carry, sum = carry;
    for (int i = 0; i < count; i++) {
        sum = jose_fma_biased(sums[i]);
        limbs[i] = jose_fma_limb(sum, carry);
        before = carry;
        carry = jose_fma_carry(sum);
    }
    *top = jose_fma_whole_limb(sum, before);
    return carry;
}

// reduce sets y = (T + M n) / R, where M = T * (-1/n) mod R. y has `blocks` blocks of five limbs, T
// twice as many. `t` and `product` are scratch.
static void reduce(jose_fma_limbs *y, const jose_fma_sums *T, const jose_fma_limbs *n,
                   const jose_fma_limbs *v, jose_fma_limbs *t, jose_fma_sums *product, int blocks)
{
    const int limbs = JOSE_FMA_BLOCK * blocks;
    jose_fma_sums top, none;
    const jose_fma_sums over = settle(t, T, limbs, &top);
    jose_fma_low(product, t, v, blocks);
    (void)settle(t, product, limbs, &none);
    jose_fma_high(product, t, n, blocks);
    // The columns of T + M n below R sum up to a multiple of R, which is the carry into the upper
    // half. The highest of these columns gives the carry: all lower columns together are less than
    // half a limb.
    const jose_fma_sums column = jose_fma_add(product[limbs - 1], top);
    jose_fma_sums carry = jose_fma_add(jose_fma_carry(jose_fma_biased(column)), over);
    carry = _mm256_sub_epi64(carry, jose_fma_all(2 * JOSE_FMA_NO_CARRY));
    product += limbs;
    T += limbs;
    product[0] = jose_fma_add(product[0], carry);
    for (int i = 0; i < limbs; i++) product[i] = jose_fma_add(product[i], T[i]);
    (void)settle(y, product, limbs, &none);
}

void jose_fma_power_x4(int quarter_blocks, int64_t *x, const double *n, const double *v,
                       const double *r2, uint64_t *work)
{
    const int all = 4 * quarter_blocks, limbs = JOSE_FMA_BLOCK * all;
    const jose_fma_limbs *modulus = (const jose_fma_limbs *)n, *inverse = (const jose_fma_limbs *)v;
    jose_fma_sums *T = (jose_fma_sums *)work, *product = T + 2 * limbs, none;
    jose_fma_limbs *t = (jose_fma_limbs *)(product + 2 * limbs), *y = t + limbs;
    (void)settle(y, (const jose_fma_sums *)x, limbs, &none);
    jose_fma_multiply(T, y, all, (const jose_fma_limbs *)r2, all);
    reduce(y, T, modulus, inverse, t, product, all);
    for (int i = 0; i < 16; i++) {
        jose_fma_square(T, y, all);
        reduce(y, T, modulus, inverse, t, product, all);
    }
    (void)settle(t, (const jose_fma_sums *)x, limbs, &none);
    jose_fma_multiply(T, y, all, t, all);  // which also leaves Montgomery form
    reduce(y, T, modulus, inverse, t, product, all);
    for (int i = 0; i < limbs; i++)
        for (int l = 0; l < 4; l++) x[4 * i + l] = (int64_t)y[i][l];
}

#pragma clang attribute pop
#endif
