// ifma_x8.h: Montgomery product and square of eight numbers at once, one in each lane, each with
// its own modulus n. In private operations n is a prime of the key.
//
// Limb i of all eight numbers is one vector. Products are computed in blocks of B x B limbs (B is 4
// or 5), column by column of blocks, so that the sums of a column stay in registers.
//
// Bounds, with `limbs` limbs below beta = 2^52, R = beta^limbs and moduli n below R/2^16:
// - The factors are both below 2n, or one below 3n and the other below n, or one below R and the
//   other 1. The result is (a b + m n)/R with m < R: at most n if a factor is 1, otherwise below
//   n (1 + 2^-14). No step subtracts.
// - A sum receives at most `limbs` products of each of four kinds: low and high halves of a b and
//   of m n. Each is below beta. With one carry below 2^9, low and high halves together are at most
//   4 * 80 * 2^52 + 2^9 < 2^60.4. Nothing wraps.
#ifndef JOSE_IFMA_X8_H
#define JOSE_IFMA_X8_H

#include "ifma_arith.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_IFMA_TARGET))), apply_to = function)

enum { JOSE_MAX_BLOCK = 5 };

// The sums of a column of blocks. Low and high halves have separate sums: in one sum, the chain of
// dependent additions would take longer than the multipliers need.
typedef struct jose_column {
    jose_vec low[2 * JOSE_MAX_BLOCK - 1], high[2 * JOSE_MAX_BLOCK - 1];
} jose_column;

// JOSE_EACH runs `what` for each `i`. If `unrolled` is set, the loop is unrolled, and its bounds
// must be compile-time constants.
#define JOSE_EACH(i, from, to, unrolled, what)                                     \
    if (unrolled) {                                                                \
        JOSE_UNROLL                                                                \
        for (int i = (from); i <= (to); i++) { what; }                             \
    } else {                                                                       \
        _Pragma("clang loop unroll(disable)") for (int i = (from); i <= (to); i++) \
        {                                                                          \
            what;                                                                  \
        }                                                                          \
    }

// jose_column_keep keeps the sums in registers between two blocks. Without it the compiler loads
// the next blocks early and spills sums, which takes a quarter more time. Not for MemorySanitizer,
// which takes what comes out of assembly for defined.
JOSE_ALWAYS_INLINE void jose_column_keep(const int B, jose_column *s)
{
#if !defined(JOSE_SECRETS_CHECK)
    JOSE_UNROLL
    for (int i = 0; i < 2 * B - 1; i++)
        __asm__ volatile(""
                         : "+v"(s->low[i]), "+v"(s->high[i])
                         :
                         : "memory");
#else
    (void)B, (void)s;
#endif
}

// jose_add_block adds the product of B limbs of a and B limbs of b.
JOSE_ALWAYS_INLINE void jose_add_block(const int B, jose_column *s, const jose_vec *a,
                                       const jose_vec *b)
{
    jose_vec limbs[JOSE_MAX_BLOCK];
    JOSE_UNROLL
    for (int j = 0; j < B; j++) limbs[j] = b[j];
    JOSE_UNROLL
    for (int i = 0; i < B; i++) {
        const jose_vec one = a[i];
        JOSE_UNROLL
        for (int j = 0; j < B; j++) {
            s->low[i + j] = jose_lo(s->low[i + j], one, limbs[j]);
            s->high[i + j] = jose_hi(s->high[i + j], one, limbs[j]);
        }
    }
    jose_column_keep(B, s);
}

// jose_add_square adds column c of a * a: pairs of different limbs once and doubled, then the
// squares of single limbs.
JOSE_ALWAYS_INLINE void jose_add_square(const int B, jose_column *s, const jose_vec *a, int c,
                                        int from, const bool unrolled)
{
    JOSE_EACH(i, from, (c + 1) / 2 - 1, unrolled, jose_add_block(B, s, a + B * i, a + B * (c - i)))
    const jose_vec *middle = a + B * (c / 2);
    if (c % 2 == 0) {
        JOSE_UNROLL
        for (int i = 0; i < B; i++) {
            JOSE_UNROLL
            for (int j = i + 1; j < B; j++) {
                s->low[i + j] = jose_lo(s->low[i + j], middle[i], middle[j]);
                s->high[i + j] = jose_hi(s->high[i + j], middle[i], middle[j]);
            }
        }
    }
    JOSE_UNROLL
    for (int i = 0; i < 2 * B - 1; i++) {
        s->low[i] = jose_sum(s->low[i], s->low[i]);
        s->high[i] = jose_sum(s->high[i], s->high[i]);
    }
    if (c % 2 == 0) {
        JOSE_UNROLL
        for (int i = 0; i < B; i++) {
            s->low[2 * i] = jose_lo(s->low[2 * i], middle[i], middle[i]);
            s->high[2 * i] = jose_hi(s->high[2 * i], middle[i], middle[i]);
        }
    }
}

