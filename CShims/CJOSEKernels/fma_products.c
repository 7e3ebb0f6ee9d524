// fma_products.c: products of multi-limb numbers, lane by lane, in blocks of 5 x 5 limbs.
//
// Blocks are summed column by column, so that the ten sums of a column stay in registers. Each limb
// product also adds the bits of the two constants of fma_arith.h. Functions for any number of
// blocks begin a column with the negatives of all these. In the others the constants stay
// (fma_products.h).

#include "fma_products.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_FMA_TARGET))), apply_to = function)

enum { BLOCK = JOSE_FMA_BLOCK,
       COLUMN = 2 * BLOCK,
       MAX_BLOCKS = 16 };  // blocks in a column: 80 limbs

// KEEP fixes the order of instructions and the registers: without it the compiler spills the sums.
// Not for MemorySanitizer, which takes what comes out of assembly for defined.
#if defined(JOSE_SECRETS_CHECK)
#define KEEP(low, high)
#define HIDE(value)
#else
#define KEEP(low, high) __asm__ volatile("" \
                                         : "+x"(low), "+x"(high))
#define HIDE(value) __asm__ volatile("" \
                                     : "+x"(value))
#endif

// MINUS is the negative of the constants that `n` low and `m` high parts add to a sum.
#define MINUS(n, m) (0 - (n)*JOSE_FMA_LOW_BITS - (m)*JOSE_FMA_HIGH_BITS)
#define BLOCKS(n)                                                                               \
    {                                                                                           \
        MINUS(n * 1, n * 0), MINUS(n * 2, n * 1), MINUS(n * 3, n * 2), MINUS(n * 4, n * 3),     \
            MINUS(n * 5, n * 4), MINUS(n * 4, n * 5), MINUS(n * 3, n * 4), MINUS(n * 2, n * 3), \
            MINUS(n * 1, n * 2), MINUS(n * 0, n * 1)                                            \
    }

// The negative constants of a column's ten sums, by the number of blocks in the column.
static const uint64_t minus_by_blocks[MAX_BLOCKS + 1][COLUMN] = {
    BLOCKS(UINT64_C(0)), BLOCKS(UINT64_C(1)), BLOCKS(UINT64_C(2)), BLOCKS(UINT64_C(3)),
    BLOCKS(UINT64_C(4)), BLOCKS(UINT64_C(5)), BLOCKS(UINT64_C(6)), BLOCKS(UINT64_C(7)),
    BLOCKS(UINT64_C(8)), BLOCKS(UINT64_C(9)), BLOCKS(UINT64_C(10)), BLOCKS(UINT64_C(11)),
    BLOCKS(UINT64_C(12)), BLOCKS(UINT64_C(13)), BLOCKS(UINT64_C(14)), BLOCKS(UINT64_C(15)),
    BLOCKS(UINT64_C(16))};
// Those of a block times itself: for the pairs i < j, whose sums are doubled later, and for
// i = j.
static const uint64_t minus_by_pairs[COLUMN] = {
    0, MINUS(UINT64_C(1), 0), MINUS(UINT64_C(1), UINT64_C(1)), MINUS(UINT64_C(2), UINT64_C(1)),
    MINUS(UINT64_C(2), UINT64_C(2)), MINUS(UINT64_C(2), UINT64_C(2)),
    MINUS(UINT64_C(1), UINT64_C(2)), MINUS(UINT64_C(1), UINT64_C(1)), MINUS(0, UINT64_C(1)), 0};
static const uint64_t minus_by_squares[COLUMN] = {
    MINUS(UINT64_C(1), 0), MINUS(0, UINT64_C(1)), MINUS(UINT64_C(1), 0), MINUS(0, UINT64_C(1)),
    MINUS(UINT64_C(1), 0), MINUS(0, UINT64_C(1)), MINUS(UINT64_C(1), 0), MINUS(0, UINT64_C(1)),
    MINUS(UINT64_C(1), 0), MINUS(0, UINT64_C(1))};

typedef struct constants {
    jose_fma_limbs high;  // 1.5 * 2^104
    jose_fma_limbs both;  // 1.5 * 2^104 + 2^52
} constants;

// Hidden from the compiler, which would compute with the values in the default rounding mode.
JOSE_FMA_INLINE constants make_constants(void)
{
    constants k = {_mm256_set1_pd(0x1.8p104), _mm256_set1_pd(0x1.8p104 + 0x1p52)};
    HIDE(k.high);
    HIDE(k.both);
    return k;
}

