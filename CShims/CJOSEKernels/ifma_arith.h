// ifma_arith.h: 52-bit limbs of a number in vector lanes: multiply-add, carries and subtraction.
// docs/decisions/0005-rsa-by-vector-arithmetic.md bounds every value in this file and proves that
// no carry is lost.
//
// A number has V vectors of limbs. Lane l of vector j holds limb V*l + j ("strided"). So moving the
// whole accumulator down by one limb renames the vectors and shifts one of them.
#ifndef JOSE_IFMA_ARITH_H
#define JOSE_IFMA_ARITH_H

#include "kernels.h"

#if JOSE_KERNELS_X86
#include <immintrin.h>

#define JOSE_IFMA_TARGET "avx512f,avx512vl,avx512dq,avx512bw,avx512ifma,bmi2"
#define JOSE_ALWAYS_INLINE static inline __attribute__((always_inline))
#define JOSE_UNROLL _Pragma("clang loop unroll(full)")

// JOSE_PRODUCT marks a function that computes products. Its stack frame is aligned, so that no
// spilled vector lies in two cache lines. In SwiftPM's builds, which have frame pointers, the
// compiler aligns it anyway. In a build without them and without this attribute, 3072 bits take
// 1.25 of the time.
#define JOSE_PRODUCT __attribute__((noinline, force_align_arg_pointer))

#pragma clang attribute push(__attribute__((target(JOSE_IFMA_TARGET))), apply_to = function)

typedef __m512i jose_vec;

enum { JOSE_IFMA_MAX_V = 10 };
#define JOSE_LIMB_MASK ((UINT64_C(1) << 52) - 1)

// Slot j of row r is in register (r + j) mod V: accumulators are renamed instead of moved.
#define JOSE_SLOT(array, j) (array)[(r + (j)) % V]

JOSE_ALWAYS_INLINE jose_vec jose_lo(jose_vec sum, jose_vec a, jose_vec b)
{
    return _mm512_madd52lo_epu64(sum, a, b);
}

JOSE_ALWAYS_INLINE jose_vec jose_hi(jose_vec sum, jose_vec a, jose_vec b)
{
    return _mm512_madd52hi_epu64(sum, a, b);
}

JOSE_ALWAYS_INLINE jose_vec jose_sum(jose_vec a, jose_vec b)
{
    return _mm512_add_epi64(a, b);
}

JOSE_ALWAYS_INLINE jose_vec jose_twice_plus(jose_vec a, jose_vec b)
{
    return jose_sum(a, jose_sum(b, b));
}

// jose_read loads a whole vector from memory. Without it the compiler merges the load into an
// instruction that selects lanes by a mask. Such an instruction does not touch a page of which the
// mask selects no lane, so page faults would reveal the mask.
JOSE_ALWAYS_INLINE jose_vec jose_read(const jose_vec *memory)
{
    jose_vec all = *memory;
#ifndef JOSE_SECRETS_CHECK  // MemorySanitizer takes what comes out of assembly for defined
    __asm__(""
            : "+v"(all));
#endif
    return all;
}

JOSE_ALWAYS_INLINE jose_vec jose_lane0(jose_vec a)
{
    return _mm512_broadcastq_epi64(_mm512_castsi512_si128(a));
}

// Limb i of a strided number of V vectors.
#define JOSE_LIMB(number, i) ((number)[8 * ((i) % V) + (i) / V])

// jose_limb_bits returns the bits that stand for limbs of vector 0, if bit i stands for limb i and
// `lanes` * V limbs are counted.
JOSE_ALWAYS_INLINE uint64_t jose_limb_bits(const int V, const int lanes)
{
    uint64_t mask_of_0 = 0;
    for (int l = 0; l < lanes; l++) mask_of_0 |= UINT64_C(1) << (V * l);
    return mask_of_0;
}

typedef struct jose_carry_bits {
    uint64_t low, high;  // a bit for each limb: of lanes 0-3 and 4-7 if V is 10, else all in low
    uint64_t out;        // what leaves the top limb: 0 or 1
} jose_carry_bits;

