// bounds.c: runs the arithmetic of every RSA kernel over the ranges of its inputs (ranges.h).
//
// The kernels' own sources are compiled here with other intrinsics. What they do with plain
// integers, such as the recombination, is replaced by its contract and proved apart (crt.c of
// proofs, bounds.py).

#include <stdio.h>

#include "fma_arith.h"
#include "fma_power.h"
#include "fma_private.h"
#include "ifma_arith.h"
#include "ifma_power.h"
#include "private_key.h"
#include "ranges.h"
#include "wraps.h"

#define TWO(bits) ((range_number)1 << (bits))
#define MASK ((range_number)JOSE_HALF_MASK)

// MARK: inputs

static void set_limbs(uint64_t *words, int count)
{
    for (int i = 0; i < count; i++) words[i] = range_word(0, MASK);
}

static void set_words(uint64_t *words, int count)
{
    for (int i = 0; i < count; i++) words[i] = range_word(0, TWO(64) - 1);
}

// Limbs as fma_key.c balances them: at most 2^51 in size.
static void set_balanced(double *limbs, int count)
{
    uint64_t *words = (uint64_t *)limbs;
    for (int i = 0; i < count; i++) words[i] = range_double(-TWO(51), TWO(51));
}

// MARK: contracts

WRAPS(void, jose_reduce_once, (uint64_t * x, const uint64_t *n, int limbs))
{
    (void)n, (void)__real_jose_reduce_once;
    set_limbs(x, limbs);
}

WRAPS(void, jose_crt_difference,
      (uint64_t * t, const jose_private_numbers *key, const uint64_t *xp, const uint64_t *xq,
       int limbs))
{
    (void)key, (void)xp, (void)xq, (void)__real_jose_crt_difference;
    set_limbs(t, limbs);
}

WRAPS(void, jose_crt_recombine,
      (uint64_t * m, const jose_private_numbers *key, const uint64_t *h, const uint64_t *xq,
       int limbs))
{
    (void)key, (void)h, (void)xq, (void)__real_jose_crt_recombine;
    set_limbs(m, 2 * limbs);
}

WRAPS(void, jose_ifma_upper,
      (uint64_t * upper, const uint64_t *n, uint64_t k0, uint64_t k1, int limbs))
{
    (void)n, (void)k0, (void)k1, (void)__real_jose_ifma_upper;
    set_limbs(upper, limbs);
}

WRAPS(void, jose_ifma_limbs_read, (uint64_t * limbs, int lane, const uint8_t *bytes, size_t size))
{
    const int V = jose_ifma_vectors(size);
    (void)bytes, (void)__real_jose_ifma_limbs_read;
    const int rows = jose_ifma_rows(size), slots = lane < 0 ? 8 * V : rows;
    for (int i = 0; i < slots; i++)  // the strided slots without a limb become zero
        limbs[lane < 0 ? 8 * (i % V) + i / V : 8 * i + lane] = range_word(0, i < rows ? MASK : 0);
}

WRAPS(void, jose_ifma_limbs_write, (uint8_t * bytes, size_t size, const uint64_t *limbs, int lane))
{
    (void)bytes, (void)size, (void)limbs, (void)lane, (void)__real_jose_ifma_limbs_write;
}

// MARK: integers of 52 bits

static void run_ifma(size_t size)
{
    static jose_rsa_ifma_key key;
    static _Alignas(64) uint64_t x[8 * JOSE_IFMA_WORDS], base[8 * JOSE_IFMA_WORDS],
        n[8 * JOSE_IFMA_WORDS], r2[8 * JOSE_IFMA_WORDS], k0[8], work[16 * JOSE_IFMA_WORDS];
    uint8_t bytes[JOSE_RSA_KERNEL_MAX_BYTES] = {0};
    const int rows = jose_ifma_rows(size), bits = 8 * (int)size;
    key.size = (uint32_t)size, key.e = 65537, key.k0 = range_word(0, MASK);
    key.k1 = range_word(0, MASK);
    set_limbs(key.upper, JOSE_IFMA_PAIR_WORDS);
    jose_ifma_limbs_read(key.n, -1, bytes, size);
    jose_ifma_limbs_read(key.r2, -1, bytes, size);
    jose_ifma_limbs_read(x, -1, bytes, size);
    printf("size %d ifma %d %d\n", bits, rows, jose_ifma_vectors(size));

    range_begin("ifma", bits);
    jose_ifma_power(&key, x, base);
    jose_ifma_factor(&key, size, x, bytes);
    jose_ifma_square_factor(&key, x);
    jose_ifma_scale(&key, size, bytes, bytes, x);
    range_end();

    set_limbs(x, 8 * rows), set_limbs(n, 8 * rows), set_limbs(r2, 8 * rows), set_limbs(k0, 8);
    range_begin("ifma_x8", bits);
    jose_ifma_power_x8(rows, x, n, r2, k0, work);
    range_end();
}

