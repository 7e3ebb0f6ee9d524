// The baselines of content encryption under `dir`: one entry each, the key's schedule and HMAC
// states made once.

#define OPENSSL_SUPPRESS_DEPRECATED

#include "bench_baselines.h"

#include "../../../CShims/CJOSEBenchmark/baselines/lane.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

enum { GCM_IV = 12,
       GCM_TAG = 16,
       LARGEST_TAG = 32,
       LARGEST_DIGEST = 64,
       LARGEST_BLOCK = 128 };

typedef union {
    SHA256_CTX sha256;
    SHA512_CTX sha512;
} hash_state;

typedef struct {
    const char *name, *cipher;
    size_t iv, tag, half;  // half of the key of CBC, 0 for GCM
    size_t digest, block;
    int (*init)(hash_state *);
    int (*update)(hash_state *, const void *, size_t);
    int (*final)(uint8_t *, hash_state *);
} content_entry;

#define HASH(name, field, Init, Update, Final)                       \
    static int name##_init(hash_state *s)                            \
    {                                                                \
        return Init(&s->field);                                      \
    }                                                                \
    static int name##_update(hash_state *s, const void *p, size_t n) \
    {                                                                \
        return Update(&s->field, p, n);                              \
    }                                                                \
    static int name##_final(uint8_t *out, hash_state *s)             \
    {                                                                \
        return Final(out, &s->field);                                \
    }

HASH(sha256, sha256, SHA256_Init, SHA256_Update, SHA256_Final)
HASH(sha384, sha512, SHA384_Init, SHA384_Update, SHA384_Final)
HASH(sha512, sha512, SHA512_Init, SHA512_Update, SHA512_Final)

static const content_entry entries[] = {
    {"A128CBC-HS256", "AES-128-CBC", 16, 16, 16, 32, 64, sha256_init, sha256_update, sha256_final},
    {"A192CBC-HS384", "AES-192-CBC", 16, 24, 24, 48, 128, sha384_init, sha384_update, sha384_final},
    {"A256CBC-HS512", "AES-256-CBC", 16, 32, 32, 64, 128, sha512_init, sha512_update, sha512_final},
    {"A128GCM", "AES-128-GCM", GCM_IV, GCM_TAG, 0, 0, 0, NULL, NULL, NULL},
    {"A192GCM", "AES-192-GCM", GCM_IV, GCM_TAG, 0, 0, 0, NULL, NULL, NULL},
    {"A256GCM", "AES-256-GCM", GCM_IV, GCM_TAG, 0, 0, 0, NULL, NULL, NULL},
};

struct baseline_content {
    const content_entry *entry;
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *encrypt, *decrypt;
    hash_state inner, outer;
    uint8_t iv[16], tag[LARGEST_TAG];
    const uint8_t *aad;
    size_t aad_count;
    uint8_t *sealed, *opened;
    size_t count, capacity;
};

static void keyed(const content_entry *entry, hash_state *state, const uint8_t *key, uint8_t pad)
{
    uint8_t block[LARGEST_BLOCK];
    for (size_t i = 0; i < entry->block; i++)
        block[i] = (uint8_t)((i < entry->half ? key[i] : 0) ^ pad);
    entry->init(state);
    entry->update(state, block, entry->block);
}

baseline_content *baseline_content_new(const char *name, size_t capacity)
{
    uint8_t key[64];
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].name, name) != 0) continue;
        baseline_content *made = calloc(1, sizeof *made);
        if (made == NULL || RAND_bytes(key, sizeof key) != 1) return NULL;
        made->entry = &entries[i];
        made->capacity = capacity + 32;
        made->sealed = calloc(1, made->capacity);
        made->opened = calloc(1, made->capacity);
        made->cipher = EVP_CIPHER_fetch(NULL, entries[i].cipher, NULL);
        made->encrypt = EVP_CIPHER_CTX_new();
        made->decrypt = EVP_CIPHER_CTX_new();
        if (made->sealed == NULL || made->opened == NULL ||
            EVP_EncryptInit_ex2(made->encrypt, made->cipher, key + entries[i].half, made->iv,
                                NULL) != 1 ||
            EVP_DecryptInit_ex2(made->decrypt, made->cipher, key + entries[i].half, made->iv,
                                NULL) != 1) {
            return NULL;
        }
        if (entries[i].half != 0) {
            keyed(made->entry, &made->inner, key, 0x36);
            keyed(made->entry, &made->outer, key, 0x5c);
        }
        return made;
    }
    return NULL;
}

// RFC 7518 section 5.2.2.1: over AAD, IV, ciphertext and the length of the AAD in bits.
static void authenticate(const baseline_content *made, uint8_t out[LARGEST_DIGEST])
{
    const content_entry *entry = made->entry;
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)((uint64_t)made->aad_count * 8 >> (56 - 8 * i));
    hash_state state = made->inner;
    entry->update(&state, made->aad, made->aad_count);
    entry->update(&state, made->iv, entry->iv);
    entry->update(&state, made->sealed, made->count);
    entry->update(&state, length, sizeof length);
    entry->final(out, &state);
    state = made->outer;
    entry->update(&state, out, entry->digest);
    entry->final(out, &state);
}

int baseline_content_seal(baseline_content *made, const uint8_t *aad, size_t aad_count,
                          const uint8_t *text, size_t count)
{
    const content_entry *entry = made->entry;
    uint8_t digest[LARGEST_DIGEST];
    int size = 0, tail = 0;
    if (count + 32 > made->capacity || RAND_bytes(made->iv, (int)entry->iv) != 1) return 0;
    if (EVP_EncryptInit_ex2(made->encrypt, NULL, NULL, made->iv, NULL) != 1) return 0;
    if (entry->half == 0 && EVP_EncryptUpdate(made->encrypt, NULL, &size, aad, (int)aad_count) != 1)
        return 0;
    if (EVP_EncryptUpdate(made->encrypt, made->sealed, &size, text, (int)count) != 1) return 0;
    if (EVP_EncryptFinal_ex(made->encrypt, made->sealed + size, &tail) != 1) return 0;
    made->count = (size_t)(size + tail);
    made->aad = aad;
    made->aad_count = aad_count;
    if (entry->half == 0)
        return EVP_CIPHER_CTX_ctrl(made->encrypt, EVP_CTRL_AEAD_GET_TAG, GCM_TAG, made->tag) == 1;
    authenticate(made, digest);
    memcpy(made->tag, digest, entry->tag);
    return 1;
}

int baseline_content_unseal(baseline_content *made)
{
    const content_entry *entry = made->entry;
    uint8_t digest[LARGEST_DIGEST];
    int size = 0, tail = 0;
    if (entry->half != 0) {
        authenticate(made, digest);
        if (CRYPTO_memcmp(digest, made->tag, entry->tag) != 0) return 0;
    }
    if (EVP_DecryptInit_ex2(made->decrypt, NULL, NULL, made->iv, NULL) != 1) return 0;
    if (entry->half == 0 &&
        (EVP_CIPHER_CTX_ctrl(made->decrypt, EVP_CTRL_AEAD_SET_TAG, GCM_TAG, made->tag) != 1 ||
         EVP_DecryptUpdate(made->decrypt, NULL, &size, made->aad, (int)made->aad_count) != 1)) {
        return 0;
    }
    return EVP_DecryptUpdate(made->decrypt, made->opened, &size, made->sealed, (int)made->count) ==
               1 &&
           EVP_DecryptFinal_ex(made->decrypt, made->opened + size, &tail) == 1;
}
