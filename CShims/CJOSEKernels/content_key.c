// content_key.c: round keys and HMAC states of a content key, by instructions, and OpenSSL's word
// that they are right.

#ifndef OPENSSL_SUPPRESS_DEPRECATED
#define OPENSSL_SUPPRESS_DEPRECATED  // SHA256_Transform is the judge here
#endif
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <string.h>

#include "cjosekernels.h"
#include "sha_rounds.h"

#if JOSE_KERNELS_X86

_Alignas(16) const uint32_t jose_sha_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// SHA-256's first state, lanes f e b a and h g d c.
_Alignas(16) static const uint32_t first_state[8] = {
    0x9b05688c, 0x510e527f, 0xbb67ae85, 0x6a09e667, 0x5be0cd19, 0x1f83d9ab, 0xa54ff53a, 0x3c6ef372};

enum { MAC_KEY = 16,
       HMAC_BLOCK = 64 };

#pragma clang attribute push(__attribute__((target(JOSE_CONTENT_TARGET))), apply_to = function)

// expand makes the round keys (FIPS 197 section 5.2). The last round of the cipher does the word's
// work: with the rotated word in all four columns, shifting rows changes nothing, and what is left is
// the substitution and the addition of the round constant.
static void expand(uint8_t rounds[11][16], const uint8_t cipher_key[16])
{
    static const int constants[10] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36};
    const __m128i rotate_last = _mm_set1_epi32(0x0c0f0e0d);
    __m128i key = _mm_loadu_si128((const __m128i *)cipher_key);
    _mm_store_si128((__m128i *)rounds[0], key);
    for (int i = 0; i < 10; i++) {
        const __m128i word =
            _mm_aesenclast_si128(_mm_shuffle_epi8(key, rotate_last), _mm_set1_epi32(constants[i]));
        key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
        key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
        key = _mm_xor_si128(key, word);
        _mm_store_si128((__m128i *)rounds[i + 1], key);
    }
}

static void pad(uint8_t block[HMAC_BLOCK], const uint8_t mac_key[MAC_KEY], uint8_t with)
{
    for (int i = 0; i < HMAC_BLOCK; i++) block[i] = with;
    for (int i = 0; i < MAC_KEY; i++) block[i] ^= mac_key[i];
}

static __attribute__((noinline)) void prepare(jose_content_kernel_key *key, const uint8_t *cek)
{
    uint8_t block[HMAC_BLOCK];
    jose_sha s;
    expand(key->rounds, cek + MAC_KEY);
    pad(block, cek, 0x36);
    jose_sha_load(&s, first_state);
    jose_sha_block(&s, block);
    jose_sha_store(key->inner, &s);
    pad(block, cek, 0x5c);
    jose_sha_load(&s, first_state);
    jose_sha_block(&s, block);
    jose_sha_store(key->outer, &s);
}

// encrypt_one is AES-128 of one block with the prepared round keys.
static void encrypt_one(const jose_content_kernel_key *key, uint8_t out[16], const uint8_t in[16])
{
    const __m128i *rounds = (const __m128i *)key->rounds;
    __m128i x = _mm_xor_si128(_mm_loadu_si128((const __m128i *)in), rounds[0]);
    for (int i = 1; i < 10; i++) x = _mm_aesenc_si128(x, rounds[i]);
    _mm_storeu_si128((__m128i *)out, _mm_aesenclast_si128(x, rounds[10]));
}

static void digest_of(uint8_t digest[32], const uint32_t state[8])
{
    jose_sha s;
    jose_sha_load(&s, state);
    jose_sha_digest(digest, &s);
}

#pragma clang attribute pop

// judge_state compares a state with what OpenSSL makes of the padded key.
static bool judge_state(const uint32_t state[8], const uint8_t *mac_key, uint8_t with)
{
    uint8_t block[HMAC_BLOCK], ours[32], theirs[32];
    SHA256_CTX hash;
    pad(block, mac_key, with);
    bool good = SHA256_Init(&hash) == 1;
    SHA256_Transform(&hash, block);
    for (int i = 0; i < 8; i++) {
        const uint32_t word = __builtin_bswap32(hash.h[i]);
        memcpy(theirs + 4 * i, &word, 4);
    }
    digest_of(ours, state);
    good &= CRYPTO_memcmp(ours, theirs, sizeof ours) == 0;
    OPENSSL_cleanse(block, sizeof block);
    OPENSSL_cleanse(&hash, sizeof hash);
    OPENSSL_cleanse(ours, sizeof ours);
    OPENSSL_cleanse(theirs, sizeof theirs);
    return good;
}

static __attribute__((noinline)) bool agrees(const jose_content_kernel_key *key,
                                             const uint8_t *cek, EVP_CIPHER_CTX *cbc,
                                             bool *was_asked)
{
    // A block of the key's own bytes under a zero IV is the plain block cipher.
    static const uint8_t zero[16];
    uint8_t ours[16], theirs[16];
    int written = 0;
    encrypt_one(key, ours, zero);
    *was_asked = EVP_EncryptInit_ex2(cbc, NULL, cek + MAC_KEY, zero, NULL) == 1 &&
                 EVP_EncryptUpdate(cbc, theirs, &written, zero, sizeof zero) == 1 && written == 16;
    bool good = *was_asked && CRYPTO_memcmp(ours, theirs, sizeof ours) == 0;
    good = good && judge_state(key->inner, cek, 0x36) && judge_state(key->outer, cek, 0x5c);
    OPENSSL_cleanse(ours, sizeof ours);
    OPENSSL_cleanse(theirs, sizeof theirs);
    return good;
}

void jose_content_kernel_prepare(jose_content_kernel_key *key,
                                 const uint8_t cek[JOSE_CONTENT_KEY_BYTES])
{
    prepare(key, cek);
    jose_residue_clear(JOSE_RESIDUE_CONTENT);
}

bool jose_content_kernel_agrees(const jose_content_kernel_key *key,
                                const uint8_t cek[JOSE_CONTENT_KEY_BYTES], EVP_CIPHER_CTX *cbc,
                                bool *was_asked)
{
    const bool good = agrees(key, cek, cbc, was_asked);
    jose_residue_clear(JOSE_RESIDUE_CONTENT);
    return good;
}

void jose_content_kernel_wipe(jose_content_kernel_key *key)
{
    OPENSSL_cleanse(key, sizeof *key);
}

#endif
