// plain.c: josebytes_plain_count and josebytes_copy_unescaped, for text without escapes.
#include "base64url_kernels.h"

#include <string.h>

static inline bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

// plain64 is josebytes_plain16 for 64 bytes.
static inline size_t plain64(const uint8_t *text)
{
#if defined(__SSE2__)
    __m128i first = josebytes_stops16(text), second = josebytes_stops16(text + 16);
    __m128i third = josebytes_stops16(text + 32), last = josebytes_stops16(text + 48);
    if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(first, second), _mm_or_si128(third, last))) ==
        0) {
        return 64;
    }
    uint32_t low = (uint32_t)_mm_movemask_epi8(first) | (uint32_t)_mm_movemask_epi8(second) << 16;
    uint32_t high = (uint32_t)_mm_movemask_epi8(third) | (uint32_t)_mm_movemask_epi8(last) << 16;
    return (size_t)__builtin_ctzll(low | (uint64_t)high << 32);
#else
    size_t at = 0;
    while (at < 64) {
        size_t plain = josebytes_plain16(text + at);
        at += plain;
        if (plain < 16) {
            break;
        }
    }
    return at;
#endif
}

size_t josebytes_plain_count(const uint8_t *text, size_t count)
{
    size_t at = 0;
    // Most runs are short and end in these small steps.
    for (; at < 32 && count - at >= 16; at += 16) {
        size_t plain = josebytes_plain16(text + at);
        if (plain < 16) {
            return at + plain;
        }
    }
    for (; count - at >= 64; at += 64) {
        size_t plain = plain64(text + at);
        if (plain < 64) {
            return at + plain;
        }
    }
    for (; count - at >= 16; at += 16) {
        size_t plain = josebytes_plain16(text + at);
        if (plain < 16) {
            return at + plain;
        }
    }
    if (at > 0 && at < count) {
        // The last step ends at the end of the text and tests some bytes again.
        return count - 16 + josebytes_plain16(text + count - 16);
    }
    if (count - at >= 8) {
        uint64_t found = josebytes_stops8(text + at);
        if (found != 0) {
            return at + (size_t)__builtin_ctzll(found) / 8;
        }
        at += 8;
    }
    while (at < count && is_plain(text[at])) {
        at++;
    }
    return at;
}

// needs_escape returns whether a byte of the word is a quotation mark, a reverse solidus or below
// 0x20. Bytes above 0x7f need no escape.
WRAPS static inline bool needs_escape(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101;
    uint64_t quote = word ^ ones * '"', solidus = word ^ ones * '\\';
    uint64_t marks =
        ((quote - ones) & ~quote) | ((solidus - ones) & ~solidus) | (word - ones * 0x20);
    return (marks & ~word & ones * 0x80) != 0;
}

#if defined(__SSE2__)
// copy16 copies 16 bytes and marks those that need an escape.
static inline __m128i copy16(uint8_t *out, const uint8_t *text)
{
    __m128i c = _mm_loadu_si128((const __m128i *)(const void *)text);
    _mm_storeu_si128((__m128i *)(void *)out, c);
    __m128i quote = _mm_cmpeq_epi8(c, _mm_set1_epi8('"'));
    __m128i solidus = _mm_cmpeq_epi8(c, _mm_set1_epi8('\\'));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(c, _mm_set1_epi8(0x1f)), c);
    return _mm_or_si128(_mm_or_si128(quote, solidus), control);
}

static bool copy_long(uint8_t *out, const uint8_t *text, size_t count)
{
    // The last step ends at the end of the text and copies some bytes again.
    for (size_t at = 0;; at = at + 64 < count - 64 ? at + 64 : count - 64) {
        __m128i marks = copy16(out + at, text + at);
        marks = _mm_or_si128(marks, copy16(out + at + 16, text + at + 16));
        marks = _mm_or_si128(marks, copy16(out + at + 32, text + at + 32));
        marks = _mm_or_si128(marks, copy16(out + at + 48, text + at + 48));
        if (_mm_movemask_epi8(marks) != 0) {
            return false;
        }
        if (at == count - 64) {
            return true;
        }
    }
}
#endif

bool josebytes_copy_unescaped(uint8_t *out, const uint8_t *text, size_t count)
{
#if defined(__SSE2__)
    if (count >= 64) {
        return copy_long(out, text, count);
    }
#endif
    if (count >= 8) {
        // The last word ends at the end of the text and copies some bytes again.
        for (size_t at = 0;; at = at + 8 < count - 8 ? at + 8 : count - 8) {
            uint64_t word;
            memcpy(&word, text + at, 8);
            if (needs_escape(word)) {
                return false;
            }
            memcpy(out + at, &word, 8);
            if (at == count - 8) {
                return true;
            }
        }
    }
    if (count >= 4) {
        uint32_t first, last;
        memcpy(&first, text, 4);
        memcpy(&last, text + count - 4, 4);
        memcpy(out, &first, 4);
        memcpy(out + count - 4, &last, 4);
        return !needs_escape(first | (uint64_t)last << 32);
    }
    bool is_unescaped = true;
    for (size_t at = 0; at < count; at++) {
        is_unescaped = is_unescaped && text[at] >= 0x20 && text[at] != '"' && text[at] != '\\';
        out[at] = text[at];
    }
    return is_unescaped;
}
