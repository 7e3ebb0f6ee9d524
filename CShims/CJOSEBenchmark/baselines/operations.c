// operations.c: the baselines of encryption: a function for each job, with only the calls it needs.

// SHA256_* is deprecated, but the fastest public API for a digest.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "lane.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <string.h>

// RFC 7518 section 5.2.2.1: HMAC over AAD, IV, ciphertext and the length of the AAD in bits.
static void mac(const uint8_t *key, const uint8_t *aad, size_t aad_count, const uint8_t *iv,
                const uint8_t *text, size_t count, uint8_t digest[32])
{
    uint8_t pad[64], length[8];
    SHA256_CTX hash;
    for (int i = 0; i < 64; i++) pad[i] = (uint8_t)((i < 16 ? key[i] : 0) ^ 0x36);
    for (int i = 0; i < 8; i++) length[i] = (uint8_t)((uint64_t)aad_count * 8 >> (56 - 8 * i));
    SHA256_Init(&hash);
    SHA256_Update(&hash, pad, 64);
    SHA256_Update(&hash, aad, aad_count);
    SHA256_Update(&hash, iv, BASELINE_IV_BYTES);
    SHA256_Update(&hash, text, count);
    SHA256_Update(&hash, length, sizeof length);
    SHA256_Final(digest, &hash);
    for (int i = 0; i < 64; i++) pad[i] ^= 0x36 ^ 0x5c;
    SHA256_Init(&hash);
    SHA256_Update(&hash, pad, 64);
    SHA256_Update(&hash, digest, 32);
    SHA256_Final(digest, &hash);
}

int baseline_content_encrypt(baseline_lane *lane, const uint8_t *aad, size_t aad_count,
                             const uint8_t *text, size_t count)
{
    const uint8_t *cek = lane->random, *iv = lane->random + BASELINE_CEK_BYTES;
    uint8_t digest[32];
    int body = 0, tail = 0;
    if (count + BASELINE_IV_BYTES > lane->capacity) return 0;
    if (EVP_EncryptInit_ex2(lane->cbc_encrypt, NULL, cek + 16, iv, NULL) != 1) return 0;
    if (EVP_EncryptUpdate(lane->cbc_encrypt, lane->content, &body, text, (int)count) != 1) return 0;
    if (EVP_EncryptFinal_ex(lane->cbc_encrypt, lane->content + body, &tail) != 1) return 0;
    lane->content_count = (size_t)(body + tail);
    lane->aad = aad;
    lane->aad_count = aad_count;
    mac(cek, aad, aad_count, iv, lane->content, lane->content_count, digest);
    memcpy(lane->tag, digest, BASELINE_TAG_BYTES);
    return 1;
}

int baseline_encrypt(baseline_lane *lane, const uint8_t *aad, size_t aad_count, const uint8_t *text,
                     size_t count)
{
    if (RAND_bytes(lane->random, sizeof lane->random) != 1) return 0;
    lane->rsa_count = sizeof lane->rsa;
    if (EVP_PKEY_encrypt(lane->encrypt, lane->rsa, &lane->rsa_count, lane->random,
                         BASELINE_CEK_BYTES) != 1) {
        return 0;
    }
    return baseline_content_encrypt(lane, aad, aad_count, text, count);
}

static int open_content(baseline_lane *lane, const baseline_lane *sealed, const uint8_t *cek)
{
    const uint8_t *iv = sealed->random + BASELINE_CEK_BYTES;
    uint8_t digest[32];
    int body = 0, tail = 0;
    if (sealed->content_count > lane->capacity) return 0;
    mac(cek, sealed->aad, sealed->aad_count, iv, sealed->content, sealed->content_count, digest);
    if (CRYPTO_memcmp(digest, sealed->tag, BASELINE_TAG_BYTES) != 0) return 0;
    if (EVP_DecryptInit_ex2(lane->cbc_decrypt, NULL, cek + 16, iv, NULL) != 1) return 0;
    if (EVP_DecryptUpdate(lane->cbc_decrypt, lane->content, &body, sealed->content,
                          (int)sealed->content_count) != 1) {
        return 0;
    }
    if (EVP_DecryptFinal_ex(lane->cbc_decrypt, lane->content + body, &tail) != 1) return 0;
    lane->content_count = (size_t)(body + tail);
    return 1;
}

int baseline_content_decrypt(baseline_lane *lane, const baseline_lane *sealed)
{
    return open_content(lane, sealed, sealed->random);
}

int baseline_decrypt(baseline_lane *lane, const baseline_lane *sealed)
{
    uint8_t cek[BASELINE_RSA_BYTES];
    size_t count = sizeof cek;
    if (EVP_PKEY_decrypt(lane->decrypt, cek, &count, sealed->rsa, sealed->rsa_count) != 1) return 0;
    return count == BASELINE_CEK_BYTES && open_content(lane, sealed, cek);
}
