// ifma_x8.c: eight public operations at once, one number in each lane, each with its own modulus.
//
// Limb i of all eight numbers is one vector. Products are computed in blocks of 4 x 4 limbs, column
// by column of blocks, so that the sums of a column stay in registers. Bounds:
// docs/decisions/0005-rsa-by-vector-arithmetic.md.

#include "ifma_arith.h"
#include "ifma_power.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_IFMA_TARGET))), apply_to = function)

enum { BLOCK = 4,
       COLUMN = 2 * BLOCK };

// add_block adds the product of 4 limbs of a and 4 limbs of b to the sums of one column of blocks.
JOSE_ALWAYS_INLINE void add_block(jose_vec *sum, const jose_vec *a, const jose_vec *b)
{
    JOSE_UNROLL
    for (int i = 0; i < BLOCK; i++) {
        JOSE_UNROLL
        for (int j = 0; j < BLOCK; j++) {
            sum[i + j] = jose_lo(sum[i + j], a[i], b[j]);
            sum[i + j + 1] = jose_hi(sum[i + j + 1], a[i], b[j]);
        }
    }
}

JOSE_ALWAYS_INLINE void clear(jose_vec *sum)
{
    JOSE_UNROLL
    for (int i = 0; i < COLUMN; i++) sum[i] = _mm512_setzero_si512();
}

// add_products adds column c of a * b (blocks a[i] * b[c - i]). For a square it computes each pair
// once, counts it twice, and adds the middle block once.
JOSE_ALWAYS_INLINE void add_products(jose_vec *sum, const jose_vec *a, const jose_vec *b, int c,
                                     int blocks, const int square)
{
    const int from = c < blocks ? 0 : c - blocks + 1;
    const int to = c < blocks ? c : blocks - 1;
    if (!square) {
        for (int i = from; i <= to; i++) add_block(sum, a + BLOCK * i, b + BLOCK * (c - i));
        return;
    }
    jose_vec twice[COLUMN];
    clear(twice);
    for (int i = from; 2 * i < c; i++) add_block(twice, a + BLOCK * i, a + BLOCK * (c - i));
    JOSE_UNROLL
    for (int i = 0; i < COLUMN; i++) sum[i] = jose_twice_plus(sum[i], twice[i]);
    if (c % 2 == 0) add_block(sum, a + BLOCK * (c / 2), a + BLOCK * (c / 2));
}

// reduce_block finds the four quotients of column c and adds their products with n[0..3].
JOSE_ALWAYS_INLINE void reduce_block(jose_vec *sum, jose_vec *m, const jose_vec *n, jose_vec k0)
{
    const jose_vec zero = _mm512_setzero_si512();
    JOSE_UNROLL
    for (int t = 0; t < BLOCK; t++) {
        const jose_vec low = sum[t];
        m[t] = jose_lo(zero, low, k0);
        // low + lo(m n0) ends in 52 zero bits: it carries (low + 2^52 - 1) >> 52.
        sum[t + 1] = jose_sum(
            sum[t + 1],
            _mm512_srli_epi64(jose_sum(low, _mm512_set1_epi64((long long)JOSE_LIMB_MASK)), 52));
        sum[t + 1] = jose_hi(sum[t + 1], m[t], n[0]);
        JOSE_UNROLL
        for (int j = 1; j < BLOCK; j++) {
            sum[t + j] = jose_lo(sum[t + j], m[t], n[j]);
            sum[t + j + 1] = jose_hi(sum[t + j + 1], m[t], n[j]);
        }
    }
}

// settle writes the four lowest limbs of a column and carries into the next.
JOSE_ALWAYS_INLINE void settle(jose_vec *out, jose_vec *sum)
{
    const jose_vec mask = _mm512_set1_epi64((long long)JOSE_LIMB_MASK);
    JOSE_UNROLL
    for (int t = 0; t < BLOCK; t++) {
        sum[t + 1] = jose_sum(sum[t + 1], _mm512_srli_epi64(sum[t], 52));
        out[t] = _mm512_and_si512(sum[t], mask);
    }
}

// montgomery_x8 computes out = (a * b + m * n) / 2^(52 * 4 * blocks). out may be a or b: a limb is
// written after the last column that reads it. m is scratch.
JOSE_ALWAYS_INLINE void montgomery_x8(jose_vec *out, const jose_vec *a, const jose_vec *b,
                                      const jose_vec *n, jose_vec k0, jose_vec *m, int blocks,
                                      const int square)
{
    jose_vec sum[COLUMN];
    clear(sum);
    for (int c = 0; c < 2 * blocks; c++) {
        if (c < 2 * blocks - 1) {
            add_products(sum, a, b, c, blocks, square);
            const int from = c < blocks ? 0 : c - blocks + 1;
            const int to = c < blocks ? c - 1 : blocks - 1;
            for (int i = from; i <= to; i++) add_block(sum, m + BLOCK * i, n + BLOCK * (c - i));
        }
        if (c < blocks)
            reduce_block(sum, m + BLOCK * c, n, k0);
        else
            settle(out + BLOCK * (c - blocks), sum);
        JOSE_UNROLL
        for (int t = 0; t < BLOCK; t++) {
            sum[t] = sum[t + BLOCK];
            sum[t + BLOCK] = _mm512_setzero_si512();
        }
    }
}

static __attribute__((noinline)) void multiply(jose_vec *out, const jose_vec *a, const jose_vec *b,
                                               const jose_vec *n, jose_vec k0, jose_vec *m,
                                               int blocks)
{
    montgomery_x8(out, a, b, n, k0, m, blocks, 0);
}

static __attribute__((noinline)) void square(jose_vec *a, const jose_vec *n, jose_vec k0,
                                             jose_vec *m, int blocks)
{
    montgomery_x8(a, a, a, n, k0, m, blocks, 1);
}

// subtract_once replaces x by x - n in the lanes where that is not negative.
static void subtract_once(jose_vec *x, const jose_vec *n, jose_vec *difference, int limbs)
{
    const jose_vec mask = _mm512_set1_epi64((long long)JOSE_LIMB_MASK);
    jose_vec borrow = _mm512_setzero_si512();  // 0 or -1
    for (int i = 0; i < limbs; i++) {
        const jose_vec d = jose_sum(_mm512_sub_epi64(x[i], n[i]), borrow);
        borrow = _mm512_srai_epi64(d, 63);
        difference[i] = _mm512_and_si512(d, mask);
    }
    const __mmask8 take = _mm512_testn_epi64_mask(borrow, borrow);
    for (int i = 0; i < limbs; i++) x[i] = _mm512_mask_mov_epi64(x[i], take, difference[i]);
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
    subtract_once(input, modulus, y, limbs);
}

#pragma clang attribute pop
#endif
