// signatures.c: the baselines of the signature algorithms, each with a key and reused contexts.

// SHA*_* is deprecated, but the fastest public API for a digest.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "lane.h"

#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIGNATURE = 4627,
       MAX_DIGEST = 64,
       MAX_BLOCK = 128 };

typedef union {
    SHA256_CTX sha256;
    SHA512_CTX sha512;
} hash_state;

typedef struct {
    size_t bytes, block;
    int (*init)(hash_state *);
    int (*update)(hash_state *, const void *, size_t);
    int (*final)(uint8_t *, hash_state *);
    const EVP_MD *(*md)(void);
} hash_entry;

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

static const hash_entry hash_256 = {32, 64, sha256_init, sha256_update, sha256_final, EVP_sha256};
static const hash_entry hash_384 = {48, 128, sha384_init, sha384_update, sha384_final, EVP_sha384};
static const hash_entry hash_512 = {64, 128, sha512_init, sha512_update, sha512_final, EVP_sha512};

typedef enum { RSA_ENTRY,
               EC_ENTRY,
               SODIUM_ENTRY,
               MESSAGE_ENTRY,
               HMAC_ENTRY } entry_kind;

typedef struct {
    const char *name;
    entry_kind kind;
    const hash_entry *hash;
    int padding;        // of RSA
    const char *group;  // of EC, as libcrypto calls it
} signature_entry;

static const signature_entry entries[] = {
    {"RS256", RSA_ENTRY, &hash_256, RSA_PKCS1_PADDING, NULL},
    {"RS384", RSA_ENTRY, &hash_384, RSA_PKCS1_PADDING, NULL},
    {"RS512", RSA_ENTRY, &hash_512, RSA_PKCS1_PADDING, NULL},
    {"PS256", RSA_ENTRY, &hash_256, RSA_PKCS1_PSS_PADDING, NULL},
    {"PS384", RSA_ENTRY, &hash_384, RSA_PKCS1_PSS_PADDING, NULL},
    {"PS512", RSA_ENTRY, &hash_512, RSA_PKCS1_PSS_PADDING, NULL},
    {"ES256", EC_ENTRY, &hash_256, 0, "prime256v1"},
    {"ES384", EC_ENTRY, &hash_384, 0, "secp384r1"},
    {"ES512", EC_ENTRY, &hash_512, 0, "secp521r1"},
    {"ES256K", EC_ENTRY, &hash_256, 0, "secp256k1"},
    {"EdDSA", SODIUM_ENTRY, NULL, 0, NULL},
    {"Ed25519", SODIUM_ENTRY, NULL, 0, NULL},
    {"Ed448", MESSAGE_ENTRY, NULL, 0, NULL},
    {"ML-DSA-44", MESSAGE_ENTRY, NULL, 0, NULL},
    {"ML-DSA-65", MESSAGE_ENTRY, NULL, 0, NULL},
    {"ML-DSA-87", MESSAGE_ENTRY, NULL, 0, NULL},
    {"HS256", HMAC_ENTRY, &hash_256, 0, NULL},
    {"HS384", HMAC_ENTRY, &hash_384, 0, NULL},
    {"HS512", HMAC_ENTRY, &hash_512, 0, NULL},
};

struct baseline_signing {
    const signature_entry *entry;
    baseline_key *key;
    EVP_PKEY_CTX *sign, *verify;
    EVP_MD_CTX *sign_text, *verify_text;
    hash_state inner, outer;
    uint8_t pair[64], public_key[32];
    uint8_t signature[MAX_SIGNATURE];
    size_t count;
};

static EVP_PKEY_CTX *make_context(const baseline_signing *made, int (*init)(EVP_PKEY_CTX *))
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, made->key->key, NULL);
    const EVP_MD *hash = made->entry->hash->md();
    int pss = made->entry->padding == RSA_PKCS1_PSS_PADDING;
    if (context == NULL || init(context) != 1) return NULL;
    if (made->entry->padding != 0 &&
        EVP_PKEY_CTX_set_rsa_padding(context, made->entry->padding) != 1) {
        return NULL;
    }
    if (EVP_PKEY_CTX_set_signature_md(context, hash) != 1) return NULL;
    if (pss && (EVP_PKEY_CTX_set_rsa_mgf1_md(context, hash) != 1 ||
                EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) != 1)) {
        return NULL;
    }
    return context;
}

