// plain.c finds the end of a run of plain characters in a JSON string.
#include "cjosebytes.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

size_t josebytes_plain_count(const uint8_t *text, size_t count)
{
    size_t at = 0;
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), solidus = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(' ');
    for (; count - at >= 16; at += 16) {
        __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(text + at));
        // As a signed number, a byte above 0x7f is below the space, too.
        __m128i stop = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(c, quote), _mm_cmpeq_epi8(c, solidus)),
                                    _mm_cmplt_epi8(c, space));
        unsigned found = (unsigned)_mm_movemask_epi8(stop);
        if (found != 0) {
            return at + (size_t)__builtin_ctz(found);
        }
    }
#endif
    while (at < count && is_plain(text[at])) {
        at++;
    }
    return at;
}
