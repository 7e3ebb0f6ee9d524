// base64url_avx2.c is the base64url kernel for AVX2: 32 characters a step. Its lane
// work is arithmetic; only the character classes are small tables.
#include "kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))

// both repeats sixteen bytes in both lanes.
#define both(...) _mm256_broadcastsi128_si256(_mm_setr_epi8(__VA_ARGS__))

// characters turns 32 values below 64 into their characters.
TARGET static inline __m256i characters(__m256i values)
{
    // What to add, by class: 0 for 26-51, 1-10 for 52-61, 11 for 62, 12 for 63, 13 for 0-25.
    const __m256i distance = both('a' - 26, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, '-' - 62,
                                  '_' - 63, 'A', 0, 0);
    __m256i class = _mm256_subs_epu8(values, _mm256_set1_epi8(51));
    __m256i upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), values);
    class = _mm256_or_si256(class, _mm256_and_si256(upper, _mm256_set1_epi8(13)));
    return _mm256_add_epi8(values, _mm256_shuffle_epi8(distance, class));
}

TARGET void base64url_encode_avx2(uint8_t *out, const uint8_t *in, size_t count)
{
    // Every group of three bytes as two 16-bit numbers: bytes 0 and 1, bytes 1 and 2.
    const __m256i spread = both(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    // 24 bytes a step, taken as two lanes of twelve, so 28 bytes are read. In place, the
    // load of a step comes before its store, and the text ends where unread bytes begin
    // at the latest, as in the scalar kernel.
    while (count >= 28) {
        __m128i low = _mm_loadu_si128((const __m128i *)(const void *)in);
        __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(in + 12));
        __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
        __m256i pairs = _mm256_shuffle_epi8(bytes, spread);
        // Six bits move down by a multiplication and its upper half, six move up.
        __m256i even = _mm256_mulhi_epu16(_mm256_and_si256(pairs, _mm256_set1_epi32(0x0fc0fc00)),
                                          _mm256_set1_epi32(0x04000040));
        __m256i odd = _mm256_mullo_epi16(_mm256_and_si256(pairs, _mm256_set1_epi32(0x003f03f0)),
                                         _mm256_set1_epi32(0x01000010));
        __m256i text = characters(_mm256_or_si256(even, odd));
        _mm256_storeu_si256((__m256i *)(void *)out, text);
        in += 24;
        out += 32;
        count -= 24;
    }
    base64url_encode_scalar(out, in, count);
}

TARGET bool base64url_decode_avx2(uint8_t *out, const uint8_t *text, size_t count)
{
    // A character is good if the class of its upper half has no bit in common with what
    // its lower half forbids. Classes: 1 for 2x (only '-'), 2 for 3x (digits), 4 for 4x and
    // 6x (letters from A), 8 for 5x (letters to Z and '_'), 16 for 7x (letters to z), 32 for
    // all others (nothing).
    const __m256i class_of = both(32, 32, 1, 2, 4, 8, 4, 16, 32, 32, 32, 32, 32, 32, 32, 32);
    const __m256i forbidden = both(
        // 0: only digits and 5x, 7x
        1 | 4 | 32,
        // 1-9: all but 2x
        1 | 32, 1 | 32, 1 | 32, 1 | 32, 1 | 32, 1 | 32, 1 | 32, 1 | 32, 1 | 32,
        // A: no digit; B, C: only 4x; D: 4x and '-'; E: only 4x; F: 4x and '_'
        1 | 2 | 32, 1 | 2 | 8 | 16 | 32, 1 | 2 | 8 | 16 | 32, 2 | 8 | 16 | 32,
        1 | 2 | 8 | 16 | 32, 1 | 2 | 16 | 32);
    // What to add, by upper half; '_' takes the entry of 5x plus 8.
    const __m256i distance = both(0, 0, 62 - '-', 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0, 0, 0,
                                  0, 0, 63 - '_', 0, 0);
    // The 24 bits of four characters as three bytes, highest first.
    const __m256i gather = both(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
    const __m256i half = _mm256_set1_epi8(15);
    __m256i bad = _mm256_setzero_si256();

    while (count >= 32) {
        __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)text);
        __m256i upper = _mm256_and_si256(_mm256_srli_epi16(c, 4), half);
        __m256i lower = _mm256_and_si256(c, half);
        bad = _mm256_or_si256(bad, _mm256_and_si256(_mm256_shuffle_epi8(class_of, upper),
                                                    _mm256_shuffle_epi8(forbidden, lower)));
        __m256i under = _mm256_cmpeq_epi8(c, _mm256_set1_epi8('_'));
        __m256i entry = _mm256_or_si256(upper, _mm256_and_si256(under, _mm256_set1_epi8(8)));
        __m256i values = _mm256_add_epi8(c, _mm256_shuffle_epi8(distance, entry));
        // Twelve bits of two characters, then 24 of four.
        __m256i twelve = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
        __m256i words = _mm256_madd_epi16(twelve, _mm256_set1_epi32(0x00011000));
        __m256i bytes = _mm256_shuffle_epi8(words, gather);
        bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7));
        _mm_storeu_si128((__m128i *)(void *)out, _mm256_castsi256_si128(bytes));
        _mm_storel_epi64((__m128i *)(void *)(out + 16), _mm256_extracti128_si256(bytes, 1));
        text += 32;
        out += 24;
        count -= 32;
    }
    bool tail = base64url_decode_scalar(out, text, count);
    return tail && _mm256_testz_si256(bad, bad) != 0;
}

#endif
