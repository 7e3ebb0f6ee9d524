// base64url_tables.h is the scalar kernel's tables, written by the preprocessor so
// that no digit of them is typed by hand.
#ifndef BASE64URL_TABLES_H
#define BASE64URL_TABLES_H

#include <stdint.h>

// The value of a character, -1 outside the alphabet.
#define VALUE(c)                                                                                   \
    ((c) >= 'A' && (c) <= 'Z'   ? (c) - 'A'                                                        \
     : (c) >= 'a' && (c) <= 'z' ? (c) - 'a' + 26                                                   \
     : (c) >= '0' && (c) <= '9' ? (c) - '0' + 52                                                   \
     : (c) == '-'               ? 62                                                               \
     : (c) == '_'               ? 63                                                               \
                                : -1)

// The character of a value below 64.
#define CHARACTER(v)                                                                               \
    ((v) < 26 ? 'A' + (v) : (v) < 52 ? 'a' + (v) - 26 : (v) < 62 ? '0' + (v) - 52 : (v) == 62 ? '-' : '_')

#define TIMES4(M, i) M(i), M((i) + 1), M((i) + 2), M((i) + 3)
#define TIMES16(M, i) TIMES4(M, i), TIMES4(M, (i) + 4), TIMES4(M, (i) + 8), TIMES4(M, (i) + 12)
#define TIMES64(M, i) TIMES16(M, i), TIMES16(M, (i) + 16), TIMES16(M, (i) + 32), TIMES16(M, (i) + 48)
#define TIMES256(M, i)                                                                             \
    TIMES64(M, i), TIMES64(M, (i) + 64), TIMES64(M, (i) + 128), TIMES64(M, (i) + 192)
#define TIMES1024(M, i)                                                                            \
    TIMES256(M, i), TIMES256(M, (i) + 256), TIMES256(M, (i) + 512), TIMES256(M, (i) + 768)

// An entry with this bit set stands for a character outside the alphabet.
#define INVALID 0x80000000u

// The three bytes of a group lie in a table word in memory order (little endian), so
// that four look-ups and one store make them: byte 0 is bits 0-7 and so on.
#define WORD0(v) ((uint32_t)(v) << 2)
#define WORD1(v) ((uint32_t)(v) >> 4 | ((uint32_t)(v) & 15) << 12)
#define WORD2(v) ((uint32_t)(v) >> 2 << 8 | ((uint32_t)(v) & 3) << 22)
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

// The two characters of every twelve bits, in memory order (little endian).
#define PAIR(v) (uint16_t)(CHARACTER((v) >> 6) | CHARACTER((v) & 63) << 8)
static const uint16_t encode_pairs[4096] = {TIMES1024(PAIR, 0), TIMES1024(PAIR, 1024),
                                            TIMES1024(PAIR, 2048), TIMES1024(PAIR, 3072)};

#endif
