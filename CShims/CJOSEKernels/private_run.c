// private_run.c: the sequence of a private operation, the same for every kernel: check the key and
// the message, blind, compute modulo both primes, recombine, unblind, square the blinding.

#include <string.h>

#include "fma_power.h"
#include "fma_private.h"
#include "ifma_power.h"
#include "private_key.h"
#include "rsa_area.h"

#if JOSE_KERNELS_X86

// Which kernel computes. It is a compile-time constant at each use, so that every call is direct.
typedef enum kind { BY_IFMA,
                    BY_DOUBLES } kind;

#define INLINE static inline __attribute__((always_inline))

// MARK: modulo n

// Returns whether all checksums are right. Before this check, the code below reads only key->size.
INLINE bool is_whole(const kind k, const jose_rsa_private_key *key)
{
    if (!jose_private_key_is_whole(key)) return false;
    const bool is_intact = jose_private_checksum(key->secret) == key->secret->checksum;
    if (!jose_declassify(is_intact) || key->secret->size != key->size) return false;
    if (k == BY_DOUBLES) {
        const jose_rsa_fma_key *n = key->modulus;
        return jose_fma_checksum(n) == n->checksum && n->size == key->size;
    }
    const jose_rsa_ifma_key *n = key->modulus;
    return jose_ifma_checksum(n) == n->checksum && n->size == key->size;
}

INLINE const uint8_t *modulus_of(const kind k, const jose_rsa_private_key *key)
{
    return k == BY_DOUBLES ? ((const jose_rsa_fma_key *)key->modulus)->modulus
                           : ((const jose_rsa_ifma_key *)key->modulus)->modulus;
}

INLINE void make_factor(const kind k, const jose_rsa_private_key *key, size_t size,
                        uint64_t *factor, const uint8_t *number)
{
    k == BY_DOUBLES ? jose_fma_blinding_factor(key->modulus, size, factor, number)
                    : jose_ifma_factor(key->modulus, size, factor, number);
}

INLINE void scale(const kind k, const jose_rsa_private_key *key, size_t size, uint8_t *out,
                  const uint8_t *in, const uint64_t *factor)
{
    k == BY_DOUBLES ? jose_fma_blinding_scale(key->modulus, size, out, in, factor)
                    : jose_ifma_scale(key->modulus, size, out, in, factor);
}

INLINE void square_factor(const kind k, const jose_rsa_private_key *key, uint64_t *factor)
{
    k == BY_DOUBLES ? jose_fma_blinding_square(key->modulus, factor)
                    : jose_ifma_square_factor(key->modulus, factor);
}

// MARK: one operation

typedef struct area {
    _Alignas(64) uint64_t before[JOSE_GUARD_WORDS];
    uint64_t c[JOSE_PRIVATE_LIMBS];
    _Alignas(64) uint64_t between[JOSE_GUARD_WORDS];
    uint64_t m[JOSE_PRIVATE_LIMBS];
    _Alignas(64) uint64_t after[JOSE_GUARD_WORDS];
    uint8_t bytes[JOSE_RSA_KERNEL_MAX_BYTES];
} area;

static void guard(area *work)
{
    jose_guard(work->before);
    jose_guard(work->between);
    jose_guard(work->after);
}

// SEPARATE functions are not inlined, so that Tests/CCore/kernels/residue.py checks their jumps
// apart from the code on secrets. The results of their comparisons are public.
#define SEPARATE static __attribute__((noinline))

SEPARATE bool are_guards_intact(const uint64_t *before, const uint64_t *between,
                                const uint64_t *after)
{
    return (jose_guard_corruption(before) | jose_guard_corruption(between) |
            jose_guard_corruption(after)) == 0;
}

// Returns whether a random number can blind: it is below n and not zero.
SEPARATE bool can_blind(const uint8_t *number, const uint8_t *modulus, size_t size)
{
    uint64_t any = 0;
    for (size_t i = 0; i < size; i += 8) any |= jose_load_big(number + i);
    return jose_below_portable(number, modulus, size) & (any != 0);
}

static bool is_guarded(const area *work)
{
    return are_guards_intact(work->before, work->between, work->after);
}

static void read_message(area *work, const uint8_t *bytes, size_t size)
{
    jose_limbs_from_bytes(work->c, 2 * jose_half_limbs(size), bytes, size);
    memset(work->m, 0, sizeof work->m);
}

