// selftest_data.h: the questions of the self-test and the digests of the right answers.
#ifndef JOSE_KERNEL_SELFTEST_DATA_H
#define JOSE_KERNEL_SELFTEST_DATA_H

#include <stddef.h>
#include <stdint.h>

enum { JOSE_SELFTEST_EXPONENTS = 3,
       JOSE_SELFTEST_LENGTHS = 6,
       JOSE_SELFTEST_LONGEST = 1000 };

static const uint32_t jose_selftest_exponents[JOSE_SELFTEST_EXPONENTS] = {65537, 3, 0xfffffffb};
static const size_t jose_selftest_lengths[JOSE_SELFTEST_LENGTHS] = {0, 15, 16, 128, 333, 1000};

// Bytes that look like noise and are the same everywhere.
static inline void jose_selftest_noise(uint8_t *bytes, size_t len, uint64_t state)
{
    for (size_t i = 0; i < len; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (uint8_t)(state >> 56);
    }
}

// Modulus 1 has long runs of ones, so that carries travel far.
static inline void jose_selftest_modulus(uint8_t *bytes, size_t size, int number)
{
    jose_selftest_noise(bytes, size, UINT64_C(0x10000) * (uint64_t)number + size);
    if (number == 1)
        for (size_t i = 20; i < size - 20; i++) bytes[i] = 0xff;
    bytes[0] |= 0x80;
    bytes[size - 1] |= 1;
}

static inline void jose_selftest_message(uint8_t *bytes, size_t size, int number)
{
    jose_selftest_noise(bytes, size, UINT64_C(0x7000000) + (uint64_t)number);
    bytes[0] &= 0x7f;
}

static inline void jose_selftest_content(uint8_t cek[32], uint8_t iv[16], uint8_t *aad,
                                         size_t aad_len, uint8_t *text, size_t len)
{
    jose_selftest_noise(cek, 32, len);
    jose_selftest_noise(iv, 16, len + 1);
    jose_selftest_noise(aad, aad_len, len + 2);
    jose_selftest_noise(text, len, len + 3);
}

static const uint8_t jose_selftest_rsa[32] = {
    0x4d, 0x9b, 0x80, 0x28, 0xa5, 0xc0, 0xa0, 0x46, 0xf3, 0xbf, 0x43, 0x8c, 0x64, 0x26, 0x9e, 0xa3,
    0x36, 0xf1, 0x3d, 0x98, 0x76, 0x1d, 0x11, 0x9e, 0xf8, 0xf4, 0x4d, 0x04, 0x1c, 0x58, 0xff, 0x37};
static const uint8_t jose_selftest_rsa_x8[32] = {
    0x3e, 0x27, 0xd3, 0x18, 0xe5, 0xc7, 0x5d, 0xe3, 0x8f, 0xcb, 0x7f, 0xa7, 0xd6, 0x03, 0x05, 0xb6,
    0x68, 0x39, 0x7b, 0x36, 0x2c, 0xfa, 0xff, 0xc5, 0xad, 0xa5, 0x3e, 0x05, 0xb9, 0x53, 0x31, 0x58};
static const uint8_t jose_selftest_content_answer[32] = {
    0xc7, 0xfe, 0xa2, 0x31, 0x12, 0x3b, 0xd3, 0x96, 0x53, 0x23, 0x11, 0x49, 0x00, 0x9d, 0xa7, 0xa5,
    0x83, 0xe5, 0x3e, 0xe2, 0x79, 0xc6, 0x5b, 0x91, 0xf7, 0x0e, 0xdc, 0xbe, 0x05, 0xba, 0x87, 0x25};

#endif