static void digest(const hash_entry *hash, const uint8_t *text, size_t count, uint8_t *out)
{
    hash_state state;
    hash->init(&state);
    hash->update(&state, text, count);
    hash->final(out, &state);
}

static void prepare_mac(baseline_signing *made, const uint8_t *key, size_t count)
{
    const hash_entry *hash = made->entry->hash;
    uint8_t pad[MAX_BLOCK] = {0};
    if (count > hash->block) {
        digest(hash, key, count, pad);
    } else {
        memcpy(pad, key, count);
    }
    for (size_t i = 0; i < hash->block; i++) pad[i] ^= 0x36;
    hash->init(&made->inner);
    hash->update(&made->inner, pad, hash->block);
    for (size_t i = 0; i < hash->block; i++) pad[i] ^= 0x36 ^ 0x5c;
    hash->init(&made->outer);
    hash->update(&made->outer, pad, hash->block);
}

static int prepare_sodium(baseline_signing *made)
{
    uint8_t seed[crypto_sign_SEEDBYTES];
    size_t count = sizeof seed;
    if (made->key->is_private) {
        return EVP_PKEY_get_raw_private_key(made->key->key, seed, &count) == 1 &&
               count == sizeof seed &&
               crypto_sign_seed_keypair(made->public_key, made->pair, seed) == 0;
    }
    count = sizeof made->public_key;
    return EVP_PKEY_get_raw_public_key(made->key->key, made->public_key, &count) == 1 &&
           count == sizeof made->public_key;
}

static int prepare_message(baseline_signing *made)
{
    EVP_PKEY *key = made->key->key;
    made->sign_text = EVP_MD_CTX_new();
    made->verify_text = EVP_MD_CTX_new();
    if (made->key->is_private &&
        EVP_DigestSignInit_ex(made->sign_text, NULL, NULL, NULL, NULL, key, NULL) != 1) {
        return 0;
    }
    return EVP_DigestVerifyInit_ex(made->verify_text, NULL, NULL, NULL, NULL, key, NULL) == 1;
}

// Rejects a key of another type: it might work, but its time would be meaningless.
static int is_of_entry(const baseline_signing *made)
{
    const EVP_PKEY *key = made->key->key;
    char group[64] = "";
    size_t count = 0;
    switch (made->entry->kind) {
    case RSA_ENTRY: return EVP_PKEY_is_a(key, "RSA") == 1;
    case EC_ENTRY:
        return EVP_PKEY_is_a(key, "EC") == 1 &&
               EVP_PKEY_get_group_name(key, group, sizeof group, &count) == 1 &&
               strcmp(group, made->entry->group) == 0;
    case SODIUM_ENTRY: return EVP_PKEY_is_a(key, "ED25519") == 1;
    default: return EVP_PKEY_is_a(key, made->entry->name) == 1;
    }
}

static int prepare(baseline_signing *made, const uint8_t *key, size_t count)
{
    if (made->entry->kind == HMAC_ENTRY) {
        prepare_mac(made, key, count);
        return 1;
    }
    made->key = baseline_key_new(key, count);
    if (made->key == NULL || !is_of_entry(made)) return 0;
    if (made->entry->kind == SODIUM_ENTRY) return prepare_sodium(made);
    if (made->entry->kind == MESSAGE_ENTRY) return prepare_message(made);
    if (made->key->is_private) made->sign = make_context(made, EVP_PKEY_sign_init);
    made->verify = make_context(made, EVP_PKEY_verify_init);
    return made->verify != NULL && (!made->key->is_private || made->sign != NULL);
}

baseline_signing *baseline_signing_new(const char *name, const uint8_t *key, size_t count)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].name, name) != 0) continue;
        baseline_signing *made = calloc(1, sizeof *made);
        if (made == NULL) return NULL;
        made->entry = &entries[i];
        if (prepare(made, key, count)) return made;
        baseline_signing_free(made);
        return NULL;
    }
    return NULL;
}

void baseline_signing_free(baseline_signing *made)
{
    if (made == NULL) return;
    EVP_PKEY_CTX_free(made->sign);
    EVP_PKEY_CTX_free(made->verify);
    EVP_MD_CTX_free(made->sign_text);
    EVP_MD_CTX_free(made->verify_text);
    baseline_key_free(made->key);
    free(made);
}

