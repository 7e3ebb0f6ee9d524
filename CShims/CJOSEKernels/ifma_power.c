// ifma_power.c: the public operation on prepared limbs, one number at a time, for each key size.

#include "ifma_power.h"

#include "ifma_montgomery.h"
#include "ifma_pairs.h"
#include "rsa_area.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_IFMA_TARGET))), apply_to = function)

// Each size has its own product and its own run of squarings. ROWS limbs of b are in use.
#define JOSE_IFMA_SIZE(BITS, V, ROWS)                                                           \
    static JOSE_PRODUCT void multiply_##BITS(                                                   \
        uint64_t *out, const uint64_t *a, const uint64_t *b, const jose_rsa_ifma_key *key)      \
    {                                                                                           \
        jose_montgomery(V, ROWS, 0, (jose_vec *)out, (const jose_vec *)a, b,                    \
                        _mm512_set1_epi64((long long)b[0]), _mm512_set1_epi64((long long)b[8]), \
                        (const jose_vec *)key->n, key->k0);                                     \
    }                                                                                           \
    static JOSE_PRODUCT void square_##BITS(uint64_t *x, unsigned times,                         \
                                           const jose_rsa_ifma_key *key)                        \
    {                                                                                           \
        jose_vec first = _mm512_set1_epi64((long long)x[0]);                                    \
        jose_vec second = _mm512_set1_epi64((long long)x[8]);                                   \
        jose_vec a[V];                                                                          \
        for (int j = 0; j < (V); j++) a[j] = ((jose_vec *)x)[j];                                \
        while (times-- > 0) {                                                                   \
            jose_montgomery(V, ROWS, 1, a, (V) > 5 ? (jose_vec *)x : a, x, first, second,       \
                            (const jose_vec *)key->n, key->k0);                                 \
            for (int j = 0; j < (V); j++) ((jose_vec *)x)[j] = a[j];                            \
            first = jose_lane0(a[0]);                                                           \
            second = jose_lane0(a[1]);                                                          \
        }                                                                                       \
    }

// 2048 bits: two rows at a time. For larger numbers one row at a time is faster.
static JOSE_PRODUCT void multiply_2048(uint64_t *out, const uint64_t *a,
                                       const uint64_t *b,
                                       const jose_rsa_ifma_key *key)
{
    jose_vec x[5], y[5];
    for (int j = 0; j < 5; j++) x[j] = ((const jose_vec *)a)[j], y[j] = ((const jose_vec *)b)[j];
    jose_montgomery_pairs(8, 5, 40, 0, (jose_vec *)out, x, y, (const jose_vec *)key->n,
                          (const jose_vec *)key->upper, _mm512_set1_epi64((long long)key->k0),
                          _mm512_set1_epi64((long long)key->k1));
}

static JOSE_PRODUCT void square_2048(uint64_t *x, unsigned times,
                                     const jose_rsa_ifma_key *key)
{
    const jose_vec k0 = _mm512_set1_epi64((long long)key->k0);
    const jose_vec k1 = _mm512_set1_epi64((long long)key->k1);
    while (times-- > 0)
        jose_montgomery_pairs(8, 5, 40, 1, (jose_vec *)x, (const jose_vec *)x,
                              (const jose_vec *)x, (const jose_vec *)key->n,
                              (const jose_vec *)key->upper, k0, k1);
}

// The loop also ends if a change in memory makes e even.
#define JOSE_IFMA_POWER(BITS, V)                                                        \
    static void power_##BITS(const jose_rsa_ifma_key *key, uint64_t *x, uint64_t *base) \
    {                                                                                   \
        _Alignas(64) uint64_t y[8 * (V)];                                               \
        int bit = 31 - __builtin_clz(key->e);                                           \
        multiply_##BITS(base, x, key->r2, key);                                         \
        for (int j = 0; j < (V); j++) ((jose_vec *)y)[j] = ((const jose_vec *)base)[j]; \
        for (;;) {                                                                      \
            unsigned run = 0;                                                           \
            do {                                                                        \
                run++;                                                                  \
                bit--;                                                                  \
            } while (bit > 0 && (key->e >> bit & 1) == 0);                              \
            square_##BITS(y, run, key);                                                 \
            if (bit <= 0) break;                                                        \
            multiply_##BITS(y, y, base, key);                                           \
        }                                                                               \
        multiply_##BITS(x, y, x, key); /* by x itself: also leaves Montgomery form */   \
        for (int j = 0; j < (V); j++) ((jose_vec *)y)[j] = ((const jose_vec *)x)[j];    \
        jose_subtract_once(V, (jose_vec *)y, (const jose_vec *)key->n);                 \
        for (int j = 0; j < (V); j++) ((jose_vec *)x)[j] = ((jose_vec *)y)[j];          \
    }

// reduce_BITS replaces x by x - n if that is not negative.
#define JOSE_IFMA_REDUCE(BITS, V)                                                       \
    static __attribute__((noinline)) void reduce_##BITS(uint64_t *x, const uint64_t *n) \
    {                                                                                   \
        jose_subtract_once(V, (jose_vec *)x, (const jose_vec *)n);                      \
    }

JOSE_IFMA_SIZE(3072, 8, 60)
JOSE_IFMA_SIZE(4096, 10, 80)
JOSE_IFMA_POWER(2048, 5)
JOSE_IFMA_POWER(3072, 8)
JOSE_IFMA_POWER(4096, 10)

void jose_ifma_power(const jose_rsa_ifma_key *key, uint64_t *x, uint64_t *base)
{
    switch (key->size) {
    case 256: power_2048(key, x, base); break;
    case 384: power_3072(key, x, base); break;
    case 512: power_4096(key, x, base); break;
    default: break;
    }
}

// MARK: factors

JOSE_IFMA_REDUCE(2048, 5)
JOSE_IFMA_REDUCE(3072, 8)
JOSE_IFMA_REDUCE(4096, 10)

static void multiply(uint64_t *out, const uint64_t *a, const uint64_t *b,
                     const jose_rsa_ifma_key *key)
{
    switch (key->size) {
    case 256: multiply_2048(out, a, b, key); break;
    case 384: multiply_3072(out, a, b, key); break;
    case 512: multiply_4096(out, a, b, key); break;
    default: break;
    }
}

static void reduce(uint64_t *x, const jose_rsa_ifma_key *key)
{
    switch (key->size) {
    case 256: reduce_2048(x, key->n); break;
    case 384: reduce_3072(x, key->n); break;
    case 512: reduce_4096(x, key->n); break;
    default: break;
    }
}

void jose_ifma_factor(const jose_rsa_ifma_key *key, size_t size, uint64_t *factor,
                      const uint8_t *number)
{
    jose_ifma_limbs_read(factor, -1, number, size);
    multiply(factor, factor, key->r2, key);
}

void jose_ifma_scale(const jose_rsa_ifma_key *key, size_t size, uint8_t *out, const uint8_t *in,
                     const uint64_t *factor)
{
    _Alignas(64) uint64_t x[JOSE_IFMA_WORDS];
    jose_ifma_limbs_read(x, -1, in, size);
    multiply(x, x, factor, key);
    reduce(x, key);
    jose_ifma_limbs_write(out, size, x, -1);
    jose_area_wipe(x, sizeof x);
}

void jose_ifma_square_factor(const jose_rsa_ifma_key *key, uint64_t *factor)
{
    multiply(factor, factor, factor, key);
}

#pragma clang attribute pop
#endif