// jose_carries resolves all carries at once. Bit l of make[j] and pass[j] is lane l of vector j:
// its limb generates a carry, or propagates one; never both. The result has a bit for each limb
// that receives a carry.
JOSE_ALWAYS_INLINE jose_carry_bits jose_carries(const int V, const __mmask8 *make,
                                                const __mmask8 *pass)
{
    const int lanes = V * 8 <= 64 ? 8 : 4;
    const int width = V * lanes;
    const uint64_t mask_of_0 = jose_limb_bits(V, lanes);
    uint64_t m0 = 0, p0 = 0, m1 = 0, p1 = 0;
    jose_carry_bits c = {0, 0, 0};
    JOSE_UNROLL
    for (int j = 0; j < V; j++) {
        m0 |= _pdep_u64(make[j], mask_of_0 << j);
        p0 |= _pdep_u64(pass[j], mask_of_0 << j);
        if (lanes == 4) {
            m1 |= _pdep_u64(make[j] >> 4, mask_of_0 << j);
            p1 |= _pdep_u64(pass[j] >> 4, mask_of_0 << j);
        }
    }
    if (width == 64) {  // 3072 bits: the sum has 65 bits, the highest is the carry
        c.out = (m0 >> 63) | ((p0 + (m0 << 1) < p0) ? 1u : 0u);
        c.low = (p0 + (m0 << 1)) ^ p0;
        return c;
    }
    const uint64_t t0 = p0 + (m0 << 1);
    c.low = t0 ^ p0;
    c.out = t0 >> width & 1;
    if (lanes == 4) {
        const uint64_t t1 = p1 + (m1 << 1) + c.out;
        c.high = t1 ^ p1;
        c.out = t1 >> width & 1;
    }
    return c;
}

// jose_carry_lanes returns the bits of vector j, one for each lane.
JOSE_ALWAYS_INLINE __mmask8 jose_carry_lanes(const int V, jose_carry_bits c, const int j)
{
    const int lanes = V * 8 <= 64 ? 8 : 4;
    const uint64_t mask_of_0 = jose_limb_bits(V, lanes) << j;
    uint64_t bits = _pext_u64(c.low, mask_of_0);
    if (lanes == 4) bits |= _pext_u64(c.high, mask_of_0) << 4;
    return (__mmask8)bits;
}

// jose_normalise reduces limbs below 2^62 to limbs below 2^52 with the same sum, which must be
// below 2^(52 * 8V).
JOSE_ALWAYS_INLINE void jose_normalise(const int V, jose_vec *x)
{
    const jose_vec mask = _mm512_set1_epi64((long long)JOSE_LIMB_MASK);
    jose_vec over[JOSE_IFMA_MAX_V];
    __mmask8 make[JOSE_IFMA_MAX_V], pass[JOSE_IFMA_MAX_V];
    JOSE_UNROLL
    for (int j = 0; j < V; j++) {
        over[j] = _mm512_srli_epi64(x[j], 52);
        x[j] = _mm512_and_si512(x[j], mask);
    }
    x[0] = jose_sum(x[0], _mm512_alignr_epi64(over[V - 1], _mm512_setzero_si512(), 7));
    JOSE_UNROLL
    for (int j = 1; j < V; j++) x[j] = jose_sum(x[j], over[j - 1]);
    JOSE_UNROLL
    for (int j = 0; j < V; j++) {
        make[j] = _mm512_cmpgt_epu64_mask(x[j], mask);
        pass[j] = _mm512_cmpeq_epu64_mask(x[j], mask);
    }
    const jose_carry_bits c = jose_carries(V, make, pass);
    JOSE_UNROLL
    for (int j = 0; j < V; j++) {
        const __mmask8 in = jose_carry_lanes(V, c, j);
        x[j] = _mm512_mask_sub_epi64(x[j], in, x[j], _mm512_set1_epi64(-1));
        x[j] = _mm512_and_si512(x[j], mask);
    }
}

// jose_subtract_once replaces x by x - n if that is not negative. Both have limbs below 2^52.
JOSE_ALWAYS_INLINE void jose_subtract_once(const int V, jose_vec *x, const jose_vec *n)
{
    const jose_vec mask = _mm512_set1_epi64((long long)JOSE_LIMB_MASK);
    __mmask8 make[JOSE_IFMA_MAX_V], pass[JOSE_IFMA_MAX_V];
    JOSE_UNROLL
    for (int j = 0; j < V; j++) {
        make[j] = _mm512_cmplt_epu64_mask(x[j], n[j]);
        pass[j] = _mm512_cmpeq_epu64_mask(x[j], n[j]);
    }
    const jose_carry_bits c = jose_carries(V, make, pass);
    // All ones if the top limb does not borrow, so x is at least n.
    const __mmask8 take = (__mmask8)jose_mask_of(c.out - 1);
    JOSE_UNROLL
    for (int j = 0; j < V; j++) {
        const __mmask8 in = jose_carry_lanes(V, c, j);
        jose_vec d = _mm512_sub_epi64(x[j], n[j]);
        d = _mm512_mask_add_epi64(d, in, d, _mm512_set1_epi64(-1));
        x[j] = _mm512_mask_and_epi64(x[j], take, d, mask);
    }
}

#pragma clang attribute pop
#endif
#endif