// jose_quotients computes the B quotients of a column, writes them to m, and adds their products
// with the lowest block of n. sum[B] and above belong to the next column.
JOSE_ALWAYS_INLINE void jose_quotients(const int B, jose_vec *sum, jose_vec *m, const jose_vec *n,
                                       jose_vec k0)
{
    const jose_vec zero = _mm512_setzero_si512();
    const jose_vec mask = _mm512_set1_epi64((long long)JOSE_LIMB_MASK);
    JOSE_UNROLL
    for (int t = 0; t < B; t++) {
        const jose_vec low = sum[t], quotient = jose_lo(zero, low, k0);
        // low + lo(quotient n0) ends in 52 zero bits: it carries (low + beta - 1) >> 52.
        sum[t + 1] = jose_sum(sum[t + 1], _mm512_srli_epi64(jose_sum(low, mask), 52));
        sum[t + 1] = jose_sum(jose_lo(sum[t + 1], quotient, n[1]), jose_hi(zero, quotient, n[0]));
        JOSE_UNROLL
        for (int j = 2; j < B; j++) sum[t + j] = jose_lo(sum[t + j], quotient, n[j]);
        JOSE_UNROLL
        for (int j = 1; j < B; j++) sum[t + j + 1] = jose_hi(sum[t + j + 1], quotient, n[j]);
        m[t] = quotient;
    }
}

// jose_montgomery_x8 computes out = (a b + m n)/R for numbers of B * blocks limbs. m is scratch of
// as many limbs. out may be a or b: a limb is written after the last column that reads it.
JOSE_ALWAYS_INLINE void jose_montgomery_x8(const int B, const int blocks, const bool unrolled,
                                           const bool square, jose_vec *out, const jose_vec *a,
                                           const jose_vec *b, const jose_vec *n, jose_vec k0,
                                           jose_vec *m)
{
    const jose_vec zero = _mm512_setzero_si512();
    const jose_vec mask = _mm512_set1_epi64((long long)JOSE_LIMB_MASK);
    jose_vec passed[JOSE_MAX_BLOCK];  // what a column passes to the next one
    JOSE_UNROLL
    for (int t = 0; t < B; t++) passed[t] = zero;
    JOSE_EACH(c, 0, 2 * blocks - 1, unrolled, {
        jose_column s;
        jose_vec sum[2 * JOSE_MAX_BLOCK];
        JOSE_UNROLL
        for (int t = 0; t < 2 * B - 1; t++) s.low[t] = s.high[t] = zero;
        if (c < 2 * blocks - 1) {
            const int from = c < blocks ? 0 : c - blocks + 1;
            const int to = c < blocks ? c : blocks - 1;
            if (square) {
                jose_add_square(B, &s, a, c, from, unrolled);
            } else {
                JOSE_EACH(i, from, to, unrolled, jose_add_block(B, &s, a + B * i, b + B * (c - i)))
            }
            const int last = c < blocks ? c - 1 : blocks - 1;  // the last block of m that is known
            JOSE_EACH(i, from, last, unrolled, jose_add_block(B, &s, m + B * i, n + B * (c - i)))
        }
        sum[0] = jose_sum(passed[0], s.low[0]);
        JOSE_UNROLL
        for (int t = 1; t < 2 * B - 1; t++) {
            sum[t] = jose_sum(s.low[t], s.high[t - 1]);
            if (t < B) sum[t] = jose_sum(sum[t], passed[t]);
        }
        sum[2 * B - 1] = s.high[2 * B - 2];
        if (c < blocks) {
            jose_quotients(B, sum, m + B * c, n, k0);
        } else {
            JOSE_UNROLL
            for (int t = 0; t < B; t++) {
                sum[t + 1] = jose_sum(sum[t + 1], _mm512_srli_epi64(sum[t], 52));
                out[B * (c - blocks) + t] = _mm512_and_si512(sum[t], mask);
            }
        }
        JOSE_UNROLL
        for (int t = 0; t < B; t++) passed[t] = sum[t + B];
    })
}

// jose_reduce_once_x8 replaces x by x - n in the lanes where that is not negative. `difference` is
// scratch.
JOSE_ALWAYS_INLINE void jose_reduce_once_x8(jose_vec *x, const jose_vec *n, jose_vec *difference,
                                            int limbs)
{
    const jose_vec mask = _mm512_set1_epi64((long long)JOSE_LIMB_MASK);
    jose_vec borrow = _mm512_setzero_si512();  // 0 or -1
    for (int i = 0; i < limbs; i++) {
        const jose_vec d = jose_sum(_mm512_sub_epi64(x[i], n[i]), borrow);
        borrow = _mm512_srai_epi64(d, 63);
        difference[i] = _mm512_and_si512(d, mask);
    }
    const __mmask8 take = _mm512_testn_epi64_mask(borrow, borrow);
    for (int i = 0; i < limbs; i++)
        x[i] = _mm512_mask_mov_epi64(jose_read(&x[i]), take, jose_read(&difference[i]));
}

#pragma clang attribute pop
#endif
#endif
