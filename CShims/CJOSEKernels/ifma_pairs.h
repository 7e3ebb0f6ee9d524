// ifma_pairs.h: Montgomery product and square over ifma_arith.h, two rows of 52 bits at a time. It
// computes with one number in eight lanes (W = 8), or with two numbers in four lanes each (W = 4).
// In vector j, lane l of a number holds its limb V l + j.
//
// n is the modulus: in private operations a prime of the key. beta = 2^52, and k0 + k1 beta = -1/n
// mod beta^2. So N = n (k0 + k1 beta) is -1 mod beta^2, and N + 1 = upper beta^2.
//
// Two rows remove the two lowest limbs t0 and t1 of the sum. Adding (t0 + t1 beta) N makes both 0,
// so the limbs themselves are the quotients, and no product computes them. The sum above both limbs
// grows by (t0 + t1 beta) upper.
//
// N is larger than n, so the last four rows use n and k0 + k1 beta instead. The other rows add less
// than R/beta^4 times beta^2 n, and the result has the size of n again.
//
// Two rows at a time shorten the chain of dependent multiplications, and products of a and b wait
// for no quotient. All indices are constants, so all rows are unrolled. Larger numbers would need
// more registers and instructions than that saves (ifma_montgomery.h). Bounds: decisions 5 and 23.
#ifndef JOSE_IFMA_PAIRS_H
#define JOSE_IFMA_PAIRS_H

#include "ifma_arith.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_IFMA_TARGET))), apply_to = function)

enum { JOSE_PAIR_MAX_V = 8 };

// jose_pair_limb returns limb `row` + V * lane of b, in all lanes of that number.
JOSE_ALWAYS_INLINE jose_vec jose_pair_limb(const int W, const jose_vec *b, const int row,
                                           const int lane)
{
    if (W == 8) return _mm512_set1_epi64((long long)((const uint64_t *)(b + row))[lane]);
    const jose_vec x = b[row];
    switch (lane) {
    case 0: return _mm512_permutex_epi64(x, _MM_SHUFFLE(0, 0, 0, 0));
    case 1: return _mm512_permutex_epi64(x, _MM_SHUFFLE(1, 1, 1, 1));
    case 2: return _mm512_permutex_epi64(x, _MM_SHUFFLE(2, 2, 2, 2));
    default: return _mm512_permutex_epi64(x, _MM_SHUFFLE(3, 3, 3, 3));
    }
}

// jose_pair_lowest copies the lowest lane of each number to all of its lanes.
JOSE_ALWAYS_INLINE jose_vec jose_pair_lowest(const int W, jose_vec x)
{
    return W == 8 ? jose_lane0(x) : _mm512_permutex_epi64(x, _MM_SHUFFLE(0, 0, 0, 0));
}

// jose_pair_down moves each lane of a number to the one below; the highest becomes zero.
JOSE_ALWAYS_INLINE jose_vec jose_pair_down(const int W, jose_vec x)
{
    if (W == 8) return _mm512_alignr_epi64(_mm512_setzero_si512(), x, 1);
    return _mm512_maskz_permutex_epi64(0x77, x, _MM_SHUFFLE(0, 3, 2, 1));
}

// The sums of a product. Slot s of row i, in lane l of its number, belongs to limb i + s + V l.
// There are V + 2 slots, since two rows are added before the two lowest limbs are done. Products of
// a and b have sums of their own: the processor computes them while it waits for quotients. Two
// sums of each kind halve the chains of dependent additions.
typedef struct jose_pairs {
    jose_vec ab[2][JOSE_PAIR_MAX_V + 2];
    jose_vec mn[2][JOSE_PAIR_MAX_V + 2];
} jose_pairs;

#define JOSE_AT(sum, i, s) (sum)[((i) + (s)) % (V + 2)]

