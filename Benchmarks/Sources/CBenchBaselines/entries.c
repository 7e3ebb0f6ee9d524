// The baselines of key management beside RSA-OAEP, with A128CBC-HS256 content.

#define OPENSSL_SUPPRESS_DEPRECATED

#include "agreement.h"
#include "bench_baselines.h"

#include "../../../CShims/CJOSEBenchmark/baselines/lane.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

enum { WRAPPED = BASELINE_CEK_BYTES + 8,
       SALT = 35,
       ITERATIONS = 1000 };

struct baseline_entry {
    baseline_lane *lane;
    baseline_method method;
    size_t wrap_bytes;
    uint8_t key[32];
    EVP_CIPHER *ecb, *gcm;
    EVP_CIPHER_CTX *wrap, *unwrap, *derived;
    baseline_agreement *agreement;
    uint8_t iv[12], tag[16], wrapped[WRAPPED], point[BASELINE_POINT], salt[SALT];
    size_t point_count;
    const EVP_MD *password_hash;
};

// RFC 3394: the fastest that libcrypto offers is AES-ECB, block by block.
static int wrap(EVP_CIPHER_CTX *context, uint8_t *out, const uint8_t *cek)
{
    uint8_t block[16];
    memset(block, 0xa6, 8);
    memcpy(out + 8, cek, BASELINE_CEK_BYTES);
    for (int step = 1; step <= 24; step++) {
        uint8_t *part = out + 8 + (step - 1) % 4 * 8;
        memcpy(block + 8, part, 8);
        if (EVP_Cipher(context, block, block, 16) != 16) return 0;
        block[7] ^= (uint8_t)step;
        memcpy(part, block + 8, 8);
    }
    memcpy(out, block, 8);
    return 1;
}

static int unwrap(EVP_CIPHER_CTX *context, uint8_t *cek, const uint8_t *wrapped)
{
    uint8_t block[16];
    memcpy(block, wrapped, 8);
    memcpy(cek, wrapped + 8, BASELINE_CEK_BYTES);
    for (int step = 24; step >= 1; step--) {
        uint8_t *part = cek + (step - 1) % 4 * 8;
        block[7] ^= (uint8_t)step;
        memcpy(block + 8, part, 8);
        if (EVP_Cipher(context, block, block, 16) != 16) return 0;
        memcpy(part, block + 8, 8);
    }
    return block[0] == 0xa6;
}

// RFC 7518 section 4.6.2, one round of it.
static void derive(const uint8_t *shared, size_t count, uint8_t out[32])
{
    static const uint8_t one[4] = {0, 0, 0, 1};
    SHA256_CTX hash;
    SHA256_Init(&hash);
    SHA256_Update(&hash, one, 4);
    SHA256_Update(&hash, shared, count);
    SHA256_Update(&hash, "....A128CBC-HS256............", 29);
    SHA256_Final(out, &hash);
}

static int use(baseline_entry *entry, const uint8_t *kek, int encrypting)
{
    return EVP_CipherInit_ex2(entry->derived, entry->ecb, kek, NULL, encrypting, NULL) == 1;
}

baseline_entry *baseline_entry_new(baseline_lane *lane, baseline_method method, size_t wrap_bytes,
                                   const char *curve)
{
    static const char *const ecb[] = {"AES-128-ECB", "AES-192-ECB", "AES-256-ECB"};
    static const char *const gcm[] = {"AES-128-GCM", "AES-192-GCM", "AES-256-GCM"};
    baseline_entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) return NULL;
    entry->lane = lane;
    entry->method = method;
    entry->wrap_bytes = wrap_bytes;
    size_t size = wrap_bytes == 0 ? 0 : wrap_bytes / 8 - 2;
    entry->ecb = EVP_CIPHER_fetch(NULL, ecb[size], NULL);
    entry->gcm = EVP_CIPHER_fetch(NULL, gcm[size], NULL);
    entry->wrap = EVP_CIPHER_CTX_new();
    entry->unwrap = EVP_CIPHER_CTX_new();
    entry->derived = EVP_CIPHER_CTX_new();
    EVP_CIPHER *cipher = method == BASELINE_GCMKW ? entry->gcm : entry->ecb;
    if (RAND_bytes(entry->key, sizeof entry->key) != 1) return NULL;
    if (EVP_CipherInit_ex2(entry->wrap, cipher, entry->key, NULL, 1, NULL) != 1) return NULL;
    if (EVP_CipherInit_ex2(entry->unwrap, cipher, entry->key, NULL, 0, NULL) != 1) return NULL;
    entry->password_hash = wrap_bytes == 16   ? EVP_sha256()
                           : wrap_bytes == 24 ? EVP_sha384()
                                              : EVP_sha512();
    if (method != BASELINE_ECDH) return entry;
    entry->agreement = baseline_agreement_new(curve);
    return entry->agreement == NULL ? NULL : entry;
}

