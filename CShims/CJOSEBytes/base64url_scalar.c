// base64url_scalar.c: portable base64url code; AVX2 and NEON use it for the end of a text.
#include "base64url_alphabet.h"
#include "base64url_kernels.h"

#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the tables and stores of this file are little endian"
#endif

// Marks the entry of a character outside the alphabet.
#define INVALID 0x80000000u

// The position of the six bits of each character of a group. The three bytes of a group are in
// memory order, the first in bits 0-7: one store writes the OR of four entries.
#define WORD0(v) ((uint32_t)(v) << 2)
#define WORD1(v) ((uint32_t)(v) >> 4 | ((uint32_t)(v)&15) << 12)
#define WORD2(v) ((uint32_t)(v) >> 2 << 8 | ((uint32_t)(v)&3) << 22)
#define WORD3(v) ((uint32_t)(v) << 16)
#define ENTRY(W, c) (VALUE(c) < 0 ? INVALID : W(VALUE(c)))
#define ENTRY0(c) ENTRY(WORD0, c)
#define ENTRY1(c) ENTRY(WORD1, c)
#define ENTRY2(c) ENTRY(WORD2, c)
#define ENTRY3(c) ENTRY(WORD3, c)

static const uint32_t decode0[256] = {TIMES256(ENTRY0, 0)};
static const uint32_t decode1[256] = {TIMES256(ENTRY1, 0)};
static const uint32_t decode2[256] = {TIMES256(ENTRY2, 0)};
static const uint32_t decode3[256] = {TIMES256(ENTRY3, 0)};

// The two characters of every twelve bits, the first in bits 0-7.
#define PAIR(v) (uint16_t)(CHARACTER((v) >> 6) | CHARACTER((v)&63) << 8)
static const uint16_t encode_pairs[4096] = {TIMES1024(PAIR, 0), TIMES1024(PAIR, 1024),
                                            TIMES1024(PAIR, 2048), TIMES1024(PAIR, 3072)};

static inline uint64_t load8(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

// encode48_bits returns the eight characters of the upper 48 bits of a word.
static inline uint64_t encode48_bits(uint64_t bits)
{
    return (uint64_t)encode_pairs[bits >> 52] | (uint64_t)encode_pairs[bits >> 40 & 4095] << 16 |
           (uint64_t)encode_pairs[bits >> 28 & 4095] << 32 |
           (uint64_t)encode_pairs[bits >> 16 & 4095] << 48;
}

void base64url_encode_scalar(uint8_t *out, const uint8_t *in, size_t count)
{
    // `in` may be at the end of `out`. The written text never passes the first unread byte, since
    // the text still to write is at least as long as the bytes still to read.
    while (count >= 8) {
        uint64_t text = encode48_bits(__builtin_bswap64(load8(in)));
        memcpy(out, &text, 8);
        in += 6;
        out += 8;
        count -= 6;
    }
    while (count >= 3) {
        uint32_t bits = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
        uint32_t text = encode_pairs[bits >> 12] | (uint32_t)encode_pairs[bits & 4095] << 16;
        memcpy(out, &text, 4);
        in += 3;
        out += 4;
        count -= 3;
    }
    if (count == 2) {
        uint32_t bits = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8;
        uint16_t first = encode_pairs[bits >> 12];
        memcpy(out, &first, 2);
        out[2] = (uint8_t)encode_pairs[bits & 4095];
    } else if (count == 1) {
        uint16_t first = encode_pairs[(uint32_t)in[0] << 4];
        memcpy(out, &first, 2);
    }
}

static inline uint32_t decode24_bits(const uint8_t *text)
{
    return decode0[text[0]] | decode1[text[1]] | decode2[text[2]] | decode3[text[3]];
}

bool base64url_decode_scalar(uint8_t *out, const uint8_t *text, size_t count)
{
    size_t rest = count % 4;
    if (rest == 1) {
        return false;
    }
    uint32_t bad = 0;
    // Two groups a step. One store writes their six bytes and two more. The next step overwrites
    // the two, so another group must follow.
    while (count >= 12) {
        uint32_t a = decode24_bits(text), b = decode24_bits(text + 4);
        bad |= a | b;
        uint64_t bytes = (a & 0xffffff) | (uint64_t)b << 24;
        memcpy(out, &bytes, 8);
        text += 8;
        out += 6;
        count -= 8;
    }
    while (count >= 4) {
        uint32_t a = decode24_bits(text);
        bad |= a;
        out[0] = (uint8_t)a;
        out[1] = (uint8_t)(a >> 8);
        out[2] = (uint8_t)(a >> 16);
        text += 4;
        out += 3;
        count -= 4;
    }
    if (rest == 2) {
        uint32_t a = decode0[text[0]] | decode1[text[1]];
        out[0] = (uint8_t)a;
        // The four unused bits are where the second byte would begin.
        bad |= a | (a & 0xff00 ? INVALID : 0);
    } else if (rest == 3) {
        uint32_t a = decode0[text[0]] | decode1[text[1]] | decode2[text[2]];
        out[0] = (uint8_t)a;
        out[1] = (uint8_t)(a >> 8);
        bad |= a | (a & 0xff0000 ? INVALID : 0);
    }
    return (bad & INVALID) == 0;
}
