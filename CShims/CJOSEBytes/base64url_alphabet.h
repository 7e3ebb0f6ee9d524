// base64url_alphabet.h: macros that generate the tables of the base64url code.
#ifndef BASE64URL_ALPHABET_H
#define BASE64URL_ALPHABET_H

// The value of a character; -1 outside the alphabet (RFC 4648 section 5).
#define VALUE(c)                                 \
    ((c) >= 'A' && (c) <= 'Z'   ? (c) - 'A'      \
     : (c) >= 'a' && (c) <= 'z' ? (c) - 'a' + 26 \
     : (c) >= '0' && (c) <= '9' ? (c) - '0' + 52 \
     : (c) == '-'               ? 62             \
     : (c) == '_'               ? 63             \
                                : -1)

// The character of a value below 64.
#define CHARACTER(v)            \
    ((v) < 26    ? 'A' + (v)    \
     : (v) < 52  ? 'a' + (v)-26 \
     : (v) < 62  ? '0' + (v)-52 \
     : (v) == 62 ? '-'          \
                 : '_')

// TIMESn lists M(i) to M(i + n - 1).
#define TIMES4(M, i) M(i), M((i) + 1), M((i) + 2), M((i) + 3)
#define TIMES16(M, i) TIMES4(M, i), TIMES4(M, (i) + 4), TIMES4(M, (i) + 8), TIMES4(M, (i) + 12)
#define TIMES64(M, i) \
    TIMES16(M, i), TIMES16(M, (i) + 16), TIMES16(M, (i) + 32), TIMES16(M, (i) + 48)
#define TIMES256(M, i) \
    TIMES64(M, i), TIMES64(M, (i) + 64), TIMES64(M, (i) + 128), TIMES64(M, (i) + 192)
#define TIMES1024(M, i) \
    TIMES256(M, i), TIMES256(M, (i) + 256), TIMES256(M, (i) + 512), TIMES256(M, (i) + 768)

#endif