// jose_pair_add_ab adds rows i and i + 1 of a * b. In a square, limbs of different vectors are
// multiplied once, in the row of the lower vector: ab[0] has these products, which count twice, and
// ab[1] those that count once.
JOSE_ALWAYS_INLINE void jose_pair_add_ab(const int W, const int V, const int i, const int square,
                                         jose_pairs *s, const jose_vec *a, const jose_vec *b)
{
    JOSE_UNROLL
    for (int k = 0; k < 2; k++) {
        const int row = (i + k) % V;
        const jose_vec limb = jose_pair_limb(W, b, row, (i + k) / V);
        if (square) {
            jose_vec *once = s->ab[1];
            JOSE_AT(once, i, k + row) = jose_lo(JOSE_AT(once, i, k + row), a[row], limb);
            JOSE_AT(once, i, k + row + 1) = jose_hi(JOSE_AT(once, i, k + row + 1), a[row], limb);
        }
        JOSE_UNROLL
        for (int j = square ? row + 1 : 0; j < V; j++) {
            jose_vec *low = s->ab[0], *high = square ? s->ab[0] : s->ab[1];
            JOSE_AT(low, i, k + j) = jose_lo(JOSE_AT(low, i, k + j), a[j], limb);
            JOSE_AT(high, i, k + j + 1) = jose_hi(JOSE_AT(high, i, k + j + 1), a[j], limb);
        }
    }
}

JOSE_ALWAYS_INLINE jose_vec jose_pair_ab_total(const int V, const int i, const int square,
                                               const jose_pairs *s, const int slot)
{
    const jose_vec total = jose_sum(JOSE_AT(s->ab[0], i, slot), JOSE_AT(s->ab[1], i, slot));
    return square ? jose_sum(total, JOSE_AT(s->ab[0], i, slot)) : total;
}

// jose_pair_add_mn adds the products of the quotients m0 and m1 with n, to the slots from `from` to
// `to` - 1. `from` is at least 2. Limb 0 of m0 n belongs to slot `shift` (0 or 2).
JOSE_ALWAYS_INLINE void jose_pair_add_mn(const int V, const int i, jose_pairs *s, jose_vec m0,
                                         jose_vec m1, const jose_vec *n, const int shift,
                                         const int from, const int to)
{
    jose_vec *low = s->mn[0], *high = s->mn[1];
    JOSE_UNROLL
    for (int slot = from; slot < to; slot++) {
        const int j = slot - shift;  // the limb of n whose low half of m0 n[j] belongs here
        if (j < V) JOSE_AT(low, i, slot) = jose_lo(JOSE_AT(low, i, slot), m0, n[j]);
        if (j >= 1 && j <= V) {
            JOSE_AT(high, i, slot) = jose_hi(JOSE_AT(high, i, slot), m0, n[j - 1]);
            JOSE_AT(low, i, slot) = jose_lo(JOSE_AT(low, i, slot), m1, n[j - 1]);
        }
        if (j >= 2) JOSE_AT(high, i, slot) = jose_hi(JOSE_AT(high, i, slot), m1, n[j - 2]);
    }
}

// jose_pair_take returns `carry` plus the sum of a slot and clears the slot. The slot's limb in the
// lowest lane of each number must be complete. mn[0], which is complete last, is added last.
JOSE_ALWAYS_INLINE jose_vec jose_pair_take(const int V, const int i, const int square,
                                           jose_pairs *s, const int slot, jose_vec carry)
{
    const jose_vec early = jose_sum(jose_pair_ab_total(V, i, square, s, slot),
                                    jose_sum(carry, JOSE_AT(s->mn[1], i, slot)));
    const jose_vec total = jose_sum(early, JOSE_AT(s->mn[0], i, slot));
    JOSE_AT(s->ab[0], i, slot) = JOSE_AT(s->ab[1], i, slot) = JOSE_AT(s->mn[0], i, slot) =
        JOSE_AT(s->mn[1], i, slot) = _mm512_setzero_si512();
    return total;
}

// jose_pair_drop drops the lowest limbs of slots 0 and 1, which are 0 mod beta or the quotients,
// and moves the other limbs of these slots one lane down.
JOSE_ALWAYS_INLINE void jose_pair_drop(const int W, const int V, const int i, jose_pairs *s,
                                       jose_vec slot0, jose_vec slot1)
{
    JOSE_AT(s->mn[0], i, V) = jose_sum(JOSE_AT(s->mn[0], i, V), jose_pair_down(W, slot0));
    JOSE_AT(s->mn[0], i, V + 1) = jose_sum(JOSE_AT(s->mn[0], i, V + 1), jose_pair_down(W, slot1));
}

// The mask of the lowest lane of each number.
#define JOSE_PAIR_LOWEST(W) ((W) == 8 ? 0x01 : 0x11)

