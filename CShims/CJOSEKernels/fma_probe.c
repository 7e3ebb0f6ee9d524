// fma_probe.c: checks that fused products follow the rounding mode. Every processor does that. An
// emulator such as valgrind may always round to nearest; the kernel of doubles is then absent.

#include "fma_products.h"
#include "fma_mode.h"
#include "fma_power.h"

#if JOSE_KERNELS_X86

enum { BLOCK = JOSE_FMA_BLOCK };

__attribute__((target(JOSE_FMA_TARGET))) bool jose_fma_is_exact(void)
{
    static const int64_t limbs[BLOCK] = {INT64_C(0x80000000000ff), -INT64_C(0x7ffffffffffff), 3,
                                         -INT64_C(0x5555555555555), INT64_C(0x2aaaaaaaaaaab)};
    int64_t want[2 * BLOCK] = {0};
    jose_fma_limbs a[BLOCK];
    jose_fma_sums sums[2 * BLOCK];
    for (int i = 0; i < BLOCK; i++) {
        a[i] = _mm256_set1_pd((double)limbs[i]);
        for (int j = 0; j < BLOCK; j++) {
            const __int128 product = (__int128)limbs[i] * limbs[j];
            want[i + j] += (int64_t)((uint64_t)product & JOSE_FMA_MASK);
            want[i + j + 1] += (int64_t)(product >> 52);
        }
    }
    const uint32_t had = jose_fma_mode_enter();
    jose_fma_multiply(sums, a, 1, a, 1);
    jose_mode_leave(had);
    int64_t seen = 0;
    for (int i = 0; i < 2 * BLOCK; i++)
        for (int lane = 0; lane < 4; lane++) seen |= sums[i][lane] ^ want[i];
    return seen == 0;
}

#endif
