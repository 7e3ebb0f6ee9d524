// base64url_avx2.c: base64url code for AVX2, 32 characters a step, by arithmetic and small tables.
#include "base64url_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))

// both repeats sixteen bytes in both lanes.
#define both(...) _mm256_broadcastsi128_si256(_mm_setr_epi8(__VA_ARGS__))

// FIXED hides a factor from the compiler, which would use two shifts and a blend instead.
#define FIXED(vector) __asm__("" \
                              : "+x"(vector))

// encode24 returns the 32 characters of 24 bytes. `pairs` has two 16-bit numbers for three bytes.
TARGET static inline __m256i encode24(__m256i pairs)
{
    // Each multiplication moves two fields of six bits to the start of their bytes: the upper half
    // of a product moves them down, the lower half up.
    __m256i down = _mm256_set1_epi32(0x04000040), up = _mm256_set1_epi32(0x01000010);
    FIXED(down);
    FIXED(up);
    __m256i even = _mm256_mulhi_epu16(_mm256_and_si256(pairs, _mm256_set1_epi32(0x0fc0fc00)), down);
    __m256i odd = _mm256_mullo_epi16(_mm256_and_si256(pairs, _mm256_set1_epi32(0x003f03f0)), up);
    __m256i values = _mm256_or_si256(even, odd);
    // The distance to add, by class: values 0-25 have class 0, 26-51 class 1, 52-63 classes 2-13.
    const __m256i distance = both('A', 'a' - 26, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, '-' - 62,
                                  '_' - 63, 0, 0);
    __m256i class = _mm256_subs_epu8(values, _mm256_set1_epi8(51));
    class = _mm256_sub_epi8(class, _mm256_cmpgt_epi8(values, _mm256_set1_epi8(25)));
    return _mm256_add_epi8(values, _mm256_shuffle_epi8(distance, class));
}

// first24 spreads eight groups of three bytes, four groups in each lane. It reads 28 bytes.
TARGET static inline __m256i first24(const uint8_t *in)
{
    // Bytes 1 and 0, then 2 and 1 of each group.
    const __m256i spread = both(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    __m128i low = _mm_loadu_si128((const __m128i *)(const void *)in);
    __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(in + 12));
    return _mm256_shuffle_epi8(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1),
                               spread);
}

// next24 is first24 with one load for both lanes. It also reads the four bytes before `in`.
TARGET static inline __m256i next24(const uint8_t *in)
{
    const __m256i spread = _mm256_setr_epi8(5, 4, 6, 5, 8, 7, 9, 8, 11, 10, 12, 11, 14, 13, 15, 14,
                                            1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    return _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(const void *)(in - 4)), spread);
}

TARGET static inline void put32(uint8_t *out, __m256i text)
{
    _mm256_storeu_si256((__m256i *)(void *)out, text);
}

TARGET void base64url_encode_avx2(uint8_t *out, const uint8_t *in, size_t count)
{
    // `in` may be at the end of `out`. Each step loads before it stores, and the written text never
    // passes the first unread byte (see base64url_encode_scalar). next24 loads and drops the four
    // bytes before its 24, which may already be text.
    if (count >= 28) {
        put32(out, encode24(first24(in)));
        in += 24, out += 32, count -= 24;
    }
    for (; count >= 4 * 24 + 4; in += 4 * 24, out += 4 * 32, count -= 4 * 24) {
        const __m256i a = next24(in), b = next24(in + 24), c = next24(in + 48), d = next24(in + 72);
        put32(out, encode24(a));
        put32(out + 32, encode24(b));
        put32(out + 64, encode24(c));
        put32(out + 96, encode24(d));
    }
    for (; count >= 28; in += 24, out += 32, count -= 24) put32(out, encode24(next24(in)));
    base64url_encode_scalar(out, in, count);
}

