// edges_keys.c: which parameters a key returns, its lifetime, and that a rejection returns no key.

#include "edges_keys.h"
#include "faults.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "runtime/cipher.h"
#include "keys/key.h"

static char garbage;  // the output before the call

static void fill(uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) bytes[i] = (uint8_t)(i * 151 + 77);
}

// MARK: rejections

// The output is NULL after each rejection, whatever it was before.
static void rejections(void)
{
    static uint8_t bytes[JOSE_MAX_OCT_BYTES + 1];
    jose_key *key;
#define rejected(call)                                      \
    do {                                                    \
        key = (jose_key *)&garbage;                         \
        need((call) == JOSE_BAD_KEY && key == NULL, #call); \
    } while (0)
    rejected(jose_ec_public(&key, JOSE_X25519, bytes, 32, bytes, 32));
    rejected(jose_ec_private(&key, JOSE_X25519, NULL, 0, NULL, 0, bytes, 32));
    rejected(jose_ec_generate(&key, JOSE_MODULE_PROCESS, JOSE_ED25519));
    rejected(jose_okp_public(&key, JOSE_P256, bytes, 32));
    rejected(jose_okp_private(&key, JOSE_P256, NULL, 0, bytes, 32));
    rejected(jose_okp_generate(&key, JOSE_MODULE_PROCESS, JOSE_SECP256K1));
    rejected(jose_oct(&key, bytes, 0));
    rejected(jose_oct(&key, bytes, JOSE_MAX_OCT_BYTES + 1));
    rejected(jose_oct_generate(&key, JOSE_MODULE_PROCESS, 0));
    rejected(jose_oct_generate(&key, JOSE_MODULE_PROCESS, JOSE_MAX_GENERATED_OCT_BYTES + 1));
#undef rejected

    jose_keymgmt *operation = (jose_keymgmt *)&garbage;
    jose_cek *cek = (jose_cek *)&garbage;
    uint8_t encrypted_key[64];
    const jose_recipient recipient = {.iterations = 2};
    const jose_keymgmt_rule direct = {JOSE_DIRECT, JOSE_SHA256, 0},
                            wide = {JOSE_AES_KW, JOSE_SHA256, 20},
                            small = {JOSE_AES_KW, JOSE_SHA256, 16};
    need(faults_import(&key, OCT_32, true) == JOSE_OK, "key");
    need(jose_keymgmt_make(&operation, key, &wide, true, 0) == JOSE_INTERNAL && operation == NULL,
         "size");
    operation = (jose_keymgmt *)&garbage;
    need(jose_keymgmt_make(&operation, key, &small, true, 0) == JOSE_BAD_KEY && operation == NULL,
         "key");
    need(jose_keymgmt_make(&operation, key, &direct, true, 0) == JOSE_OK, "dir");
    jose_wrapped out = {encrypted_key, 1, NULL, 0};
    need(jose_cek_begin(&cek, operation, JOSE_A256GCM, &out, &recipient) == JOSE_INTERNAL &&
             cek == NULL,
         "size of the encrypted key");
    out.encrypted_key_len = 0;
    cek = (jose_cek *)&garbage;
    need(jose_cek_begin(&cek, operation, JOSE_A128GCM, &out, &recipient) == JOSE_BAD_KEY &&
             cek == NULL,
         "content");
    jose_keymgmt_free(operation);
    // A direct key of another length opens nothing, with a status other than that of a wrong tag.
    need(jose_keymgmt_make(&operation, key, &direct, false, 0) == JOSE_OK, "dir");
    static uint8_t text[32], part[16];
    const jose_open_input in = {NULL, 0, part, 12, text, 1, part, 16, {0}};
    size_t len = 1;
    need(jose_keymgmt_open(operation, JOSE_A128GCM, &len, &in, part, 0) == JOSE_BAD_KEY && len == 0,
         "content");
    need(jose_keymgmt_open(operation, JOSE_A256GCM, &len, &in, part, 0) == JOSE_REJECTED &&
             len == 0,
         "tag");
    jose_keymgmt_free(operation);
    jose_key_release(key);
}

// MARK: what a key tells

static void no_secret(const jose_key *key)
{
    uint8_t bytes[1];
    need(jose_key_secret_bytes(key) == 0, "no secret");
    need(jose_key_secret_write(key, bytes, 0) == JOSE_INTERNAL, "an empty secret");
    need(jose_key_secret_write(key, bytes, 1) == JOSE_INTERNAL, "a secret");
}

static void secret(const jose_key *key, const uint8_t *right, size_t len)
{
    static uint8_t bytes[JOSE_MAX_OCT_BYTES + 2];
    memset(bytes, FAULTS_BLANK, len + 2);
    need(jose_key_secret_bytes(key) == len, "size of the secret");
    need(jose_key_secret_write(key, NULL, len) == JOSE_INTERNAL, "no output");
    need(jose_key_secret_write(key, bytes, len - 1) == JOSE_INTERNAL, "an output too small");
    need(jose_key_secret_write(key, bytes, len + 1) == JOSE_INTERNAL, "an output too large");
    for (size_t i = 0; i < len + 2; i++) need(bytes[i] == FAULTS_BLANK, "a rejection writes");
    need(jose_key_secret_write(key, bytes, len) == JOSE_OK && memcmp(bytes, right, len) == 0,
         "secret");
    need(bytes[len] == FAULTS_BLANK, "after the secret");
}

static void numbers(const jose_key *key, const jose_number right[2])
{
    for (unsigned index = 0; index < 2; index++) {
        size_t len = 12345;
        const uint8_t *bytes = jose_key_public_number(key, index, &len);
        need(len == right[index].len, "size of number %u", index);
        if (len == 0)
            need(bytes == NULL, "number %u does not exist, but has an address", index);
        else
            need(memcmp(bytes, right[index].bytes, len) == 0, "number %u", index);
    }
    static const unsigned none[] = {2, 3, 1000, UINT_MAX};
    for (int i = 0; i < 4; i++) {
        size_t len = 12345;
        need(jose_key_public_number(key, none[i], &len) == NULL && len == 0, "number %u", none[i]);
    }
}

static void facts(void)
{
    static const uint32_t curve_bits[] = {256, 384, 521, 256, 255, 448,
                                          255, 448, 8 * 1312, 8 * 1952, 8 * 2592};
    for (int name = 0; name < keys_here(); name++) {
        const key_entry *entry = &faults_entries[name];
        for (int is_private = 0; is_private < 2; is_private++) {
            jose_key *key = NULL;
            if (entry->type == JOSE_KEY_OCT && !is_private) continue;
            need(faults_import(&key, (key_name)name, is_private) == JOSE_OK, "%s", entry->name);
            need(key->type == entry->type, "%s: type", entry->name);
            need(jose_key_is_private(key) == (bool)is_private, "%s: private", entry->name);
            const bool is_curve = entry->type == JOSE_KEY_EC || entry->type == JOSE_KEY_OKP ||
                                  entry->type == JOSE_KEY_AKP;
            if (is_curve) need(key->curve == entry->curve, "%s: curve", entry->name);
            need(jose_key_bits(key) == (is_curve                      ? curve_bits[entry->curve]
                                        : entry->type == JOSE_KEY_RSA ? entry->size
                                                                      : entry->size * 8),
                 "%s: bits", entry->name);
            const jose_number none[2] = {{(const uint8_t *)"", 0}, {(const uint8_t *)"", 0}};
            if (entry->type == JOSE_KEY_RSA || entry->type == JOSE_KEY_EC)
                numbers(key, entry->numbers);
            if (entry->type == JOSE_KEY_OKP || entry->type == JOSE_KEY_AKP)
                numbers(key, (jose_number[2]){entry->numbers[0], none[1]});
            if (entry->type == JOSE_KEY_OCT) numbers(key, none);
            if (!is_private || entry->type == JOSE_KEY_RSA)
                no_secret(key);
            else
                secret(key, entry->secret.bytes, entry->secret.len);
            jose_key_release(key);
        }
    }
}

// The smallest and the largest, to the last byte.
static void sizes(void)
{
    static const size_t lengths[] = {1, 2, 15, 511, JOSE_MAX_OCT_BYTES - 1, JOSE_MAX_OCT_BYTES};
    static uint8_t bytes[JOSE_MAX_OCT_BYTES];
    jose_key *key = NULL;
    fill(bytes, sizeof bytes);
    for (int i = 0; i < 6; i++) {
        need(jose_oct(&key, bytes, lengths[i]) == JOSE_OK, "%zu bytes", lengths[i]);
        need(jose_key_bits(key) == 8 * lengths[i], "%zu bytes", lengths[i]);
        secret(key, bytes, lengths[i]);
        jose_key_release(key);
    }
    static const size_t drawn[] = {1, 2, JOSE_MAX_GENERATED_OCT_BYTES - 1,
                                   JOSE_MAX_GENERATED_OCT_BYTES};
    for (int i = 0; i < 4; i++) {
        need(jose_oct_generate(&key, JOSE_MODULE_PROCESS, drawn[i]) == JOSE_OK, "%zu bytes",
             drawn[i]);
        need(jose_key_secret_bytes(key) == drawn[i] && jose_key_is_private(key), "%zu bytes",
             drawn[i]);
        jose_key_release(key);
    }
    // An exponent of one byte.
    static const uint8_t three[] = {3};
    const jose_rsa_limits limits = {2048, 8192, true};
    const jose_number n = faults_entries[RSA_2048].numbers[0];
    need(jose_rsa_public(&key, &limits, n.bytes, n.len, three, 1) == JOSE_OK, "e = 3");
    numbers(key, (jose_number[2]){n, {three, 1}});
    jose_key_release(key);
}

// MARK: life

static unsigned places;

static void count_place(uint8_t *location)
{
    (void)location;
    places++;
}

static unsigned places_of(const uint8_t *bytes, size_t len)
{
    places = 0;
    faults_each_location(bytes, len, count_place);
    return places;
}

// The bytes of the key exist once while its owner or an operation uses it, and are wiped before the
// memory is freed.
static void life(void)
{
    static const jose_keymgmt_rule rule = {JOSE_AES_KW, JOSE_SHA256, 32};
    uint8_t bytes[32];
    jose_key *key = NULL;
    jose_keymgmt *first = NULL, *second = NULL;
    fill(bytes, sizeof bytes);
    for (int operations = 0; operations <= 2; operations++) {
        faults_arm(FAULTS_MEMORY, 0);
        faults_watch(bytes, sizeof bytes);
        need(jose_oct(&key, bytes, sizeof bytes) == JOSE_OK && places_of(bytes, sizeof bytes) == 1,
             "a key");
        if (operations > 0)
            need(jose_keymgmt_make(&first, key, &rule, true, 0) == JOSE_OK, "first");
        if (operations > 1)
            need(jose_keymgmt_make(&second, key, &rule, false, 0) == JOSE_OK, "second");
        jose_key_release(key);
        need(places_of(bytes, sizeof bytes) == (operations > 0), "after its owner, with %d",
             operations);
        if (operations > 1) {
            jose_keymgmt_free(second);
            need(places_of(bytes, sizeof bytes) == 1, "the first one still has it");
        }
        if (operations > 0) jose_keymgmt_free(first);
        need(places_of(bytes, sizeof bytes) == 0, "it has no owner");
        need(faults_watched() == 0, "it was returned with its bytes");
        faults_watch(NULL, 0);
        (void)faults_disarm();
    }
    // The owner last.
    faults_arm(FAULTS_MEMORY, 0);
    need(jose_oct(&key, bytes, sizeof bytes) == JOSE_OK, "a key");
    need(jose_keymgmt_make(&first, key, &rule, true, 0) == JOSE_OK, "first");
    jose_keymgmt_free(first);
    need(places_of(bytes, sizeof bytes) == 1, "its owner has it");
    jose_key_release(key);
    need(places_of(bytes, sizeof bytes) == 0, "it has no owner");
    (void)faults_disarm();
    jose_key_release(NULL);
    jose_keymgmt_free(NULL);
    jose_cek_free(NULL);
}

// MARK: below

// Rejected by libcrypto: no key; imported: a new key.
static void from_data(void)
{
    const jose_library *library = jose_library_get();
    // x is 0101…, y is 0: only a point of order 2 has that y, and P-256 has none.
    uint8_t point[65] = {4};
    memset(point + 1, 1, 32);
    OSSL_PARAM off_curve[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"prime256v1", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point, sizeof point),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *pkey = (EVP_PKEY *)&garbage;
    need(jose_key_fromdata(&pkey, library, JOSE_KEY_EC, JOSE_P256, off_curve, false) ==
                 JOSE_BAD_KEY &&
             pkey == NULL,
         "a point off the curve");
    ERR_clear_error();
    const jose_number x = faults_entries[X_25519].numbers[0];
    OSSL_PARAM right[] = {
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)x.bytes, x.len),
        OSSL_PARAM_construct_end(),
    };
    pkey = (EVP_PKEY *)&garbage;
    need(jose_key_fromdata(&pkey, library, JOSE_KEY_OKP, JOSE_X25519, right, false) == JOSE_OK &&
             pkey != NULL && pkey != (EVP_PKEY *)&garbage,
         "a key");
    EVP_PKEY_free(pkey);
}