// Unblinds work->m to `out`. Returns whether the result is below n and no guard word changed.
INLINE bool finish(const kind k, const jose_rsa_private_key *key, size_t size, area *work,
                   uint8_t *out, const uint64_t *unblind)
{
    jose_limbs_to_bytes(work->bytes, size, work->m);
    memset(out, 0xff, size);  // not below any modulus, in case nothing is written
    scale(k, key, size, out, work->bytes, unblind);
    bool intact = jose_below_portable(out, modulus_of(k, key), size);
    intact &= is_guarded(work);
    return jose_declassify(intact);
}

INLINE void square_both(const kind k, const jose_rsa_private_key *key, jose_rsa_blinding *blinding)
{
    square_factor(k, key, blinding->blind);
    square_factor(k, key, blinding->unblind);
}

INLINE jose_rsa_outcome run(const kind k, const jose_rsa_private_key *key,
                            jose_rsa_blinding *blinding, uint8_t *out, const uint8_t *in)
{
    const size_t size = key->size;  // read before the check, so that the check covers this value
    if (!is_whole(k, key)) return JOSE_RSA_CORRUPTED;
    area work;
    jose_rsa_outcome outcome = JOSE_RSA_DECLINED;
    if (jose_declassify(jose_below_portable(in, modulus_of(k, key), size))) {
        guard(&work);
        scale(k, key, size, work.bytes, in, blinding->blind);
        read_message(&work, work.bytes, size);
        if (k == BY_DOUBLES)
            jose_fma_private_power(key->secret, JOSE_EXPONENT_D, work.m, work.c);
        else
            jose_ifma_private_power(key->secret, JOSE_EXPONENT_D, work.m, work.c);
        outcome = finish(k, key, size, &work, out, blinding->unblind) ? JOSE_RSA_DONE
                                                                      : JOSE_RSA_CORRUPTED;
        square_both(k, key, blinding);
        jose_area_wipe(&work, sizeof work);
    }
    if (outcome != JOSE_RSA_DONE) memset(out, 0, size);
    return outcome;
}

jose_rsa_outcome jose_rsa_ifma_private_run(const jose_rsa_private_key *key,
                                           jose_rsa_blinding *blinding, uint8_t *out,
                                           const uint8_t *in)
{
    return run(BY_IFMA, key, blinding, out, in);
}

jose_rsa_outcome jose_rsa_fma_private_run(const jose_rsa_private_key *key,
                                          jose_rsa_blinding *blinding, uint8_t *out,
                                          const uint8_t *in)
{
    return run(BY_DOUBLES, key, blinding, out, in);
}

// MARK: four operations

enum { LANES = JOSE_RSA_PRIVATE_LANES };

// The work area of four operations. `unblind` keeps each lane's factor: lanes may share a blinding,
// and each of them squares it.
typedef struct area_x4 {
    _Alignas(64) uint64_t before[JOSE_GUARD_WORDS];
    uint64_t c[LANES][JOSE_PRIVATE_LIMBS];
    _Alignas(64) uint64_t between[JOSE_GUARD_WORDS];
    uint64_t m[LANES][JOSE_PRIVATE_LIMBS];
    _Alignas(64) uint64_t after[JOSE_GUARD_WORDS];
    _Alignas(64) uint64_t unblind[LANES][JOSE_IFMA_WORDS];
    area lane;
} area_x4;

jose_rsa_lanes jose_rsa_ifma_private_run_x4(const jose_rsa_private_key *const *keys,
                                            jose_rsa_blinding *const *blindings,
                                            uint8_t *const *out, const uint8_t *const *in)
{
    jose_rsa_lanes lanes = {0, 0};
    unsigned taken = 0;
    int first = -1;
    size_t size = 0;  // of the first intact key
    area_x4 work;
    const jose_private_numbers *secrets[LANES];
    memset(&work, 0, sizeof work);
    guard(&work.lane);
    jose_guard(work.before);
    jose_guard(work.between);
    jose_guard(work.after);
    for (int lane = 0; lane < LANES; lane++) {
        const jose_rsa_private_key *key = keys[lane];
        if (key == NULL) continue;
        const size_t own_size = key->size;
        if (!is_whole(BY_IFMA, key)) {
            lanes.corrupted |= 1u << lane;
            continue;
        }
        if (first < 0) size = own_size;
        if (size != own_size ||
            !jose_declassify(jose_below_portable(in[lane], modulus_of(BY_IFMA, key), size))) {
            memset(out[lane], 0, own_size);
            continue;
        }
        if (first < 0) first = lane;
        scale(BY_IFMA, key, size, work.lane.bytes, in[lane], blindings[lane]->blind);
        memcpy(work.unblind[lane], blindings[lane]->unblind, sizeof work.unblind[lane]);
        square_both(BY_IFMA, key, blindings[lane]);
        jose_limbs_from_bytes(work.c[lane], 2 * jose_half_limbs(size), work.lane.bytes, size);
        secrets[lane] = key->secret;
        taken |= 1u << lane;
    }
    if (taken == 0) return lanes;
    for (int lane = 0; lane < LANES; lane++) {  // idle lanes repeat the first one
        if ((taken >> lane & 1) != 0) continue;
        secrets[lane] = secrets[first];
        memcpy(work.c[lane], work.c[first], sizeof work.c[lane]);
    }

    jose_ifma_private_power_x4(secrets, JOSE_EXPONENT_D, work.m,
                               (const uint64_t(*)[JOSE_PRIVATE_LIMBS])work.c);
    const bool is_intact =
        jose_declassify(are_guards_intact(work.before, work.between, work.after));
    for (int lane = 0; lane < LANES; lane++) {
        if ((taken >> lane & 1) == 0) continue;
        const jose_rsa_private_key *key = keys[lane];
        memcpy(work.lane.m, work.m[lane], sizeof work.lane.m);
        if (is_intact && finish(BY_IFMA, key, size, &work.lane, out[lane], work.unblind[lane])) {
            lanes.done |= 1u << lane;
        } else {
            lanes.corrupted |= 1u << lane;
            memset(out[lane], 0, size);
        }
    }
    jose_area_wipe(&work, sizeof work);
    return lanes;
}