// jose_montgomery_pairs computes out = a b/R mod n for each number, below a b/R + n (1 + 2^-104).
// n, upper, k0 and k1 have each number's values in its lanes. out, written last, may be a or b.
JOSE_ALWAYS_INLINE void jose_montgomery_pairs(const int W, const int V, const int ROWS,
                                              const int square, jose_vec *out, const jose_vec *a,
                                              const jose_vec *b, const jose_vec *n,
                                              const jose_vec *upper, jose_vec k0, jose_vec k1)
{
    const jose_vec zero = _mm512_setzero_si512();
    const jose_vec mask = _mm512_set1_epi64((long long)JOSE_LIMB_MASK);
    jose_vec carry = zero;  // into the lowest limb of each number
    jose_pairs s;
    JOSE_UNROLL
    for (int j = 0; j < V + 2; j++) s.ab[0][j] = s.ab[1][j] = s.mn[0][j] = s.mn[1][j] = zero;
    jose_pair_add_ab(W, V, 0, square, &s, a, b);
    JOSE_UNROLL
    for (int i = 0; i < ROWS; i += 2) {
        // The two lowest limbs of each number are in its lowest lane.
        const jose_vec low0 = jose_pair_take(V, i, square, &s, 0, carry);
        const jose_vec low1 = jose_pair_take(V, i, square, &s, 1, zero);
        const jose_vec high = jose_sum(low1, _mm512_srli_epi64(low0, 52));
        if (i < ROWS - 4) {
            // low0 and high are the quotients: the multiplier reads only their low 52 bits.
            const jose_vec all0 = jose_pair_lowest(W, low0), all1 = jose_pair_lowest(W, high);
            carry = _mm512_maskz_srli_epi64(JOSE_PAIR_LOWEST(W), high, 52);
            // First the slots that the next two quotients wait for.
            jose_pair_add_mn(V, i, &s, all0, all1, upper, 2, 2, 4);
            jose_pair_add_ab(W, V, i + 2, square, &s, a, b);
            jose_pair_add_mn(V, i, &s, all0, all1, upper, 2, 4, V + 4);
            jose_pair_drop(W, V, i, &s, low0, low1);
            continue;
        }
        // m0 + m1 beta = (low0 + low1 beta)(k0 + k1 beta) mod beta^2. The multiplier reads only the
        // low 52 bits, so m1 needs no reduction.
        const jose_vec m0 = jose_lo(zero, low0, k0);
        const jose_vec m1 = jose_sum(jose_lo(zero, high, k0),
                                     jose_sum(jose_hi(zero, low0, k0), jose_lo(zero, low0, k1)));
        const jose_vec all0 = jose_pair_lowest(W, m0), all1 = jose_pair_lowest(W, m1);

        // What the two lowest limbs carry. low0 + lo(m0 n0) ends in 52 zero bits, so it carries
        // (low0 + beta - 1) >> 52. The next limb carries likewise, without its last addend
        // lo(m1 n0).
        const jose_vec carry0 = _mm512_srli_epi64(jose_sum(low0, mask), 52);
        const jose_vec next = jose_sum(
            jose_hi(jose_sum(jose_sum(low1, carry0), mask), m0, n[0]), jose_lo(zero, m0, n[1]));
        carry = _mm512_maskz_srli_epi64(JOSE_PAIR_LOWEST(W), next, 52);

        jose_pair_add_mn(V, i, &s, all0, all1, n, 0, 2, 4);
        if (i + 2 < ROWS) jose_pair_add_ab(W, V, i + 2, square, &s, a, b);
        jose_pair_add_mn(V, i, &s, all0, all1, n, 0, 4, V + 2);
        jose_pair_drop(W, V, i, &s, jose_lo(low0, all0, n[0]),
                       jose_sum(jose_lo(low1, all0, n[1]),
                                jose_lo(jose_hi(zero, all0, n[0]), all1, n[0])));
    }
    jose_vec x[JOSE_PAIR_MAX_V];
    JOSE_UNROLL
    for (int j = 0; j < V; j++)
        x[j] = jose_sum(jose_pair_ab_total(V, ROWS, square, &s, j),
                        jose_sum(JOSE_AT(s.mn[0], ROWS, j), JOSE_AT(s.mn[1], ROWS, j)));
    x[0] = jose_sum(x[0], carry);
    jose_normalise(V, x);
    JOSE_UNROLL
    for (int j = 0; j < V; j++) out[j] = x[j];
}

#pragma clang attribute pop
#endif
#endif
