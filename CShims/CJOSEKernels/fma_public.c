// fma_public.c: the checks around the kernel of doubles. Every result that leaves this file was
// checked.

#include <string.h>

#include "fma_mode.h"
#include "fma_power.h"
#include "ifma_power.h"
#include "rsa_area.h"

#if JOSE_KERNELS_X86

enum { WORDS = 80 };

typedef struct area {
    _Alignas(64) uint64_t before[JOSE_GUARD_WORDS];
    _Alignas(64) int64_t x[WORDS];
    _Alignas(64) uint64_t between[JOSE_GUARD_WORDS];
    _Alignas(64) uint64_t work[JOSE_FMA_WORK_WORDS];
    _Alignas(64) uint64_t after[JOSE_GUARD_WORDS];
} area;

// The checksum comes first: corrupted doubles may be NaN. The lowest limb of n is in the last lane
// of its layout and that of -1/n in the first lane. The product of these limbs is -1 mod 2^52.
static bool key_is_whole(const jose_rsa_fma_key *key)
{
    const int L = 5 * jose_fma_blocks(key->size);
    if (L == 0 || jose_fma_checksum(key) != key->checksum) return false;
    const uint64_t n = (uint64_t)(int64_t)key->limbs[4 * JOSE_FMA_N_REVERSE * L + 3];
    const uint64_t v = (uint64_t)(int64_t)key->limbs[4 * JOSE_FMA_V_PAIRS * L];
    return key->e >= 3 && (key->e & 1) != 0 && (key->modulus[key->size - 1] & 1) != 0 &&
           (key->modulus[0] & 0x80) != 0 && ((n * v + 1) & ((UINT64_C(1) << 52) - 1)) == 0;
}

jose_rsa_outcome jose_rsa_fma_run(const jose_rsa_fma_key *key, uint8_t *out, const uint8_t *in)
{
    const size_t size = key->size;  // read before the check, so that the check covers this value
    if (!key_is_whole(key)) return JOSE_RSA_CORRUPTED;
    area work;
    jose_guard(work.before);
    jose_guard(work.between);
    jose_guard(work.after);
    memset(out, 0xff, size);  // not below any modulus, in case nothing is written

    jose_rsa_outcome outcome = JOSE_RSA_DECLINED;
    if (jose_declassify(jose_below_portable(in, key->modulus, size))) {
        jose_fma_limbs_read(work.x, -1, in, size);
        const uint32_t had = jose_fma_mode_enter();
        jose_fma_power(key, work.x, work.work);
        jose_mode_leave(had);
        jose_fma_limbs_write(out, size, work.x, -1, key->modulus);
        bool intact = jose_below_portable(out, key->modulus, size);
        intact &= (jose_guard_corruption(work.before) | jose_guard_corruption(work.between) |
                   jose_guard_corruption(work.after)) == 0;
        if (!jose_declassify(intact))
            outcome = JOSE_RSA_CORRUPTED;
        else if (jose_declassify(jose_differ(out, in, size)))
            outcome = JOSE_RSA_DONE;
        jose_area_wipe(work.x, sizeof work.x);
        jose_area_wipe(work.work, sizeof work.work);
    }
    if (outcome != JOSE_RSA_DONE) memset(out, 0, size);
    return outcome;
}

typedef struct area_x4 {
    _Alignas(64) uint64_t before[JOSE_GUARD_WORDS];
    _Alignas(64) int64_t x[4 * WORDS];
    _Alignas(64) uint64_t between[JOSE_GUARD_WORDS];
    _Alignas(64) uint64_t work[JOSE_FMA_WORK_X4_WORDS];
    _Alignas(64) uint64_t after[JOSE_GUARD_WORDS];
    _Alignas(64) double n[4 * WORDS];
    _Alignas(64) double v[4 * WORDS];
    _Alignas(64) double r2[4 * WORDS];
} area_x4;

static void take_lane(area_x4 *work, int lane, const jose_rsa_fma_key *key, size_t size,
                      const uint8_t *in)
{
    const int L = 5 * jose_fma_blocks(size);
    const double *n = key->limbs + 4 * JOSE_FMA_N_REVERSE * L;
    const double *v = key->limbs + 4 * JOSE_FMA_V_REVERSE * L;
    const double *r2 = key->limbs + 4 * JOSE_FMA_LAYOUTS * L;
    for (int q = 0, i = lane; q < 4; q++)
        for (int j = 0; j < L; j++, i += 4) {
            work->n[i] = n[4 * j + 3 - q];
            work->v[i] = v[4 * j + 3 - q];
            work->r2[i] = r2[q * L + j];
        }
    jose_fma_limbs_read(work->x, lane, in, size);
}

jose_rsa_lanes jose_rsa_fma_run_x4(const jose_rsa_fma_key *const keys[JOSE_FMA_LANES],
                                   uint8_t *const out[JOSE_FMA_LANES],
                                   const uint8_t *const in[JOSE_FMA_LANES])
{
    jose_rsa_lanes lanes = {0, 0};
    unsigned taken = 0;
    int first = -1;
    size_t size = 0;  // of the first key that is used
    area_x4 work;
    for (int lane = 0; lane < JOSE_FMA_LANES; lane++) {
        const jose_rsa_fma_key *key = keys[lane];
        if (key == NULL) continue;
        const size_t own_size = key->size;
        if (!key_is_whole(key)) {
            lanes.corrupted |= 1u << lane;
            continue;
        }
        memset(out[lane], 0, own_size);
        if (first < 0) size = own_size;
        if (key->e != 65537 || size != own_size) continue;
        if (!jose_declassify(jose_below_portable(in[lane], key->modulus, size))) continue;
        if (first < 0) first = lane;
        take_lane(&work, lane, key, size, in[lane]);
        taken |= 1u << lane;
    }
    if (taken == 0) return lanes;
    for (int lane = 0; lane < JOSE_FMA_LANES; lane++)  // idle lanes repeat the first one
        if ((taken >> lane & 1) == 0) take_lane(&work, lane, keys[first], size, in[first]);

    jose_guard(work.before);
    jose_guard(work.between);
    jose_guard(work.after);
    const int blocks = jose_fma_blocks(size);
    const uint32_t had = jose_fma_mode_enter();
    jose_fma_power_x4(blocks, work.x, work.n, work.v, work.r2, work.work);
    jose_mode_leave(had);
    if ((jose_guard_corruption(work.before) | jose_guard_corruption(work.between) |
         jose_guard_corruption(work.after)) != 0) {
        lanes.corrupted |= taken;
        return lanes;
    }
    for (int lane = 0; lane < JOSE_FMA_LANES; lane++) {
        if ((taken >> lane & 1) == 0) continue;
        memset(out[lane], 0xff, size);
        jose_fma_limbs_write(out[lane], size, work.x, lane, keys[lane]->modulus);
        if (!jose_declassify(jose_below_portable(out[lane], keys[lane]->modulus, size)))
            lanes.corrupted |= 1u << lane;
        else if (jose_declassify(jose_differ(out[lane], in[lane], size)))
            lanes.done |= 1u << lane;
        if ((lanes.done >> lane & 1) == 0) memset(out[lane], 0, size);
    }
    return lanes;
}

#endif
