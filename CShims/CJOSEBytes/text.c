// text.c: finds a prefix of well-formed UTF-8 in a JSON string, sixteen bytes at a time.
//
// Two adjacent bytes reveal every UTF-8 error except a missing or extra third or fourth byte. Three
// half bytes of the two are looked up in three tables. A table entry has a bit for each error that
// is possible with this half byte. A bit that is set in all three entries is an error (Keiser and
// Lemire, "Validating UTF-8 in less than one instruction per byte", 2021). The bytes that are two
// and three places earlier decide whether a byte must be a third or fourth one.
#include "base64url_kernels.h"

#include <string.h>

#if defined(__x86_64__)
#include <tmmintrin.h>
#define VECTORS __attribute__((target("ssse3")))
#elif defined(__aarch64__)
#include <arm_neon.h>
#define VECTORS
#endif

#if defined(VECTORS)

enum {
    STEP = 16,
    // Errors of two adjacent bytes, a bit each. Two errors share bit 6: their first bytes differ.
    TOO_SHORT = 1 << 0,          // a lead byte without continuation
    TOO_LONG = 1 << 1,           // a continuation after ASCII
    OVERLONG_3 = 1 << 2,         // e0, then 80 to 9f
    TOO_LARGE = 1 << 3,          // f4 to ff, then 90 to bf
    SURROGATE = 1 << 4,          // ed, then a0 to bf
    OVERLONG_2 = 1 << 5,         // c0 or c1, then a continuation
    TOO_LARGE_8 = 1 << 6,        // f5 to ff, then 80 to 8f
    OVERLONG_4 = 1 << 6,         // f0, then 80 to 8f
    TWO_CONTINUATIONS = 1 << 7,  // right only if a lead byte needs both
    ANY = TOO_SHORT | TOO_LONG | TWO_CONTINUATIONS
};

// The tables for both halves of the first byte and the upper half of the second byte.
#define FIRST_UPPER                                                                 \
    TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, \
        (char)TWO_CONTINUATIONS, (char)TWO_CONTINUATIONS, (char)TWO_CONTINUATIONS,  \
        (char)TWO_CONTINUATIONS, TOO_SHORT | OVERLONG_2, TOO_SHORT,                 \
        TOO_SHORT | OVERLONG_3 | SURROGATE, TOO_SHORT | TOO_LARGE | TOO_LARGE_8
#define ABOVE (char)(ANY | TOO_LARGE | TOO_LARGE_8)
#define FIRST_LOWER                                                                          \
    (char)(ANY | OVERLONG_2 | OVERLONG_3 | OVERLONG_4), (char)(ANY | OVERLONG_2), (char)ANY, \
        (char)ANY, (char)(ANY | TOO_LARGE), ABOVE, ABOVE, ABOVE, ABOVE, ABOVE, ABOVE, ABOVE, \
        ABOVE, (char)(ANY | TOO_LARGE | TOO_LARGE_8 | SURROGATE), ABOVE, ABOVE
#define BOTH (TOO_LONG | TWO_CONTINUATIONS)
#define SECOND_UPPER                                                                        \
    TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, TOO_SHORT, \
        (char)(BOTH | OVERLONG_2 | OVERLONG_3 | TOO_LARGE_8),                               \
        (char)(BOTH | OVERLONG_2 | OVERLONG_3 | TOO_LARGE),                                 \
        (char)(BOTH | OVERLONG_2 | SURROGATE | TOO_LARGE),                                  \
        (char)(BOTH | OVERLONG_2 | SURROGATE | TOO_LARGE), TOO_SHORT, TOO_SHORT, TOO_SHORT, \
        TOO_SHORT

#if defined(__x86_64__)

static inline bool has_vectors(void)
{
    return __builtin_cpu_supports("ssse3");
}

