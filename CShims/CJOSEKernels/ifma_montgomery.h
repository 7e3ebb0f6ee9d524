// ifma_montgomery.h: Montgomery product and square over ifma_arith.h, one row of 52 bits at a time.
#ifndef JOSE_IFMA_MONTGOMERY_H
#define JOSE_IFMA_MONTGOMERY_H

#include "ifma_arith.h"

#if JOSE_KERNELS_X86
#pragma clang attribute push(__attribute__((target(JOSE_IFMA_TARGET))), apply_to = function)

// The state between rows.
typedef struct jose_rows {
    jose_vec sum[JOSE_IFMA_MAX_V];    // of the products that count once
    jose_vec twice[JOSE_IFMA_MAX_V];  // of the products that count twice, in squares
    jose_vec quotient;                // m of the next row to reduce, in each lane
} jose_rows;

// jose_quotient returns m = low limb * k0 mod 2^52 in every lane.
JOSE_ALWAYS_INLINE jose_vec jose_quotient(jose_vec sum, jose_vec k0)
{
    return jose_lane0(jose_lo(_mm512_setzero_si512(), sum, k0));
}

// jose_add_row adds the products of a with b, the limb of row r, and one product ahead (for a
// square see below):
// - all low halves; that of a[0] only in the first row, since later rows find it added ahead
// - all high halves but that of a[V-1], whose slot is in use until jose_row drops a limb
// - ahead, the low half of a[0] * next, the limb of the next row: slot 1 then lacks only m * n
JOSE_ALWAYS_INLINE void jose_add_row(const int V, const int r, const int square, const int first,
                                     jose_rows *s, const jose_vec *a, jose_vec b, jose_vec next)
{
    jose_vec *sum = s->sum, *twice = s->twice;
    if (!square) {
        JOSE_UNROLL
        for (int j = first ? 0 : 1; j < V; j++)
            JOSE_SLOT(sum, j) = jose_lo(JOSE_SLOT(sum, j), a[j], b);
        JOSE_SLOT(sum, 1) = jose_hi(JOSE_SLOT(sum, 1), a[0], b);
        JOSE_SLOT(sum, 1) = jose_lo(JOSE_SLOT(sum, 1), a[0], next);
        JOSE_UNROLL
        for (int j = 1; j < V - 1; j++)
            JOSE_SLOT(sum, j + 1) = jose_hi(JOSE_SLOT(sum, j + 1), a[j], b);
        return;
    }
    // A square: b is a limb of vector r. Its products with vectors j > r count twice and are
    // computed once.
    if (r > 0 || first) JOSE_SLOT(sum, r) = jose_lo(JOSE_SLOT(sum, r), a[r], b);
    JOSE_UNROLL
    for (int j = r + 1; j < V; j++) JOSE_SLOT(twice, j) = jose_lo(JOSE_SLOT(twice, j), a[j], b);
    if (r < V - 1) JOSE_SLOT(sum, r + 1) = jose_hi(JOSE_SLOT(sum, r + 1), a[r], b);
    JOSE_UNROLL
    for (int j = r + 1; j < V; j++)
        JOSE_SLOT(twice, j + 1) = jose_hi(JOSE_SLOT(twice, j + 1), a[j], b);
    if (r == V - 1) JOSE_SLOT(sum, 1) = jose_lo(JOSE_SLOT(sum, 1), a[0], next);
    JOSE_SLOT(sum, 1) = jose_twice_plus(JOSE_SLOT(sum, 1), JOSE_SLOT(twice, 1));
    JOSE_SLOT(twice, 1) = _mm512_setzero_si512();
}

