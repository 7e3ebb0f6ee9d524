// ifma_public.c: the checks around the kernel of 52-bit multipliers. Every result that leaves this
// file was checked.

#include <string.h>

#include "ifma_power.h"
#include "rsa_area.h"

#if JOSE_KERNELS_X86

typedef struct area {
    _Alignas(64) uint64_t before[JOSE_GUARD_WORDS];
    _Alignas(64) uint64_t x[JOSE_IFMA_WORDS];
    _Alignas(64) uint64_t between[JOSE_GUARD_WORDS];
    _Alignas(64) uint64_t base[JOSE_IFMA_WORDS];
    _Alignas(64) uint64_t after[JOSE_GUARD_WORDS];
} area;

static bool key_is_whole(const jose_rsa_ifma_key *key)
{
    return jose_ifma_vectors(key->size) != 0 && key->e >= 3 && (key->e & 1) != 0 &&
           (key->modulus[key->size - 1] & 1) != 0 && (key->modulus[0] & 0x80) != 0 &&
           key->k0 >> 52 == 0 && ((key->n[0] * key->k0 + 1) & ((UINT64_C(1) << 52) - 1)) == 0 &&
           jose_ifma_checksum(key) == key->checksum;
}

jose_rsa_outcome jose_rsa_ifma_run(const jose_rsa_ifma_key *key, uint8_t *out, const uint8_t *in)
{
    const size_t size = key->size;  // read before the check, so that the check covers this value
    if (!key_is_whole(key)) return JOSE_RSA_CORRUPTED;
    area work;
    jose_guard(work.before);
    jose_guard(work.between);
    jose_guard(work.after);
    memset(out, 0xff, size);  // not below any modulus, in case nothing is written

    jose_rsa_outcome outcome = JOSE_RSA_DECLINED;
    if (jose_declassify(jose_below(in, key->modulus, size))) {
        jose_ifma_limbs_read(work.x, -1, in, size);
        jose_ifma_power(key, work.x, work.base);
        jose_ifma_limbs_write(out, size, work.x, -1);
        bool intact = jose_below(out, key->modulus, size);
        intact &= (jose_guard_corruption(work.before) | jose_guard_corruption(work.between) |
                   jose_guard_corruption(work.after)) == 0;
        if (!jose_declassify(intact))
            outcome = JOSE_RSA_CORRUPTED;
        else if (jose_declassify(jose_differ(out, in, size)))
            outcome = JOSE_RSA_DONE;
    }
    jose_area_wipe(work.x, sizeof work.x);
    jose_area_wipe(work.base, sizeof work.base);
    if (outcome != JOSE_RSA_DONE) memset(out, 0, size);
    return outcome;
}

// The work area of eight operations at once, with up to JOSE_IFMA_WORDS limbs each.
typedef struct area_x8 {
    _Alignas(64) uint64_t before[JOSE_GUARD_WORDS];
    _Alignas(64) uint64_t x[8 * JOSE_IFMA_WORDS];
    _Alignas(64) uint64_t between[JOSE_GUARD_WORDS];
    _Alignas(64) uint64_t work[16 * JOSE_IFMA_WORDS];
    _Alignas(64) uint64_t after[JOSE_GUARD_WORDS];
    _Alignas(64) uint64_t n[8 * JOSE_IFMA_WORDS];
    _Alignas(64) uint64_t r2[8 * JOSE_IFMA_WORDS];
    _Alignas(64) uint64_t k0[8];
} area_x8;

static void take_lane(area_x8 *work, int lane, const jose_rsa_ifma_key *key, size_t size,
                      const uint8_t *in)
{
    const int V = jose_ifma_vectors(size), limbs = jose_ifma_rows(size);
    for (int i = 0, j = 0, l = 0; i < limbs; i++) {
        work->n[8 * i + lane] = key->n[8 * j + l];
        work->r2[8 * i + lane] = key->r2[8 * j + l];
        if (++j == V) j = 0, l++;
    }
    work->k0[lane] = key->k0;
    jose_ifma_limbs_read(work->x, lane, in, size);
}

jose_rsa_lanes jose_rsa_ifma_run_x8(const jose_rsa_ifma_key *const keys[JOSE_RSA_KERNEL_LANES],
                                    uint8_t *const out[JOSE_RSA_KERNEL_LANES],
                                    const uint8_t *const in[JOSE_RSA_KERNEL_LANES])
{
    jose_rsa_lanes lanes = {0, 0};
    unsigned taken = 0;
    int first = -1;
    size_t size = 0;  // of the first key that is used
    area_x8 work;
    for (int lane = 0; lane < JOSE_RSA_KERNEL_LANES; lane++) {
        const jose_rsa_ifma_key *key = keys[lane];
        if (key == NULL) continue;
        const size_t own_size = key->size;
        if (!key_is_whole(key)) {
            lanes.corrupted |= 1u << lane;
            continue;
        }
        memset(out[lane], 0, own_size);
        if (first < 0) size = own_size;
        if (key->e != 65537 || size != own_size) continue;
        if (!jose_declassify(jose_below(in[lane], key->modulus, size))) continue;
        if (first < 0) first = lane;
        take_lane(&work, lane, key, size, in[lane]);
        taken |= 1u << lane;
    }
    if (taken == 0) return lanes;
    for (int lane = 0; lane < JOSE_RSA_KERNEL_LANES; lane++)  // idle lanes repeat the first one
        if ((taken >> lane & 1) == 0) take_lane(&work, lane, keys[first], size, in[first]);

    jose_guard(work.before);
    jose_guard(work.between);
    jose_guard(work.after);
    jose_ifma_power_x8(jose_ifma_rows(size), work.x, work.n, work.r2, work.k0, work.work);
    if ((jose_guard_corruption(work.before) | jose_guard_corruption(work.between) |
         jose_guard_corruption(work.after)) != 0) {
        lanes.corrupted |= taken;
        return lanes;
    }
    for (int lane = 0; lane < JOSE_RSA_KERNEL_LANES; lane++) {
        if ((taken >> lane & 1) == 0) continue;
        memset(out[lane], 0xff, size);
        jose_ifma_limbs_write(out[lane], size, work.x, lane);
        if (!jose_declassify(jose_below(out[lane], keys[lane]->modulus, size)))
            lanes.corrupted |= 1u << lane;
        else if (jose_declassify(jose_differ(out[lane], in[lane], size)))
            lanes.done |= 1u << lane;
        if ((lanes.done >> lane & 1) == 0) memset(out[lane], 0, size);
    }
    return lanes;
}

#endif