// The limbs of one factor, as two pointers that are equal, which the compiler does not know. So it
// loads each limb from memory in both instructions that need it. A limb in a register would need a
// copy, since one of the two instructions overwrites it: eight instructions for a product instead
// of six.
typedef struct limbs {
    const jose_fma_limbs *first, *second;
} limbs;

JOSE_FMA_INLINE limbs limbs_at(const jose_fma_limbs *at)
{
    limbs both = {at, at};
#if !defined(JOSE_SECRETS_CHECK)
    __asm__(""
            : "+r"(both.second));
#endif
    return both;
}

// high_part adds the high part of a * b to a sum and returns the double that contains it.
JOSE_FMA_INLINE jose_fma_limbs high_part(jose_fma_sums *sum, jose_fma_limbs a, jose_fma_limbs b,
                                         constants k)
{
    const jose_fma_limbs high = _mm256_fmadd_pd(a, b, k.high);
    *sum = jose_fma_add(*sum, jose_fma_bits(high));
    return high;
}

JOSE_FMA_INLINE void low_part(jose_fma_sums *sum, jose_fma_limbs a, jose_fma_limbs b,
                              jose_fma_limbs high, constants k)
{
    const jose_fma_limbs low = _mm256_fmadd_pd(a, b, _mm256_sub_pd(k.both, high));
    *sum = jose_fma_add(*sum, jose_fma_bits(low));
}

// add_pair adds a * b[j]: sum[0] gets the low part, sum[1] the high one.
JOSE_FMA_INLINE void add_pair(jose_fma_sums *sum, jose_fma_limbs a, limbs b, int j, constants k)
{
    low_part(&sum[0], a, b.second[j], high_part(&sum[1], a, b.first[j], k), k);
    KEEP(sum[0], sum[1]);
}

// The same if only one of the two parts is needed.
JOSE_FMA_INLINE void add_low_part(jose_fma_sums *sum, jose_fma_limbs a, limbs b, int j,
                                  constants k)
{
    low_part(&sum[0], a, b.second[j], _mm256_fmadd_pd(a, b.first[j], k.high), k);
    KEEP(sum[0], sum[0]);
}

JOSE_FMA_INLINE void add_high_part(jose_fma_sums *sum, jose_fma_limbs a, jose_fma_limbs b,
                                   constants k)
{
    (void)high_part(&sum[1], a, b, k);
    KEEP(sum[1], sum[1]);
}

// MARK: a block

// add_block adds the product of 5 limbs of a and 5 of b.
JOSE_FMA_INLINE void add_block(jose_fma_sums *sum, const jose_fma_limbs *a, const jose_fma_limbs *b,
                               constants k)
{
    const limbs other = limbs_at(b);
    JOSE_FMA_UNROLL
    for (int i = 0; i < BLOCK; i++) {
        const jose_fma_limbs one = a[i];
        JOSE_FMA_UNROLL
        for (int j = 0; j < BLOCK; j++) add_pair(sum + i + j, one, other, j, k);
    }
}

// add_low_block adds the part of that product that goes to sum[0..4].
JOSE_FMA_INLINE void add_low_block(jose_fma_sums *sum, const jose_fma_limbs *a,
                                   const jose_fma_limbs *b, constants k)
{
    const limbs other = limbs_at(b);
    JOSE_FMA_UNROLL
    for (int i = 0; i < BLOCK; i++) {
        const jose_fma_limbs one = a[i];
        JOSE_FMA_UNROLL
        for (int j = 0; j < BLOCK - 1 - i; j++) add_pair(sum + i + j, one, other, j, k);
        add_low_part(sum + BLOCK - 1, one, other, BLOCK - 1 - i, k);
    }
}

// add_high_block adds the part of that product that goes to sum[4..9].
JOSE_FMA_INLINE void add_high_block(jose_fma_sums *sum, const jose_fma_limbs *a,
                                    const jose_fma_limbs *b, constants k)
{
    const limbs other = limbs_at(b);
    JOSE_FMA_UNROLL
    for (int i = 0; i < BLOCK; i++) {
        const jose_fma_limbs one = a[i];
        if (i < BLOCK - 1) add_high_part(sum + BLOCK - 2, one, b[BLOCK - 2 - i], k);
        JOSE_FMA_UNROLL
        for (int j = BLOCK - 1 - i; j < BLOCK; j++) add_pair(sum + i + j, one, other, j, k);
    }
}