// RFC 7518 section 4.8.1.1: the salt is the algorithm's name, a zero and 16 bytes.
static int from_password(baseline_entry *entry, uint8_t out[32])
{
    return PKCS5_PBKDF2_HMAC((const char *)entry->key, (int)entry->wrap_bytes, entry->salt, SALT,
                             ITERATIONS, entry->password_hash, (int)entry->wrap_bytes, out) == 1;
}

static int agree_as_sender(baseline_entry *entry, uint8_t out[32])
{
    uint8_t shared[BASELINE_SHARED];
    size_t count = 0;
    if (!baseline_agreement_send(entry->agreement, entry->point, &entry->point_count, shared,
                                 &count))
        return 0;
    derive(shared, count, out);
    return 1;
}

static int agree_as_recipient(baseline_entry *entry, uint8_t out[32])
{
    uint8_t shared[BASELINE_SHARED];
    size_t count = 0;
    if (!baseline_agreement_receive(entry->agreement, entry->point, entry->point_count, shared,
                                    &count))
        return 0;
    derive(shared, count, out);
    return 1;
}

int baseline_entry_encrypt(baseline_entry *entry, const uint8_t *aad, size_t aad_count,
                           const uint8_t *text, size_t count)
{
    baseline_lane *lane = entry->lane;
    uint8_t kek[32];
    int size = 0;
    if (RAND_bytes(lane->random, sizeof lane->random) != 1) return 0;
    switch (entry->method) {
    case BASELINE_KW:
        if (!wrap(entry->wrap, entry->wrapped, lane->random)) return 0;
        break;
    case BASELINE_GCMKW:
        if (RAND_bytes(entry->iv, sizeof entry->iv) != 1 ||
            EVP_CipherInit_ex2(entry->wrap, NULL, NULL, entry->iv, 1, NULL) != 1 ||
            EVP_CipherUpdate(entry->wrap, entry->wrapped, &size, lane->random,
                             BASELINE_CEK_BYTES) != 1 ||
            EVP_CipherFinal_ex(entry->wrap, entry->tag, &size) != 1 ||
            EVP_CIPHER_CTX_ctrl(entry->wrap, EVP_CTRL_AEAD_GET_TAG, 16, entry->tag) != 1)
            return 0;
        break;
    case BASELINE_PBES2:
        if (RAND_bytes(entry->salt + SALT - 16, 16) != 1 || !from_password(entry, kek) ||
            !use(entry, kek, 1) || !wrap(entry->derived, entry->wrapped, lane->random))
            return 0;
        break;
    case BASELINE_ECDH:
        if (!agree_as_sender(entry, entry->wrap_bytes == 0 ? lane->random : kek)) return 0;
        if (entry->wrap_bytes != 0 &&
            (!use(entry, kek, 1) || !wrap(entry->derived, entry->wrapped, lane->random)))
            return 0;
        break;
    }
    return baseline_content_encrypt(lane, aad, aad_count, text, count);
}

int baseline_entry_decrypt(baseline_entry *entry, const baseline_lane *sealed, baseline_lane *into)
{
    uint8_t cek[BASELINE_CEK_BYTES], kek[32], none[16];
    int size = 0;
    switch (entry->method) {
    case BASELINE_KW:
        if (!unwrap(entry->unwrap, cek, entry->wrapped)) return 0;
        break;
    case BASELINE_GCMKW:
        if (EVP_CipherInit_ex2(entry->unwrap, NULL, NULL, entry->iv, 0, NULL) != 1 ||
            EVP_CIPHER_CTX_ctrl(entry->unwrap, EVP_CTRL_AEAD_SET_TAG, 16, entry->tag) != 1 ||
            EVP_CipherUpdate(entry->unwrap, cek, &size, entry->wrapped, BASELINE_CEK_BYTES) != 1 ||
            EVP_CipherFinal_ex(entry->unwrap, none, &size) != 1)
            return 0;
        break;
    case BASELINE_PBES2:
        if (!from_password(entry, kek) || !use(entry, kek, 0) ||
            !unwrap(entry->derived, cek, entry->wrapped))
            return 0;
        break;
    case BASELINE_ECDH:
        if (!agree_as_recipient(entry, kek)) return 0;
        if (entry->wrap_bytes != 0 &&
            (!use(entry, kek, 0) || !unwrap(entry->derived, cek, entry->wrapped)))
            return 0;
        break;
    }
    return baseline_content_decrypt(into, sealed);
}