static void set_half(jose_half *half, size_t size)
{
    const int limbs = jose_half_limbs(size);
    set_limbs(half->prime, limbs);
    set_limbs(half->one, limbs);
    set_limbs(half->r3, limbs);
    set_limbs(half->inverse, JOSE_INVERSE_LIMBS);
    for (int i = 0; i < JOSE_HALF_EXPONENTS; i++)
        set_words(half->exponents[i], (int)size / 16);
}

static void run_private(size_t size)
{
    static jose_private_numbers numbers;
    static uint64_t c[JOSE_RSA_PRIVATE_LANES][JOSE_PRIVATE_LIMBS],
        m[JOSE_RSA_PRIVATE_LANES][JOSE_PRIVATE_LIMBS];
    const jose_private_numbers *const keys[JOSE_RSA_PRIVATE_LANES] = {&numbers, &numbers, &numbers,
                                                                      &numbers};
    const int limbs = jose_half_limbs(size), bits = 8 * (int)size;
    numbers.size = size;
    set_half(&numbers.p, size), set_half(&numbers.q, size);
    set_limbs(numbers.coefficient, limbs);
    for (int lane = 0; lane < JOSE_RSA_PRIVATE_LANES; lane++) set_limbs(c[lane], 2 * limbs);
    printf("size %d private %d\n", bits, limbs);

    range_begin("private", bits);
    jose_ifma_private_power(&numbers, JOSE_EXPONENT_D, m[0], c[0]);
    range_end();
    range_begin("private_x4", bits);
    jose_ifma_private_power_x4(keys, JOSE_EXPONENT_D, m, c);
    range_end();
}

// MARK: doubles

static void run_fma(size_t size)
{
    static jose_rsa_fma_key key;
    static _Alignas(64) int64_t x[4 * 80];
    static _Alignas(64) uint64_t work[JOSE_FMA_WORK_X4_WORDS];
    static _Alignas(64) double n[4 * 80], v[4 * 80], r2[4 * 80], factor[80];
    const int blocks = jose_fma_blocks(size), limbs = 20 * blocks, bits = 8 * (int)size;
    key.size = (uint32_t)size, key.e = 65537;
    set_balanced(key.limbs, (JOSE_FMA_LAYOUTS + 1) * limbs);
    set_limbs((uint64_t *)x, limbs);
    printf("size %d fma %d\n", bits, limbs);

    range_begin("fma", bits);
    jose_fma_power(&key, x, work);
    if (size == 256) {
        set_limbs((uint64_t *)x, limbs);
        jose_fma_factor(&key, factor, x, work);
        jose_fma_square_factor(&key, factor, work);
        set_limbs((uint64_t *)x, limbs);
        jose_fma_scale(&key, x, factor, work);
    }
    range_end();

    set_limbs((uint64_t *)x, 4 * limbs);
    set_balanced(n, 4 * limbs), set_balanced(v, 4 * limbs), set_balanced(r2, 4 * limbs);
    range_begin("fma_x4", bits);
    jose_fma_power_x4(blocks, x, n, v, r2, work);
    range_end();
}

static void run_private_fma(void)
{
    static jose_fma_private given;
    uint64_t *const numbers[] = {given.n, given.v, given.one, given.r3, given.c0, given.c1};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        set_limbs(numbers[i], JOSE_FMA_BOTH);
    set_words(given.exponent, JOSE_FMA_EXPONENT - 4);
    printf("size 2048 private_fma %d\n", 2 * JOSE_FMA_HALF);
    range_begin("private_fma", 2048);
    jose_fma_private_powers(&given);
    jose_fma_private_product(&given);
    range_end();
}

int main(void)
{
    printf("constant limb_mask %llu\n", (unsigned long long)JOSE_LIMB_MASK);
    printf("constant half_mask %llu\n", (unsigned long long)JOSE_HALF_MASK);
    printf("constant fma_mask %llu\n", (unsigned long long)JOSE_FMA_MASK);
    printf("constant bias %llu\n", (unsigned long long)JOSE_FMA_BIAS);
    printf("constant no_carry %d\n", JOSE_FMA_NO_CARRY);
    for (size_t size = 256; size <= 512; size += 128) {
        run_ifma(size);
        run_private(size);
        run_fma(size);
    }
    run_private_fma();
    return 0;
}
