// secret.c: functions on secret bytes: wiping, comparing and branch-free base64url.
#include "base64url_kernels.h"

#include <string.h>

void josebytes_wipe(uint8_t *bytes, size_t count)
{
    if (count == 0) {
        return;
    }
    memset(bytes, 0, count);
    // The compiler must assume that the assembler reads the memory, so it keeps the memset.
    __asm__ volatile(""
                     :
                     : "r"(bytes)
                     : "memory");
}

bool josebytes_equal_constant_time(const uint8_t *a, const uint8_t *b, size_t count)
{
    uint32_t difference = 0;
    for (size_t i = 0; i < count; i++) {
        difference |= (uint32_t)(a[i] ^ b[i]);
        // Keeps the compiler from leaving the loop early.
        OPAQUE(difference);
    }
    PUBLISH(difference);
    return difference == 0;
}

// in_range returns all ones if low <= x <= high and 0 otherwise, for values below 2^15.
WRAPS static inline uint32_t in_range(uint32_t x, uint32_t low, uint32_t high)
{
    uint32_t outside = (x - low) | (high - x);
    return (outside >> 31) - 1;
}

// sextet returns the value of a character, or 0x80 if it is not in the alphabet.
WRAPS static inline uint32_t sextet(uint32_t c)
{
    uint32_t upper = in_range(c, 'A', 'Z');
    uint32_t lower = in_range(c, 'a', 'z');
    uint32_t digit = in_range(c, '0', '9');
    uint32_t minus = in_range(c, '-', '-');
    uint32_t under = in_range(c, '_', '_');
    uint32_t value = (upper & (c - 'A')) | (lower & (c - 'a' + 26)) | (digit & (c - '0' + 52)) |
                     (minus & 62) | (under & 63);
    return value | (~(upper | lower | digit | minus | under) & 0x80);
}

// character returns the character of a value below 64.
WRAPS static inline uint8_t character(uint32_t value)
{
    uint32_t c = value + 'A';
    c += in_range(value, 26, 63) & ('a' - 'A' - 26);
    c -= in_range(value, 52, 63) & ('a' - '0' + 26);
    c += in_range(value, 62, 62) & (uint32_t)('-' - '0' - 10);
    c += in_range(value, 63, 63) & (uint32_t)('_' - '0' - 11);
    return (uint8_t)c;
}

void josebytes_base64url_encode_secret(uint8_t *out, const uint8_t *in, size_t count)
{
    while (count >= 3) {
        uint32_t bits = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
        out[0] = character(bits >> 18);
        out[1] = character(bits >> 12 & 63);
        out[2] = character(bits >> 6 & 63);
        out[3] = character(bits & 63);
        in += 3;
        out += 4;
        count -= 3;
    }
    if (count != 0) {
        uint32_t bits = (uint32_t)in[0] << 16 | (count == 2 ? (uint32_t)in[1] << 8 : 0);
        out[0] = character(bits >> 18);
        out[1] = character(bits >> 12 & 63);
        if (count == 2) {
            out[2] = character(bits >> 6 & 63);
        }
    }
}

bool josebytes_base64url_decode_secret(uint8_t *out, const uint8_t *text, size_t count)
{
    size_t groups = count / 4, rest = count % 4;
    if (rest == 1) {
        return false;
    }
    uint8_t *start = out;
    uint32_t bad = 0;
    for (size_t i = 0; i < groups; i++) {
        uint32_t a = sextet(text[0]), b = sextet(text[1]), c = sextet(text[2]), d = sextet(text[3]);
        bad |= (a | b | c | d) & 0x80;
        out[0] = (uint8_t)(a << 2 | b >> 4);
        out[1] = (uint8_t)(b << 4 | c >> 2);
        out[2] = (uint8_t)(c << 6 | d);
        text += 4;
        out += 3;
    }
    if (rest != 0) {
        uint32_t a = sextet(text[0]), b = sextet(text[1]);
        uint32_t c = rest == 3 ? sextet(text[2]) : 0;
        bad |= (a | b | c) & 0x80;
        bad |= rest == 3 ? c & 3 : b & 15;
        *out++ = (uint8_t)(a << 2 | b >> 4);
        if (rest == 3) {
            *out++ = (uint8_t)(b << 4 | c >> 2);
        }
    }
    // Only the combined result is published: which character was wrong stays secret.
    PUBLISH(bad);
    if (bad != 0) {
        josebytes_wipe(start, (size_t)(out - start));
        return false;
    }
    return true;
}