// add_pairs adds the pairs i < j of a block with itself, add_squares the pairs i = j.
JOSE_FMA_INLINE void add_pairs(jose_fma_sums *sum, const jose_fma_limbs *a, constants k)
{
    const limbs other = limbs_at(a);
    JOSE_FMA_UNROLL
    for (int i = 0; i < BLOCK; i++) {
        const jose_fma_limbs one = a[i];
        JOSE_FMA_UNROLL
        for (int j = i + 1; j < BLOCK; j++) add_pair(sum + i + j, one, other, j, k);
    }
}

JOSE_FMA_INLINE void add_squares(jose_fma_sums *sum, const jose_fma_limbs *a, constants k)
{
    const limbs other = limbs_at(a);
    JOSE_FMA_UNROLL
    for (int i = 0; i < BLOCK; i++) add_pair(sum + 2 * i, a[i], other, i, k);
}

// MARK: a column of blocks

// begin initialises the sums of a column with what the column before passes on and with the
// negative constants `minus`; NULL: without constants.
JOSE_FMA_INLINE void begin(jose_fma_sums *sum, const jose_fma_sums *passed, const uint64_t *minus)
{
    JOSE_FMA_UNROLL
    for (int t = 0; t < COLUMN; t++) {
        sum[t] = minus == NULL ? _mm256_setzero_si256() : jose_fma_all(minus[t]);
        if (t < BLOCK) sum[t] = jose_fma_add(passed[t], sum[t]);
    }
}

// finish writes the column's five lower sums and passes the five upper ones to the next column.
JOSE_FMA_INLINE void finish(jose_fma_sums *out, jose_fma_sums *passed, const jose_fma_sums *sum)
{
    JOSE_FMA_UNROLL
    for (int t = 0; t < BLOCK; t++) out[t] = sum[t];
    JOSE_FMA_UNROLL
    for (int t = 0; t < BLOCK; t++) passed[t] = sum[t + BLOCK];
}

JOSE_FMA_INLINE void pass_nothing(jose_fma_sums *passed)
{
    JOSE_FMA_UNROLL
    for (int t = 0; t < BLOCK; t++) passed[t] = _mm256_setzero_si256();
}

// EACH runs `what` for each `i`. If `unrolled` is set, the loop is unrolled, and its bounds must be
// compile-time constants. Below, `unrolled` also means that sums keep the constants of products.
#define EACH(i, from, to, unrolled, what)              \
    if (unrolled) {                                    \
        JOSE_FMA_UNROLL                                \
        for (int i = (from); i <= (to); i++) { what; } \
    } else {                                           \
        for (int i = (from); i <= (to); i++) { what; } \
    }

JOSE_FMA_INLINE void column(jose_fma_sums *out, jose_fma_sums *passed, const jose_fma_limbs *a,
                            int an, const jose_fma_limbs *b, int bn, int c, bool unrolled,
                            constants k)
{
    jose_fma_sums sum[COLUMN];
    const int from = c < bn ? 0 : c - bn + 1;
    const int to = c < an ? c : an - 1;
    begin(sum, passed, unrolled ? NULL : minus_by_blocks[to - from + 1]);
    EACH(i, from, to, unrolled, add_block(sum, a + BLOCK * i, b + BLOCK * (c - i), k))
    finish(out + BLOCK * c, passed, sum);
}

JOSE_FMA_INLINE void write_passed(jose_fma_sums *out, const jose_fma_sums *passed)
{
    JOSE_FMA_UNROLL
    for (int t = 0; t < BLOCK; t++) out[t] = passed[t];
}

// MARK: products

JOSE_FMA_INLINE void multiply(jose_fma_sums *out, const jose_fma_limbs *a, int an,
                              const jose_fma_limbs *b, int bn, bool unrolled)
{
    const constants k = make_constants();
    jose_fma_sums passed[BLOCK];
    pass_nothing(passed);
    EACH(c, 0, an + bn - 2, unrolled, column(out, passed, a, an, b, bn, c, unrolled, k))
    write_passed(out + BLOCK * (an + bn - 1), passed);
}

