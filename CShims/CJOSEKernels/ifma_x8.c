// ifma_x8.c: eight public operations at once, one number in each lane, each with its own modulus.
//
// Products are those of ifma_x8.h in blocks of 4 x 4 limbs. The number of blocks is a variable: the
// unrolled loops of three sizes would not fit the processor's instruction cache. Bounds:
// docs/decisions/0005-rsa-by-vector-arithmetic.md.

#include "ifma_power.h"
#include "ifma_x8.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_IFMA_TARGET))), apply_to = function)

enum { BLOCK = 4 };

static JOSE_PRODUCT void multiply(jose_vec *out, const jose_vec *a, const jose_vec *b,
                                  const jose_vec *n, jose_vec k0, jose_vec *m,
                                  int blocks)
{
    jose_montgomery_x8(BLOCK, blocks, false, false, out, a, b, n, k0, m);
}

static JOSE_PRODUCT void square(jose_vec *a, const jose_vec *n, jose_vec k0,
                                jose_vec *m, int blocks)
{
    jose_montgomery_x8(BLOCK, blocks, false, true, a, a, a, n, k0, m);
}

void jose_ifma_power_x8(int limbs, uint64_t *x, const uint64_t *n, const uint64_t *r2,
                        const uint64_t *k0, uint64_t *work)
{
    const int blocks = limbs / BLOCK;
    const jose_vec k = *(const jose_vec *)k0;
    const jose_vec *modulus = (const jose_vec *)n;
    jose_vec *input = (jose_vec *)x, *y = (jose_vec *)work, *m = (jose_vec *)work + limbs;
    multiply(y, input, (const jose_vec *)r2, modulus, k, m, blocks);
    for (int i = 0; i < 16; i++) square(y, modulus, k, m, blocks);
    multiply(input, y, input, modulus, k, m, blocks);  // which also leaves Montgomery form
    jose_reduce_once_x8(input, modulus, y, limbs);
}

#pragma clang attribute pop
#endif
