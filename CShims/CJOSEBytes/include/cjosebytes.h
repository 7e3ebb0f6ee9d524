// cjosebytes.h: base64url, byte search and JSON text scanning without dependencies. This header is
// the whole contract of CJOSEBytes. No function allocates or keeps a pointer, and each fails only
// as its comment says. A pointer may be NULL if its length is 0. Any thread may call any function.
#ifndef CJOSEBYTES_H
#define CJOSEBYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// JOSEBYTES_WRAPS marks functions whose unsigned arithmetic wraps around on purpose.
#if defined(__clang__)
#define JOSEBYTES_WRAPS __attribute__((no_sanitize("integer")))
#else
#define JOSEBYTES_WRAPS
#endif

// A kernel is the base64url code for one kind of processor. It is not an RSA kernel of
// docs/kernels.md. All kernels give the same results at different speeds.
typedef enum __attribute__((enum_extensibility(closed))) josebytes_kernel {
    // The fastest kernel that this processor can run.
    JOSEBYTES_BEST __attribute__((swift_name("best"))) = 0,
    JOSEBYTES_SCALAR __attribute__((swift_name("scalar"))) = 1,
    JOSEBYTES_AVX2 __attribute__((swift_name("avx2"))) = 2,
    JOSEBYTES_AVX512 __attribute__((swift_name("avx512"))) = 3,
    JOSEBYTES_NEON __attribute__((swift_name("neon"))) = 4,
} josebytes_kernel;

// josebytes_kernel_available returns whether this processor can run the kernel. The other functions
// use the scalar kernel in place of an unavailable one.
bool josebytes_kernel_available(josebytes_kernel kernel);

// josebytes_base64url_encode writes the base64url text of `in` to `out`: count / 3 * 4 characters,
// and 0, 2 or 3 more if count % 3 is 0, 1 or 2. `in` may be the last count bytes of `out`;
// otherwise the two must not overlap. Cannot fail.
void josebytes_base64url_encode(uint8_t *out, const uint8_t *in, size_t count,
                                josebytes_kernel kernel);

// josebytes_base64url_decode writes the bytes of `text` to `out`: count / 4 * 3 bytes, and 0, 1 or
// 2 more if count % 4 is 0, 2 or 3. `text` and `out` must not overlap. Returns false if a character
// is outside the alphabet, count % 4 is 1 or an unused bit is set. `out` is then undefined, but
// nothing is written beyond that size.
bool josebytes_base64url_decode(uint8_t *out, const uint8_t *text, size_t count,
                                josebytes_kernel kernel);

// josebytes_base64url_chunk returns how many characters the best kernel should decode in one call
// while a hash is computed interleaved with it: a multiple of 256.
size_t josebytes_base64url_chunk(void);

// josebytes_base64url_encode_secret is josebytes_base64url_encode for a secret: no branch and no
// address depends on the bytes. `in` and `out` must not overlap.
void josebytes_base64url_encode_secret(uint8_t *out, const uint8_t *in, size_t count);

// josebytes_base64url_decode_secret decodes a secret as strictly as josebytes_base64url_decode, to
// as many bytes. Only the branch on the result depends on the characters, and no address does.
// count is public. After false, `out` is wiped, or not written if count % 4 is 1. `text` and `out`
// must not overlap.
bool josebytes_base64url_decode_secret(uint8_t *out, const uint8_t *text, size_t count);

// The first positions of a byte, in ascending order.
enum { JOSEBYTES_MAX_POSITIONS = 5 };
typedef struct {
    size_t count;
    size_t position[JOSEBYTES_MAX_POSITIONS];
} josebytes_positions;

// josebytes_find returns the first positions of `byte`, at most JOSEBYTES_MAX_POSITIONS.
josebytes_positions josebytes_find(const uint8_t *bytes, size_t count, uint8_t byte);

// josebytes_find_first_and_last returns the first 3 positions. If `byte` occurs again in the last
// 64 bytes, the fourth position is its last one, and the positions between are skipped. Otherwise
// the result is that of josebytes_find. It is for the dots of a token, near its start and its end.
josebytes_positions josebytes_find_first_and_last(const uint8_t *bytes, size_t count, uint8_t byte);

// josebytes_count_structural returns how many bytes are `,`, `:`, `[` or `{`, also within strings.
size_t josebytes_count_structural(const uint8_t *bytes, size_t count);