// A returned context is reused, without its key.
static void contexts(void)
{
    static const uint8_t zeros[32];
    const jose_library *library = jose_library_get();
    uint8_t key[32], block[16] = {0}, by_zeros[16];
    fill(key, sizeof key);
    faults_forget();
    EVP_CIPHER_CTX *one = jose_cipher_take(library, JOSE_AES_256_KW);
    EVP_CIPHER_CTX *two = jose_cipher_take(library, JOSE_AES_256_KW);
    need(one != NULL && two != NULL && one != two, "contexts");
    need(EVP_CipherInit_ex2(two, NULL, zeros, NULL, 1, NULL) == 1, "reference");
    need(EVP_Cipher(two, by_zeros, block, 16) == 16, "reference");
    EVP_CIPHER_CTX_free(two);
    need(EVP_CipherInit_ex2(one, NULL, key, NULL, 0, NULL) == 1, "key");
    jose_cipher_put(library, JOSE_AES_256_KW, one);
    need(jose_cipher_take(library, JOSE_AES_256_KW) == one, "the returned one");
    need(EVP_Cipher(one, block, block, 16) == 16 && memcmp(block, by_zeros, 16) == 0,
         "its key is gone");
    jose_cipher_put(library, JOSE_AES_256_KW, one);
}

void faults_edges_keys(void)
{
    rejections();
    facts();
    sizes();
    life();
    from_data();
    contexts();
}