// decode32 returns the 24 bytes of 32 characters, twelve at the front of each lane. For a character
// outside the alphabet it sets bit 6 or 7 of a byte of *seen.
TARGET static inline __m256i decode32(const uint8_t *text, __m256i *seen)
{
    // Each half of a character selects four bits; the bits common to both select the distance to
    // its value. The tables were found by search: all characters of the alphabet get their values,
    // and every other byte gets a value below 0 or above 63. A byte above 0x7f selects 0 in
    // `lower`; a sum below -128 saturates.
    const __m256i upper = both(10, 11, 15, 5, 8, 14, 7, 15, 2, 10, 11, 7, 0, 5, 0, 13);
    const __m256i lower = both(9, 11, 3, 3, 11, 3, 11, 3, 3, 3, 7, 12, 12, 13, 12, 15);
    const __m256i distance =
        both(-'A', 52 - '0', -'A', 26 - 'a', 26 - 'a', 26 - 'a', -'A', 26 - 'a', -'A', 26 - 'a',
             -'A', 26 - 'a', -128, 62 - '-', 63 - '_', -128);
    // The 24 bits of four characters as three bytes, highest first.
    const __m256i gather = both(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
    const __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)text);
    __m256i half = _mm256_and_si256(_mm256_srli_epi32(c, 4), _mm256_set1_epi8(15));
    __m256i common =
        _mm256_and_si256(_mm256_shuffle_epi8(upper, half), _mm256_shuffle_epi8(lower, c));
    __m256i values = _mm256_adds_epi8(c, _mm256_shuffle_epi8(distance, common));
    *seen = _mm256_or_si256(*seen, values);
    // Twelve bits of two characters, then 24 of four.
    __m256i twelve = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
    __m256i words = _mm256_madd_epi16(twelve, _mm256_set1_epi32(0x00011000));
    return _mm256_shuffle_epi8(words, gather);
}

// put24 writes the twelve bytes of each lane and four zeros after them.
TARGET static inline void put24(uint8_t *out, __m256i bytes)
{
    _mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(bytes));
    _mm_storeu_si128((__m128i *)(void *)(out + 12), _mm256_extracti128_si256(bytes, 1));
}

// put24_exact writes the 24 bytes and nothing after them.
TARGET static inline void put24_exact(uint8_t *out, __m256i bytes)
{
    const __m128i upper = _mm256_extracti128_si256(bytes, 1);
    const uint32_t last = (uint32_t)_mm_extract_epi32(upper, 2);
    _mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(bytes));
    _mm_storel_epi64((__m128i *)(void *)(out + 12), upper);
    memcpy(out + 20, &last, sizeof last);
}

TARGET static inline bool is_alphabet(__m256i seen)
{
    return _mm256_testz_si256(seen, _mm256_set1_epi8((char)0xc0)) != 0;
}

TARGET bool base64url_decode_avx2(uint8_t *out, const uint8_t *text, size_t count)
{
    // put24 writes four bytes after the 24 of a step. Later steps overwrite the four if at least
    // six characters follow. AFTER is two whole groups.
    enum { STEP = 32,
           AFTER = 8 };
    __m256i seen = _mm256_setzero_si256();
    for (; count >= 4 * STEP + AFTER; text += 4 * STEP, out += 96, count -= 4 * STEP) {
        put24(out, decode32(text, &seen));
        put24(out + 24, decode32(text + 32, &seen));
        put24(out + 48, decode32(text + 64, &seen));
        put24(out + 72, decode32(text + 96, &seen));
    }
    // A chunk that is interleaved with a hash (josebytes_base64url_chunk) ends with exactly four
    // steps. They take fewer instructions here than in the loops below.
    if (count == 4 * STEP) {
        put24(out, decode32(text, &seen));
        put24(out + 24, decode32(text + 32, &seen));
        put24(out + 48, decode32(text + 64, &seen));
        put24_exact(out + 72, decode32(text + 96, &seen));
        return is_alphabet(seen);
    }
    for (; count >= STEP + AFTER; text += STEP, out += 24, count -= STEP)
        put24(out, decode32(text, &seen));
    if (count >= STEP) {
        put24_exact(out, decode32(text, &seen));
        text += STEP;
        out += 24;
        count -= STEP;
    }
    bool tail = base64url_decode_scalar(out, text, count);
    return tail && is_alphabet(seen);
}

#endif
