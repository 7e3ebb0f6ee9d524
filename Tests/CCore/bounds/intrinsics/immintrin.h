// immintrin.h: the intrinsics that the RSA kernels use, over ranges of values (ranges.h). Only what
// moves lanes is written out here. A mask that depends on numbers may be any mask, so it is not
// computed.
#ifndef BOUNDS_IMMINTRIN_H
#define BOUNDS_IMMINTRIN_H

#include <string.h>

#include "ranges.h"

typedef long long __m128i __attribute__((vector_size(16)));
typedef long long __m256i __attribute__((vector_size(32)));
typedef double __m256d __attribute__((vector_size(32)));
typedef long long __m512i __attribute__((vector_size(64)));
typedef uint8_t __mmask8;

#define _MM_SHUFFLE(d, c, b, a) ((d) << 6 | (c) << 4 | (b) << 2 | (a))

// Kernels are compiled here for any processor.
#define target(features) target("sse2")

typedef uint64_t (*range_operation)(uint64_t a, uint64_t b);

#define EACH_LANE(count) for (int i = 0; i < (count); i++)
#define RANGE_FUNCTION static inline __attribute__((unused))

RANGE_FUNCTION __m128i _mm_cvtsi32_si128(int a)
{
    return (__m128i){a, 0};
}

// The masks of carries are not computed.
RANGE_FUNCTION uint64_t _pdep_u64(uint64_t a, uint64_t mask)
{
    return a & mask & 0;
}

RANGE_FUNCTION uint64_t _pext_u64(uint64_t a, uint64_t mask)
{
    return a & mask & 0;
}

// What both widths have. Shifts by a constant are carries.

#define RANGE_BINARY(vector, lanes, name, operation) \
    RANGE_FUNCTION vector name(vector a, vector b)   \
    {                                                \
        return range_##lanes(operation, a, b);       \
    }

#define RANGE_SHIFT(vector, lanes, name, type, operation, bits) \
    RANGE_FUNCTION vector name(vector a, type by)               \
    {                                                           \
        EACH_LANE(lanes)                                        \
        a[i] = (long long)operation((uint64_t)a[i], (bits));    \
        return a;                                               \
    }

