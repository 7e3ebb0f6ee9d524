// fma_twin.c: the step of the kernel of doubles in integers, one limb after another.

#include "fma_twin.h"

#include <string.h>

enum { BITS = 52 };
#define HALF (INT64_C(1) << (BITS - 1))

void fma_twin_product(int64_t *sums, const int64_t *a, int an, const int64_t *b, int bn)
{
    memset(sums, 0, sizeof *sums * (size_t)(an + bn));
    for (int i = 0; i < an; i++)
        for (int j = 0; j < bn; j++) {
            const __int128 product = (__int128)a[i] * b[j];
            sums[i + j] += (int64_t)(product & ((INT64_C(1) << BITS) - 1));
            sums[i + j + 1] += (int64_t)(product >> BITS);  // rounded down
        }
}

// The carry of a sum, so that at most half a limb remains.
static int64_t carry_of(int64_t sum)
{
    return (sum + HALF) >> BITS;
}

// Each limb is the rest of its sum plus the carry of the sum below before any carry was added.
// Returns the last carry.
static int64_t settle(int64_t *limbs, const int64_t *sums, int count)
{
    int64_t carry = 0;
    for (int i = 0; i < count; i++) {
        const int64_t next = carry_of(sums[i]);
        limbs[i] = sums[i] - next * (INT64_C(1) << BITS) + carry;
        carry = next;
    }
    return carry;
}

void fma_twin_step(int64_t *x, const int64_t *a, const int64_t *b, const int64_t *n,
                   const int64_t *v, int count)
{
    int64_t T[2 * FMA_TWIN_LIMBS], low[2 * FMA_TWIN_LIMBS], high[2 * FMA_TWIN_LIMBS];
    int64_t t[FMA_TWIN_LIMBS], m[FMA_TWIN_LIMBS];
    fma_twin_product(T, a, count, b, count);
    int64_t carry = settle(t, T, count);
    fma_twin_product(low, t, count, v, count);
    settle(m, low, count);
    fma_twin_product(high, m, count, n, count);
    carry += carry_of(high[count - 1] + t[count - 1]);
    for (int i = 0; i < count; i++) high[count + i] += T[count + i];
    high[count] += carry;
    settle(x, high + count, count);
}
