// base64url_avx512.c: base64url code for AVX-512, 64 characters a step, with masks at the end.
#include "base64url_alphabet.h"
#include "base64url_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

// SPREAD(i) is the input byte for position i. Bytes 0, 1, 2 of a group fill four positions as 1, 0,
// 2, 1. In that little-endian number, the six bits of each character are adjacent.
#define SPREAD(i) ((i) / 4 * 3 + ((i) % 4 == 1 ? 0 : (i) % 4 == 2 ? 2 \
                                                                  : 1))
// GATHER(i) is the position of output byte i. Four characters make 24 bits of a 32-bit number,
// whose bytes are taken highest first.
#define GATHER(i) ((i) < 48 ? (i) / 3 * 4 + 2 - (i) % 3 : 0)
#define ENTRY(c) (uint8_t)(VALUE(c) < 0 ? 0x80 : VALUE(c))

static const uint8_t spread[64] = {TIMES64(SPREAD, 0)};
static const uint8_t gather[64] = {TIMES64(GATHER, 0)};
static const uint8_t alphabet[64] = {TIMES64(CHARACTER, 0)};
static const uint8_t values_low[64] = {TIMES64(ENTRY, 0)};
static const uint8_t values_high[64] = {TIMES64(ENTRY, 64)};

// ones returns a mask of the lowest count bits, for counts up to 63.
static inline __mmask64 ones(size_t count)
{
    return ((__mmask64)1 << count) - 1;
}

TARGET static inline __m512i encode48(__m512i bytes)
{
    // The offset of each character's six bits in a lane of 64 bits, which has two groups: 10, 4, 22
    // and 16, and the same plus 32. The lowest byte is for the first character.
    const __m512i starts = _mm512_set1_epi64(0x3036242a1016040a);
    __m512i lanes = _mm512_permutexvar_epi8(_mm512_loadu_si512(spread), bytes);
    // The lookup ignores the upper two bits of an index, so no mask is needed.
    return _mm512_permutexvar_epi8(_mm512_multishift_epi64_epi8(starts, lanes),
                                   _mm512_loadu_si512(alphabet));
}

TARGET void base64url_encode_avx512(uint8_t *out, const uint8_t *in, size_t count)
{
    // `in` may be at the end of `out`. Each step loads before it stores, and the written text never
    // passes the first unread byte (see base64url_encode_scalar).
    while (count >= 64) {
        _mm512_storeu_si512(out, encode48(_mm512_loadu_si512(in)));
        in += 48;
        out += 64;
        count -= 48;
    }
    if (count >= 48) {
        _mm512_storeu_si512(out, encode48(_mm512_maskz_loadu_epi8(ones(48), in)));
        in += 48;
        out += 64;
        count -= 48;
    }
    if (count != 0) {
        size_t characters = count / 3 * 4 + (count % 3 == 0 ? 0 : count % 3 + 1);
        __m512i text = encode48(_mm512_maskz_loadu_epi8(ones(count), in));
        _mm512_mask_storeu_epi8(out, ones(characters), text);
    }
}

// decode64 returns the 48 bytes of 64 characters at the front. It sets the upper bit of a byte in
// *bad for each character outside the alphabet.
TARGET static inline __m512i decode64(__m512i text, __m512i *bad)
{
    __m512i values = _mm512_permutex2var_epi8(_mm512_loadu_si512(values_low), text,
                                              _mm512_loadu_si512(values_high));
    // The table lookup ignores the upper bit of a character, so *bad gets the character too.
    *bad = _mm512_ternarylogic_epi32(*bad, values, text, 0xfe);
    __m512i twelve = _mm512_maddubs_epi16(values, _mm512_set1_epi32(0x01400140));
    __m512i words = _mm512_madd_epi16(twelve, _mm512_set1_epi32(0x00011000));
    return _mm512_permutexvar_epi8(_mm512_loadu_si512(gather), words);
}

TARGET bool base64url_decode_avx512(uint8_t *out, const uint8_t *text, size_t count)
{
    if (count % 4 == 1) {
        return false;
    }
    __m512i bad = _mm512_setzero_si512();
    // A store writes the 48 bytes of a step and 16 more, which later steps overwrite. The 16 fit:
    // at least 24 more characters, which are 18 bytes, follow the 64 of the step.
    while (count >= 88) {
        _mm512_storeu_si512(out, decode64(_mm512_loadu_si512(text), &bad));
        text += 64;
        out += 48;
        count -= 64;
    }
    if (count >= 64) {
        _mm512_mask_storeu_epi8(out, ones(48), decode64(_mm512_loadu_si512(text), &bad));
        text += 64;
        out += 48;
        count -= 64;
    }
    __mmask64 unused = 0;
    if (count != 0) {
        size_t bytes = count / 4 * 3 + (count % 4 == 0 ? 0 : count % 4 - 1);
        // 'A' has the value 0 and fills the rest of the vector. Bits after the last byte are
        // therefore the unused bits of the last character.
        __m512i rest = _mm512_mask_loadu_epi8(_mm512_set1_epi8('A'), ones(count), text);
        __m512i last = decode64(rest, &bad);
        unused = _mm512_test_epi8_mask(last, last) & ~ones(bytes) & ones(48);
        _mm512_mask_storeu_epi8(out, ones(bytes), last);
    }
    return (_mm512_movepi8_mask(bad) | unused) == 0;
}

#endif
