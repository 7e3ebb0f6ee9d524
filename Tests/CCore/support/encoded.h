// encoded.h: base64url by its definition (RFC 4648 section 5), for ciphertexts that are passed as
// text.
#ifndef ENCODED_H
#define ENCODED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const char encoded_alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// encoded_make writes the text of `len` bytes and returns its length.
static inline size_t encoded_make(uint8_t *text, const uint8_t *bytes, size_t len)
{
    size_t count = 0;
    uint32_t held = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < len; i++)
        for (held = held << 8 | bytes[i], bits += 8; bits >= 6; bits -= 6)
            text[count++] = (uint8_t)encoded_alphabet[held >> (bits - 6) & 63];
    if (bits > 0) text[count++] = (uint8_t)encoded_alphabet[held << (6 - bits) & 63];
    return count;
}

// encoded_read is a strict decoder for jose_decoder.
static inline bool encoded_read(uint8_t *out, const uint8_t *text, size_t count)
{
    uint32_t held = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < count; i++) {
        const char *location = text[i] == 0 ? NULL : strchr(encoded_alphabet, text[i]);
        if (location == NULL) return false;
        held = held << 6 | (uint32_t)(location - encoded_alphabet), bits += 6;
        if (bits >= 8) bits -= 8, *out++ = (uint8_t)(held >> bits);
    }
    return bits < 6 && (held & ((1U << bits) - 1)) == 0;
}

#endif