// ends_prefix returns whether the prefix must end before this step: the step has a quotation mark,
// a reverse solidus, a control character or a UTF-8 error. `before` is the previous step, in which
// a character of this step may begin.
VECTORS static inline bool ends_prefix(__m128i bytes, __m128i before)
{
    const __m128i half = _mm_set1_epi8(0x0f);
    const __m128i one = _mm_alignr_epi8(bytes, before, 15),
                  two = _mm_alignr_epi8(bytes, before, 14),
                  three = _mm_alignr_epi8(bytes, before, 13);
    const __m128i errors = _mm_and_si128(
        _mm_and_si128(_mm_shuffle_epi8(_mm_setr_epi8(FIRST_UPPER),
                                       _mm_and_si128(_mm_srli_epi16(one, 4), half)),
                      _mm_shuffle_epi8(_mm_setr_epi8(FIRST_LOWER), _mm_and_si128(one, half))),
        _mm_shuffle_epi8(_mm_setr_epi8(SECOND_UPPER),
                         _mm_and_si128(_mm_srli_epi16(bytes, 4), half)));
    // The upper bit is set where a third or fourth byte is required.
    const __m128i wanted = _mm_or_si128(_mm_subs_epu8(two, _mm_set1_epi8(0xe0 - 0x80)),
                                        _mm_subs_epu8(three, _mm_set1_epi8((char)(0xf0 - 0x80))));
    const __m128i wrong = _mm_xor_si128(_mm_and_si128(wanted, _mm_set1_epi8((char)0x80)), errors);
    const __m128i stops =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                  _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                     _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes));
    const __m128i right = _mm_cmpeq_epi8(_mm_or_si128(wrong, stops), _mm_setzero_si128());
    return _mm_movemask_epi8(right) != 0xffff;
}

// steps returns the size of all steps before the first one for which ends_prefix is true.
VECTORS static size_t steps(const uint8_t *text, size_t count)
{
    size_t at = 0;
    __m128i before = _mm_setzero_si128();
    for (; count - at >= STEP; at += STEP) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + at));
        if (ends_prefix(bytes, before)) break;
        before = bytes;
    }
    return at;
}

#else

static inline bool has_vectors(void)
{
    return true;
}

static inline uint8x16_t table(const char bytes[STEP])
{
    return vld1q_u8((const uint8_t *)bytes);
}

static inline bool ends_prefix(uint8x16_t bytes, uint8x16_t before)
{
    static const char first_upper[STEP] = {FIRST_UPPER}, first_lower[STEP] = {FIRST_LOWER},
                      second_upper[STEP] = {SECOND_UPPER};
    const uint8x16_t one = vextq_u8(before, bytes, 15), two = vextq_u8(before, bytes, 14),
                     three = vextq_u8(before, bytes, 13);
    const uint8x16_t errors =
        vandq_u8(vandq_u8(vqtbl1q_u8(table(first_upper), vshrq_n_u8(one, 4)),
                          vqtbl1q_u8(table(first_lower), vandq_u8(one, vdupq_n_u8(0x0f)))),
                 vqtbl1q_u8(table(second_upper), vshrq_n_u8(bytes, 4)));
    const uint8x16_t wanted = vorrq_u8(vqsubq_u8(two, vdupq_n_u8(0xe0 - 0x80)),
                                       vqsubq_u8(three, vdupq_n_u8(0xf0 - 0x80)));
    const uint8x16_t wrong = veorq_u8(vandq_u8(wanted, vdupq_n_u8(0x80)), errors);
    const uint8x16_t stops =
        vorrq_u8(vorrq_u8(vceqq_u8(bytes, vdupq_n_u8('"')), vceqq_u8(bytes, vdupq_n_u8('\\'))),
                 vcltq_u8(bytes, vdupq_n_u8(0x20)));
    return vmaxvq_u8(vorrq_u8(wrong, stops)) != 0;
}

static size_t steps(const uint8_t *text, size_t count)
{
    size_t at = 0;
    uint8x16_t before = vdupq_n_u8(0);
    for (; count - at >= STEP; at += STEP) {
        const uint8x16_t bytes = vld1q_u8(text + at);
        if (ends_prefix(bytes, before)) break;
        before = bytes;
    }
    return at;
}

#endif

// whole returns count minus the bytes of an incomplete last character.
static size_t whole(const uint8_t *text, size_t count)
{
    for (size_t back = 1; back <= 3 && back <= count; back++) {
        const uint8_t byte = text[count - back];
        if (byte < 0x80) return count;
        if (byte < 0xc0) continue;
        const size_t length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3
                                                            : 4;
        return length > back ? count - back : count;
    }
    return count;
}

size_t josebytes_text_count(const uint8_t *text, size_t count)
{
    return count >= STEP && has_vectors() ? whole(text, steps(text, count)) : 0;
}

#else

size_t josebytes_text_count(const uint8_t *text, size_t count)
{
    (void)text, (void)count;
    return 0;
}

#endif