static void mac(const baseline_signing *made, const uint8_t *text, size_t count, uint8_t *out)
{
    const hash_entry *hash = made->entry->hash;
    hash_state state = made->inner;
    hash->update(&state, text, count);
    hash->final(out, &state);
    state = made->outer;
    hash->update(&state, out, hash->bytes);
    hash->final(out, &state);
}

// From OpenSSL 3.2 on, a context is for one message. Initialising it again keeps its key.
static int begin_again(EVP_MD_CTX *context, int signing)
{
    if (OpenSSL_version_num() < 0x30200000) return 1;
    return (signing ? EVP_DigestSignInit_ex(context, NULL, NULL, NULL, NULL, NULL, NULL)
                    : EVP_DigestVerifyInit_ex(context, NULL, NULL, NULL, NULL, NULL, NULL)) == 1;
}

int baseline_signing_sign(baseline_signing *made, const uint8_t *text, size_t count)
{
    uint8_t hashed[MAX_DIGEST];
    made->count = sizeof made->signature;
    if (made->key != NULL && !made->key->is_private) return 0;
    switch (made->entry->kind) {
    case SODIUM_ENTRY:
        return crypto_sign_detached(made->signature, NULL, text, count, made->pair) == 0;
    case MESSAGE_ENTRY:
        return begin_again(made->sign_text, 1) &&
               EVP_DigestSign(made->sign_text, made->signature, &made->count, text, count) == 1;
    case HMAC_ENTRY:
        mac(made, text, count, made->signature);
        return 1;
    default: break;
    }
    digest(made->entry->hash, text, count, hashed);
    return EVP_PKEY_sign(made->sign, made->signature, &made->count, hashed,
                         made->entry->hash->bytes) == 1;
}

int baseline_signing_verify(baseline_signing *made, const uint8_t *text, size_t count)
{
    uint8_t hashed[MAX_DIGEST];
    switch (made->entry->kind) {
    case SODIUM_ENTRY:
        return crypto_sign_verify_detached(made->signature, text, count, made->public_key) == 0;
    case MESSAGE_ENTRY:
        return begin_again(made->verify_text, 0) &&
               EVP_DigestVerify(made->verify_text, made->signature, made->count, text, count) == 1;
    case HMAC_ENTRY:
        mac(made, text, count, hashed);
        return CRYPTO_memcmp(hashed, made->signature, made->entry->hash->bytes) == 0;
    default: break;
    }
    digest(made->entry->hash, text, count, hashed);
    return EVP_PKEY_verify(made->verify, made->signature, made->count, hashed,
                           made->entry->hash->bytes) == 1;
}

// JOSE concatenates both numbers of an ECDSA signature; libcrypto needs them in DER.
static int take_numbers(baseline_signing *made, const uint8_t *signature, size_t count)
{
    uint8_t *out = made->signature;
    ECDSA_SIG *both = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(signature, (int)(count / 2), NULL);
    BIGNUM *s = BN_bin2bn(signature + count / 2, (int)(count / 2), NULL);
    int written = 0;
    if (both != NULL && r != NULL && s != NULL && ECDSA_SIG_set0(both, r, s) == 1) {
        r = s = NULL;
        written = i2d_ECDSA_SIG(both, &out);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(both);
    made->count = written > 0 ? (size_t)written : 0;
    return written > 0;
}

int baseline_signing_take(baseline_signing *made, const uint8_t *signature, size_t count)
{
    if (made->entry->kind == EC_ENTRY) {
        return count % 2 == 0 && count <= 132 && take_numbers(made, signature, count);
    }
    if (count > sizeof made->signature) return 0;
    // Verifying an Ed25519 signature or a MAC reads this fixed number of bytes.
    if (made->entry->kind == SODIUM_ENTRY && count != crypto_sign_BYTES) return 0;
    if (made->entry->kind == HMAC_ENTRY && count != made->entry->hash->bytes) return 0;
    memcpy(made->signature, signature, count);
    made->count = count;
    return 1;
}

const char *baseline_sodium_version(void)
{
    return sodium_version_string();
}