// jose_row finishes row r: it adds m * n, drops the lowest limb, and adds the products of the next
// row. b0, b1 and b2 point at the limbs of b for this row and the two after. `left` is 1 in the
// last row, 2 in the row before, else more.
JOSE_ALWAYS_INLINE void jose_row(const int V, const int r, const int square, const int left,
                                 jose_rows *s, const jose_vec *a, const uint64_t *b0,
                                 const uint64_t *b1, const uint64_t *b2, const jose_vec *n,
                                 jose_vec k0)
{
    const jose_vec zero = _mm512_setzero_si512();
    jose_vec *sum = s->sum;
    const jose_vec low = JOSE_SLOT(sum, 0), m = s->quotient;

    // The next quotient first, since everything waits for it. low + lo(m n0) ends in 52 zero bits
    // in lane 0, so its carry is (low + 2^52 - 1) >> 52, known before the product is.
    const jose_vec carry =
        _mm512_maskz_srli_epi64(1, jose_sum(low, _mm512_set1_epi64((long long)JOSE_LIMB_MASK)), 52);
    const jose_vec late = jose_sum(jose_lo(carry, n[1], m), jose_hi(zero, n[0], m));
    JOSE_SLOT(sum, 1) = jose_sum(JOSE_SLOT(sum, 1), late);
    if (left > 1) s->quotient = jose_quotient(JOSE_SLOT(sum, 1), k0);

    JOSE_SLOT(sum, 0) = _mm512_alignr_epi64(zero, jose_lo(low, n[0], m), 1);
    if (!square || r == V - 1)
        JOSE_SLOT(sum, V) = jose_hi(JOSE_SLOT(sum, V), a[V - 1], _mm512_set1_epi64((long long)*b0));
    if (left > 1)
        jose_add_row(V, (r + 1) % V, square, 0, s, a, _mm512_set1_epi64((long long)*b1),
                     left > 2 ? _mm512_set1_epi64((long long)*b2) : zero);
    JOSE_UNROLL
    for (int j = 2; j < V; j++) JOSE_SLOT(sum, j) = jose_lo(JOSE_SLOT(sum, j), n[j], m);
    JOSE_UNROLL
    for (int j = 1; j < V; j++) JOSE_SLOT(sum, j + 1) = jose_hi(JOSE_SLOT(sum, j + 1), n[j], m);
}

// JOSE_RELOAD hides where a pointer comes from. So the vectors of wide numbers stay memory
// operands, and the compiler does not copy them to the stack.
#define JOSE_RELOAD(V, p)                \
    do {                                 \
        if ((V) > 5) __asm__(""          \
                             : "+r"(p)); \
    } while (0)

// jose_montgomery computes out = (a * b + m * n) / 2^(52 ROWS) with limbs below 2^52. `first` and
// `second` are limbs 0 and 1 of b in all lanes. For a square, b has the limbs of a in memory.
JOSE_ALWAYS_INLINE void jose_montgomery(const int V, const int ROWS, const int square,
                                        jose_vec *out, const jose_vec *a, const uint64_t *b,
                                        jose_vec first, jose_vec second, const jose_vec *n,
                                        uint64_t k0)
{
    jose_rows s;
    const jose_vec k = _mm512_set1_epi64((long long)k0);
    JOSE_UNROLL
    for (int j = 0; j < V; j++) s.sum[j] = s.twice[j] = _mm512_setzero_si512();
    jose_add_row(V, 0, square, 1, &s, a, first, second);
    s.quotient = jose_quotient(s.sum[0], k);

    const int rounds = (ROWS - 2) / V;
    for (int l = 0; l < rounds; l++) {
        JOSE_UNROLL
        for (int r = 0; r < V; r++) {
            JOSE_RELOAD(V, a);
            JOSE_RELOAD(V, n);
            jose_row(V, r, square, ROWS, &s, a, &JOSE_LIMB(b, r) + l, &JOSE_LIMB(b, r + 1) + l,
                     &JOSE_LIMB(b, r + 2) + l, n, k);
        }
    }
    JOSE_UNROLL
    for (int i = rounds * V; i < ROWS; i++) {
        JOSE_RELOAD(V, a);
        JOSE_RELOAD(V, n);
        jose_row(V, i % V, square, ROWS - i, &s, a, &JOSE_LIMB(b, i), &JOSE_LIMB(b, i + 1),
                 &JOSE_LIMB(b, i + 2), n, k);
    }
    const int r = ROWS % V;
    jose_vec x[JOSE_IFMA_MAX_V];
    JOSE_UNROLL
    for (int j = 0; j < V; j++)
        x[j] = square ? jose_twice_plus(JOSE_SLOT(s.sum, j), JOSE_SLOT(s.twice, j))
                      : JOSE_SLOT(s.sum, j);
    jose_normalise(V, x);
    JOSE_UNROLL
    for (int j = 0; j < V; j++) out[j] = x[j];
}

#pragma clang attribute pop
#endif
#endif