// MARK: blinding

// The pair is u and u^-d, because (c u)^d u^-d = c^d. The usual pair u^e and 1/u needs the
// public exponent, and an inverse, which is slow and hard to compute without branches.
INLINE jose_rsa_outcome renew(const kind k, const bool together, const jose_rsa_private_key *key,
                              jose_rsa_blinding *blinding, const uint8_t *random)
{
    const size_t size = key->size;
    if (!is_whole(k, key)) return JOSE_RSA_CORRUPTED;
    if (!jose_declassify(can_blind(random, modulus_of(k, key), size))) return JOSE_RSA_DECLINED;
    area work;
    guard(&work);
    make_factor(k, key, size, blinding->blind, random);
    read_message(&work, random, size);
    if (k == BY_DOUBLES) {
        jose_fma_private_power(key->secret, JOSE_EXPONENT_MINUS_D, work.m, work.c);
    } else if (!together) {
        jose_ifma_private_power(key->secret, JOSE_EXPONENT_MINUS_D, work.m, work.c);
    } else {
        area_x4 four;
        const jose_private_numbers *secrets[LANES];
        memset(&four, 0, sizeof four);
        for (int lane = 0; lane < LANES; lane++) {
            secrets[lane] = key->secret;
            memcpy(four.c[lane], work.c, sizeof work.c);
        }
        jose_ifma_private_power_x4(secrets, JOSE_EXPONENT_MINUS_D, four.m,
                                   (const uint64_t(*)[JOSE_PRIVATE_LIMBS])four.c);
        memcpy(work.m, four.m[0], sizeof work.m);
        jose_area_wipe(&four, sizeof four);
    }
    jose_limbs_to_bytes(work.bytes, size, work.m);
    make_factor(k, key, size, blinding->unblind, work.bytes);
    const bool intact = jose_declassify(is_guarded(&work));
    jose_area_wipe(&work, sizeof work);
    return intact ? JOSE_RSA_DONE : JOSE_RSA_CORRUPTED;
}

void jose_rsa_blinding_set(const jose_rsa_private_key *key, jose_rsa_blinding *blinding,
                           const uint8_t *blind, const uint8_t *unblind)
{
    const kind k = jose_rsa_private_kernels[key->kernel].is_floating ? BY_DOUBLES : BY_IFMA;
    make_factor(k, key, key->size, blinding->blind, blind);
    make_factor(k, key, key->size, blinding->unblind, unblind);
}

jose_rsa_outcome jose_rsa_ifma_private_renew(const jose_rsa_private_key *key,
                                             jose_rsa_blinding *blinding, const uint8_t *random)
{
    return renew(BY_IFMA, false, key, blinding, random);
}

jose_rsa_outcome jose_rsa_fma_private_renew(const jose_rsa_private_key *key,
                                            jose_rsa_blinding *blinding, const uint8_t *random)
{
    return renew(BY_DOUBLES, false, key, blinding, random);
}

jose_rsa_outcome jose_rsa_ifma_private_renew_x4(const jose_rsa_private_key *key,
                                                jose_rsa_blinding *blinding,
                                                const uint8_t *random)
{
    return renew(BY_IFMA, true, key, blinding, random);
}

#endif
