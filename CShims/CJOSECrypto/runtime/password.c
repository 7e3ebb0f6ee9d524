// password.c: PBES2 (RFC 8018 section 6.2): PBKDF2 with HMAC-SHA-2, then AES-CBC; and its cost.

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/kdf.h>

#include "host.h"
#include "password.h"

enum { BLOCK = 16,
       MAX_KEY = 32 };

// The bounds for stored data with every FIPS provider: those of SP 800-132 for salt and iterations,
// that of OpenSSL's FIPS provider for the password.
enum { MIN_FIPS_SALT = 16,
       MIN_FIPS_ITERATIONS = 1000,
       MIN_FIPS_PASSWORD = 8 };

bool jose_pbkdf2(const jose_library *library, const jose_digest_entry *digest, uint8_t *key,
                 size_t key_len, const uint8_t *password, size_t password_len,
                 const uint8_t *salt, size_t salt_len, uint32_t iteration_count)
{
    // PBKDF2 accepts an empty password only with a pointer that is not NULL.
    const uint8_t *secret = password_len == 0 ? (const uint8_t *)"" : password;
    uint64_t iterations = iteration_count;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PASSWORD, (void *)secret, password_len),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_len),
        OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_ITER, &iterations),
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST,
                                         (char *)digest->name, 0),
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_PROPERTIES, (char *)library->properties, 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF *kdf = EVP_KDF_fetch(library->context, "PBKDF2", library->properties);
    EVP_KDF_CTX *context = kdf == NULL ? NULL : EVP_KDF_CTX_new(kdf);
    bool done = context != NULL && EVP_KDF_derive(context, key, key_len, params) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(kdf);
    return done;
}

bool jose_budget_spend(uint64_t *budget, jose_hash hash, uint64_t iterations)
{
    const uint64_t each = jose_digest_entry_of(hash)->block_bytes > 64 ? 2 : 1;
    if (iterations > *budget / each) return false;
    *budget -= iterations * each;
    return true;
}

static jose_cipher cipher_of(const jose_pbes2 *rule)
{
    return (jose_cipher)(JOSE_AES_128_CBC + rule->key_len / 8 - 2);
}

static jose_status crypt(const jose_library *library, const jose_pbes2 *rule, bool encrypting,
                         const uint8_t *key, uint8_t *out, size_t *out_len, const uint8_t *in,
                         size_t in_len)
{
    jose_status status = JOSE_INTERNAL;
    int size = 0, rest = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    const EVP_CIPHER *cipher = library->ciphers[cipher_of(rule)];
    if (context == NULL ||
        EVP_CipherInit_ex2(context, cipher, key, rule->iv, encrypting, NULL) != 1 ||
        EVP_CipherUpdate(context, out, &size, in, (int)in_len) != 1)
        goto end;
    // A wrong password gives bad padding here, or rarely a wrong plaintext with right padding.
    status = EVP_CipherFinal_ex(context, out + size, &rest) == 1 ? JOSE_OK : JOSE_REJECTED;
    if (status == JOSE_OK) *out_len = (size_t)size + (size_t)rest;
end:
    EVP_CIPHER_CTX_free(context);
    return status;
}

jose_status jose_pbes2_run(const jose_pbes2 *rule, bool encrypting, uint8_t *out, size_t *out_len,
                           const uint8_t *in, size_t in_len, const uint8_t *password,
                           size_t password_len)
{
    if ((rule->key_len != 16 && rule->key_len != 24 && rule->key_len != 32) ||
        rule->iterations == 0 || in_len == 0 || in_len > INT_MAX - BLOCK ||
        *out_len < in_len + BLOCK)
        return JOSE_INTERNAL;
    if (!encrypting && in_len % BLOCK != 0) return JOSE_REJECTED;
    uint8_t key[MAX_KEY];
    size_t capacity = *out_len;
    JOSE_HOST_SCOPE;
    jose_status status = JOSE_INTERNAL;
    const jose_library *library = jose_library_get();
    if (library != NULL)
        status = jose_library_has(library, (library->is_fips ? 0 : JOSE_PART_PBKDF2) |
                                               JOSE_PART_HMAC | jose_part_digest(rule->prf) |
                                               jose_part_cipher(cipher_of(rule)));
    if (status == JOSE_OK && library->is_fips &&
        (rule->salt_len < MIN_FIPS_SALT || rule->iterations < MIN_FIPS_ITERATIONS ||
         password_len < MIN_FIPS_PASSWORD))
        status = JOSE_UNSUPPORTED;
    if (status == JOSE_OK)
        status = jose_pbkdf2(library, jose_digest_entry_of(rule->prf), key, rule->key_len, password,
                             password_len, rule->salt, rule->salt_len, rule->iterations)
                     ? crypt(library, rule, encrypting, key, out, out_len, in, in_len)
                     : JOSE_INTERNAL;
    if (status != JOSE_OK) OPENSSL_cleanse(out, capacity);
    OPENSSL_cleanse(key, sizeof key);
    return status;
}