#define RANGE_WIDTH(vector, lanes, prefix, whole)                                          \
    RANGE_FUNCTION vector range_##lanes(range_operation operation, vector a, vector b)     \
    {                                                                                      \
        EACH_LANE(lanes)                                                                   \
        a[i] = (long long)operation((uint64_t)a[i], (uint64_t)b[i]);                       \
        return a;                                                                          \
    }                                                                                      \
    RANGE_BINARY(vector, lanes, prefix##_add_epi64, range_add)                             \
    RANGE_BINARY(vector, lanes, prefix##_sub_epi64, range_subtract)                        \
    RANGE_BINARY(vector, lanes, prefix##_and_##whole, range_and)                           \
    RANGE_BINARY(vector, lanes, prefix##_or_##whole, range_or)                             \
    RANGE_SHIFT(vector, lanes, prefix##_srli_epi64, int, range_carry, by)                  \
    RANGE_SHIFT(vector, lanes, prefix##_srl_epi64, __m128i, range_shift_right, (int)by[0]) \
    RANGE_SHIFT(vector, lanes, prefix##_sll_epi64, __m128i, range_shift_left, (int)by[0])

RANGE_WIDTH(__m512i, 8, _mm512, si512)
RANGE_WIDTH(__m256i, 4, _mm256, si256)

// MARK: 512 bits

RANGE_FUNCTION __m512i _mm512_set1_epi64(long long a)
{
    return (__m512i){a, a, a, a, a, a, a, a};
}

RANGE_FUNCTION __m512i _mm512_setzero_si512(void)
{
    return _mm512_set1_epi64(0);
}

RANGE_FUNCTION __m512i _mm512_srai_epi64(__m512i a, int bits)
{
    if (bits != 63) range_fail("an arithmetic shift that is not by 63");
    EACH_LANE(8)
    a[i] = (long long)range_sign((uint64_t)a[i]);
    return a;
}

#define RANGE_PRODUCT(name, is_high)                                                            \
    RANGE_FUNCTION __m512i name(__m512i sum, __m512i a, __m512i b)                              \
    {                                                                                           \
        EACH_LANE(8)                                                                            \
        sum[i] = (long long)range_add_product((uint64_t)sum[i], (uint64_t)a[i], (uint64_t)b[i], \
                                              is_high);                                         \
        return sum;                                                                             \
    }

RANGE_PRODUCT(_mm512_madd52lo_epu64, false)
RANGE_PRODUCT(_mm512_madd52hi_epu64, true)

RANGE_FUNCTION __m128i _mm512_castsi512_si128(__m512i a)
{
    return (__m128i){a[0], a[1]};
}

RANGE_FUNCTION __m512i _mm512_broadcastq_epi64(__m128i a)
{
    return _mm512_set1_epi64(a[0]);
}

RANGE_FUNCTION __m256i _mm256_set1_epi64x(long long a)
{
    return (__m256i){a, a, a, a};
}

RANGE_FUNCTION __m256i _mm256_set_epi64x(long long d, long long c, long long b, long long a)
{
    return (__m256i){a, b, c, d};
}

RANGE_FUNCTION __m512i _mm512_inserti64x4(__m512i a, __m256i b, int half)
{
    EACH_LANE(4)
    a[4 * half + i] = b[i];
    return a;
}

RANGE_FUNCTION __m512i _mm512_alignr_epi64(__m512i a, __m512i b, int lanes)
{
    __m512i out = a;
    EACH_LANE(8)
    out[i] = i + lanes < 8 ? b[i + lanes] : a[i + lanes - 8];
    return out;
}

RANGE_FUNCTION __m512i _mm512_permutex_epi64(__m512i a, int lanes)
{
    __m512i out = a;
    EACH_LANE(8)
    out[i] = a[i / 4 * 4 + (lanes >> 2 * (i % 4) & 3)];
    return out;
}

// These two have masks that are constants.

RANGE_FUNCTION __m512i _mm512_maskz_permutex_epi64(__mmask8 mask, __m512i a, int lanes)
{
    __m512i out = _mm512_permutex_epi64(a, lanes);
    EACH_LANE(8)
    if ((mask >> i & 1) == 0) out[i] = 0;
    return out;
}

RANGE_FUNCTION __m512i _mm512_maskz_srli_epi64(__mmask8 mask, __m512i a, int bits)
{
    EACH_LANE(8)
    a[i] = mask >> i & 1 ? (long long)range_carry((uint64_t)a[i], bits) : 0;
    return a;
}

// The masks of the others depend on numbers.

RANGE_FUNCTION __m512i _mm512_mask_mov_epi64(__m512i a, __mmask8 mask, __m512i b)
{
    (void)mask;
    return range_8(range_either, a, b);
}

#define RANGE_MASKED(name, operation)                                           \
    RANGE_FUNCTION __m512i name(__m512i a, __mmask8 mask, __m512i b, __m512i c) \
    {                                                                           \
        return _mm512_mask_mov_epi64(a, mask, operation(b, c));                 \
    }

RANGE_MASKED(_mm512_mask_add_epi64, _mm512_add_epi64)
RANGE_MASKED(_mm512_mask_sub_epi64, _mm512_sub_epi64)
RANGE_MASKED(_mm512_mask_and_epi64, _mm512_and_si512)

RANGE_FUNCTION __mmask8 range_any_mask(__m512i a, __m512i b)
{
    (void)a, (void)b;
    return 0;
}

#define _mm512_cmpeq_epu64_mask(a, b) range_any_mask(a, b)
#define _mm512_cmpeq_epi64_mask(a, b) range_any_mask(a, b)
#define _mm512_cmplt_epu64_mask(a, b) range_any_mask(a, b)
#define _mm512_testn_epi64_mask(a, b) range_any_mask(a, b)
#define _mm512_cmplt_epu8_mask(a, b) range_any_mask(a, b)
#define _mm512_cmpneq_epu8_mask(a, b) range_any_mask(a, b)
#define _mm512_loadu_si512(at) (*(const __m512i *)(const void *)(at))

// A limb above the mask carries.
RANGE_FUNCTION __mmask8 _mm512_cmpgt_epu64_mask(__m512i a, __m512i mask)
{
    EACH_LANE(8)
    range_check_carry((uint64_t)a[i], (uint64_t)mask[i]);
    return 0;
}

// MARK: 256 bits

RANGE_FUNCTION __m256i _mm256_castpd_si256(__m256d a)
{
    return (__m256i)a;
}

RANGE_FUNCTION __m256d _mm256_castsi256_pd(__m256i a)
{
    return (__m256d)a;
}

RANGE_FUNCTION __m256i _mm256_setzero_si256(void)
{
    return _mm256_set1_epi64x(0);
}

RANGE_FUNCTION __m256d _mm256_setzero_pd(void)
{
    return _mm256_castsi256_pd(_mm256_setzero_si256());
}

RANGE_FUNCTION __m256d _mm256_set1_pd(double a)
{
    return (__m256d){a, a, a, a};
}

RANGE_FUNCTION __m256d _mm256_set_pd(double d, double c, double b, double a)
{
    return (__m256d){a, b, c, d};
}

RANGE_BINARY(__m256i, 4, _mm256_cmpeq_epi64, range_equal)

RANGE_FUNCTION __m256d _mm256_sub_pd(__m256d a, __m256d b)
{
    return (__m256d)range_4(range_double_subtract, (__m256i)a, (__m256i)b);
}

RANGE_FUNCTION __m256d _mm256_fmadd_pd(__m256d a, __m256d b, __m256d c)
{
    const __m256i x = (__m256i)a, y = (__m256i)b;
    __m256i z = (__m256i)c;
    EACH_LANE(4)
    z[i] = (long long)range_fused((uint64_t)x[i], (uint64_t)y[i], (uint64_t)z[i]);
    return (__m256d)z;
}

// Lane i of the result is lane lanes[i] of a and b, b's counting from 4; 8 is zero.
RANGE_FUNCTION __m256i range_lanes(__m256i a, __m256i b, int first, int second, int third,
                                   int fourth)
{
    const int lanes[4] = {first, second, third, fourth};
    __m256i out = a;
    EACH_LANE(4)
    out[i] = lanes[i] < 4 ? a[lanes[i]] : lanes[i] < 8 ? b[lanes[i] - 4]
                                                       : 0;
    return out;
}

RANGE_FUNCTION __m256i _mm256_unpacklo_epi64(__m256i a, __m256i b)
{
    return range_lanes(a, b, 0, 4, 2, 6);
}

RANGE_FUNCTION __m256i _mm256_unpackhi_epi64(__m256i a, __m256i b)
{
    return range_lanes(a, b, 1, 5, 3, 7);
}

RANGE_FUNCTION __m256i _mm256_permute4x64_epi64(__m256i a, int lanes)
{
    return range_lanes(a, a, lanes & 3, lanes >> 2 & 3, lanes >> 4 & 3, lanes >> 6 & 3);
}

RANGE_FUNCTION __m256i _mm256_permute2x128_si256(__m256i a, __m256i b, int halves)
{
    if ((halves & 0x88) != 0) range_fail("a permutation with zeros");
    const int low = 2 * (halves & 3), high = 2 * (halves >> 4 & 3);
    return range_lanes(a, b, low, low + 1, high, high + 1);
}

// Only a swap of neighbours: the shuffle is of words of 32 bits.
RANGE_FUNCTION __m256i _mm256_shuffle_epi32(__m256i a, int lanes)
{
    if (lanes != 0x4e) range_fail("a shuffle that divides words");
    return range_lanes(a, a, 1, 0, 3, 2);
}

RANGE_FUNCTION __m256d _mm256_shuffle_pd(__m256d a, __m256d b, int lanes)
{
    return (__m256d)range_lanes((__m256i)a, (__m256i)b, lanes & 1, 4 + (lanes >> 1 & 1),
                                2 + (lanes >> 2 & 1), 6 + (lanes >> 3 & 1));
}

RANGE_FUNCTION __m256d _mm256_permute_pd(__m256d a, int lanes)
{
    return (__m256d)range_lanes((__m256i)a, (__m256i)a, lanes & 1, lanes >> 1 & 1,
                                2 + (lanes >> 2 & 1), 2 + (lanes >> 3 & 1));
}

RANGE_FUNCTION __m256d _mm256_blend_pd(__m256d a, __m256d b, int lanes)
{
    return (__m256d)range_lanes((__m256i)a, (__m256i)b, lanes & 1 ? 4 : 0, lanes & 2 ? 5 : 1,
                                lanes & 4 ? 6 : 2, lanes & 8 ? 7 : 3);
}

RANGE_FUNCTION __m256i _mm256_blend_epi32(__m256i a, __m256i b, int words)
{
    int lanes = 0;
    EACH_LANE(4)
    {
        const int both = words >> 2 * i & 3;
        if (both == 1 || both == 2) range_fail("a blend that divides words");
        lanes |= (both & 1) << i;
    }
    return (__m256i)_mm256_blend_pd((__m256d)a, (__m256d)b, lanes);
}

#define _mm256_unpacklo_pd(a, b) ((__m256d)_mm256_unpacklo_epi64((__m256i)(a), (__m256i)(b)))
#define _mm256_unpackhi_pd(a, b) ((__m256d)_mm256_unpackhi_epi64((__m256i)(a), (__m256i)(b)))
#define _mm256_permute4x64_pd(a, lanes) ((__m256d)_mm256_permute4x64_epi64((__m256i)(a), lanes))
#define _mm256_permute2f128_pd(a, b, halves) \
    ((__m256d)_mm256_permute2x128_si256((__m256i)(a), (__m256i)(b), halves))

#endif