JOSE_FMA_INLINE void square_column(jose_fma_sums *out, jose_fma_sums *passed,
                                   const jose_fma_limbs *a, int n, int c, bool unrolled,
                                   constants k)
{
    jose_fma_sums sum[COLUMN];
    const int from = c < n ? 0 : c - n + 1;
    const int pairs = (c + 1) / 2 - from;  // blocks i < c - i
    JOSE_FMA_UNROLL
    for (int t = 0; t < COLUMN; t++)
        sum[t] = unrolled ? _mm256_setzero_si256() : jose_fma_all(minus_by_blocks[pairs][t]);
    EACH(i, from, from + pairs - 1, unrolled, add_block(sum, a + BLOCK * i, a + BLOCK * (c - i), k))
    const jose_fma_limbs *middle = a + BLOCK * (c / 2);
    if (c % 2 == 0) {
        JOSE_FMA_UNROLL
        for (int t = 0; t < COLUMN && !unrolled; t++)
            sum[t] = jose_fma_add(sum[t], jose_fma_all(minus_by_pairs[t]));
        add_pairs(sum, middle, k);
    }
    JOSE_FMA_UNROLL
    for (int t = 0; t < COLUMN; t++) {
        sum[t] = jose_fma_add(sum[t], sum[t]);
        if (t < BLOCK) sum[t] = jose_fma_add(sum[t], passed[t]);
    }
    if (c % 2 == 0) {
        JOSE_FMA_UNROLL
        for (int t = 0; t < COLUMN && !unrolled; t++)
            sum[t] = jose_fma_add(sum[t], jose_fma_all(minus_by_squares[t]));
        add_squares(sum, middle, k);
    }
    finish(out + BLOCK * c, passed, sum);
}

JOSE_FMA_INLINE void square(jose_fma_sums *out, const jose_fma_limbs *a, int n, bool unrolled)
{
    const constants k = make_constants();
    jose_fma_sums passed[BLOCK];
    pass_nothing(passed);
    EACH(c, 0, 2 * n - 2, unrolled, square_column(out, passed, a, n, c, unrolled, k))
    write_passed(out + BLOCK * (2 * n - 1), passed);
}

JOSE_FMA_INLINE void low_half(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b,
                              int n, bool unrolled)
{
    const constants k = make_constants();
    jose_fma_sums passed[BLOCK], sum[COLUMN];
    pass_nothing(passed);
    EACH(c, 0, n - 2, unrolled, column(out, passed, a, n, b, n, c, unrolled, k))
    begin(sum, passed, unrolled ? NULL : minus_by_blocks[n]);
    EACH(i, 0, n - 1, unrolled, add_low_block(sum, a + BLOCK * i, b + BLOCK * (n - 1 - i), k))
    write_passed(out + BLOCK * (n - 1), sum);
}

JOSE_FMA_INLINE void high_half(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b,
                               int n, bool unrolled)
{
    const constants k = make_constants();
    jose_fma_sums passed[BLOCK], sum[COLUMN];
    pass_nothing(passed);
    // One high part of each block in block column n - 2 belongs to the sum below the upper half.
    jose_fma_sums corner[2];
    corner[1] = jose_fma_all(unrolled ? 0 : MINUS(0, (uint64_t)(n - 1)));
    for (int i = 0; i < n - 1; i++)
        add_high_part(corner, a[BLOCK * i + BLOCK - 1], b[BLOCK * (n - 2 - i) + BLOCK - 1], k);
    passed[BLOCK - 1] = corner[1];
    begin(sum, passed, unrolled ? NULL : minus_by_blocks[n]);
    EACH(i, 0, n - 1, unrolled, add_high_block(sum, a + BLOCK * i, b + BLOCK * (n - 1 - i), k))
    finish(out + BLOCK * (n - 1), passed, sum);
    EACH(c, n, 2 * n - 2, unrolled, column(out, passed, a, n, b, n, c, unrolled, k))
    write_passed(out + BLOCK * (2 * n - 1), passed);
}

// Separate functions for any number of blocks and for few: in a common function the compiler
// allocates registers well for neither.

void jose_fma_multiply_any(jose_fma_sums *out, const jose_fma_limbs *a, int an,
                           const jose_fma_limbs *b, int bn)
{
    multiply(out, a, an, b, bn, false);
}

void jose_fma_square_any(jose_fma_sums *out, const jose_fma_limbs *a, int n)
{
    square(out, a, n, false);
}

void jose_fma_low_any(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b, int n)
{
    low_half(out, a, b, n, false);
}

void jose_fma_high_any(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b, int n)
{
    high_half(out, a, b, n, false);
}

void jose_fma_multiply_2_2(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b)
{
    multiply(out, a, 2, b, 2, true);
}

void jose_fma_multiply_1_2(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b)
{
    multiply(out, a, 1, b, 2, true);
}

void jose_fma_square_2(jose_fma_sums *out, const jose_fma_limbs *a)
{
    square(out, a, 2, true);
}

void jose_fma_low_2(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b)
{
    low_half(out, a, b, 2, true);
}

void jose_fma_high_2(jose_fma_sums *out, const jose_fma_limbs *a, const jose_fma_limbs *b)
{
    high_half(out, a, b, 2, true);
}

#pragma clang attribute pop
#endif