// josebytes_has_space_or returns whether any byte is `byte` or at most 0x20.
bool josebytes_has_space_or(uint8_t byte, const uint8_t *bytes, size_t count);

// josebytes_stops8 reads 8 bytes. In the result, the highest bit of a byte is set if
// josebytes_plain_count stops at that byte. The first byte of the text is the lowest of the result.
// Only the first mark is exact: marks after it may be wrong.
JOSEBYTES_WRAPS static inline uint64_t josebytes_stops8(const uint8_t *text)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t word;
    memcpy(&word, text, sizeof word);
    uint64_t quote = word ^ ones * '"', solidus = word ^ ones * '\\';
    uint64_t marks = ((quote - ones) & ~quote) | ((solidus - ones) & ~solidus) |
                     ((word - ones * 0x20) & ~word) | word;
    return marks & ones * 0x80;
}

#if defined(__SSE2__)
// josebytes_stops16 reads 16 bytes. In the result, all bits are set in each byte at which
// josebytes_plain_count stops. All marks are exact.
static inline __m128i josebytes_stops16(const uint8_t *text)
{
    __m128i c = _mm_loadu_si128((const __m128i *)(const void *)text);
    __m128i quote = _mm_cmpeq_epi8(c, _mm_set1_epi8('"'));
    __m128i solidus = _mm_cmpeq_epi8(c, _mm_set1_epi8('\\'));
    // As a signed number, a byte above 0x7f is below the space too.
    __m128i low = _mm_cmplt_epi8(c, _mm_set1_epi8(' '));
    return _mm_or_si128(_mm_or_si128(quote, solidus), low);
}
#endif

// josebytes_plain16 is josebytes_plain_count for 16 bytes, inline for many short strings.
static inline size_t josebytes_plain16(const uint8_t *text)
{
#if defined(__SSE2__)
    return (size_t)__builtin_ctz((unsigned)_mm_movemask_epi8(josebytes_stops16(text)) | 1U << 16);
#else
    uint64_t first = josebytes_stops8(text);
    if (first != 0) {
        return (size_t)__builtin_ctzll(first) / 8;
    }
    uint64_t second = josebytes_stops8(text + 8);
    return second != 0 ? 8 + (size_t)__builtin_ctzll(second) / 8 : 16;
#endif
}

// josebytes_plain_count returns how many bytes precede the first quotation mark, reverse solidus,
// or byte below 0x20 or above 0x7f.
size_t josebytes_plain_count(const uint8_t *text, size_t count);

// josebytes_plain_last is josebytes_plain_count for the last `rest` bytes before `end`; rest is
// below 16. At least 16 bytes before `end` must be readable.
static inline size_t josebytes_plain_last(const uint8_t *end, size_t rest)
{
#if defined(__SSE2__)
    unsigned stops = (unsigned)_mm_movemask_epi8(josebytes_stops16(end - 16));
    return (size_t)__builtin_ctz(stops >> (16 - rest) | 1U << rest);
#else
    size_t at = 0;
    for (const uint8_t *c = end - rest;
         at < rest && *c >= 0x20 && *c < 0x80 && *c != '"' && *c != '\\'; c++) {
        at++;
    }
    return at;
#endif
}

// josebytes_text_count returns the size of a prefix of `text` that consists of whole UTF-8
// characters (RFC 3629 section 4), without quotation marks, reverse solidi and characters below
// 0x20. `text` must begin with a whole character. The prefix may be up to 19 bytes shorter than
// possible, so the caller checks the bytes after it. Returns 0 on processors without the vector
// instructions of this function.
size_t josebytes_text_count(const uint8_t *text, size_t count);

// josebytes_copy_unescaped copies count bytes of text to `out`, which must not overlap it. Returns
// false if a byte is a quotation mark, a reverse solidus or below 0x20; `out` is then undefined.
bool josebytes_copy_unescaped(uint8_t *out, const uint8_t *text, size_t count);

// josebytes_wipe zeroes all bytes and is never optimised away.
void josebytes_wipe(uint8_t *bytes, size_t count);

// josebytes_equal_constant_time returns whether a and b are equal. The time depends only on count.
bool josebytes_equal_constant_time(const uint8_t *a, const uint8_t *b, size_t count);

#endif
