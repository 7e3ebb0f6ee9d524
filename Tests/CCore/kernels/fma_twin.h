// fma_twin.h: the step of the kernel of doubles in integers, one limb after another.
#ifndef FMA_TWIN_H
#define FMA_TWIN_H

#include <stdint.h>

// The largest number of limbs.
enum { FMA_TWIN_LIMBS = 80 };

// fma_twin_product: sums[0 .. an + bn) of a * b with signed limbs. Each product is split at 52
// bits, rounded down, and its two parts go to two neighbouring sums.
void fma_twin_product(int64_t *sums, const int64_t *a, int an, const int64_t *b, int bn);

// fma_twin_step: x = a * b / R mod n, limb by limb as the kernel does it. `v` is -1/n mod R.
void fma_twin_step(int64_t *x, const int64_t *a, const int64_t *b, const int64_t *n,
                   const int64_t *v, int count);

#endif
