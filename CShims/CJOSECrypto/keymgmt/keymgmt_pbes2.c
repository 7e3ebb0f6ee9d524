// keymgmt_pbes2.c: PBES2 with HMAC-SHA-2 and AES key wrapping (RFC 7518 section 4.8). Only in
// builds with the package trait PBES2; otherwise every key is JOSE_BAD_KEY.

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#include "aes_wrap.h"
#include "keymgmt.h"
#include "runtime/password.h"

#ifdef JOSE_PBES2_COMPILED

// RFC 7518 section 4.8.1.1 requires at least 8 bytes of salt; 16 are written, up to 128 accepted.
enum { SALT = 16,
       MAX_SALT = 128,
       MAX_NAME = 24 };

static bool accepts_key(const jose_key *key, const jose_keymgmt_rule *rule)
{
    return key->type == JOSE_KEY_OCT && rule->wrap_bytes != 0;
}

static size_t encrypted_key_bytes(const jose_keymgmt *operation, size_t cek_len)
{
    (void)operation;
    return cek_len + JOSE_WRAP_EXTRA;
}

static size_t parameter_bytes(const jose_keymgmt *operation)
{
    (void)operation;
    return SALT;
}

// Derives the key that wraps. The salt is the algorithm's name, a zero byte and p2s.
static bool derive(const jose_keymgmt *operation, uint8_t *kek, const uint8_t *salt,
                   size_t salt_len, uint32_t iterations)
{
    uint8_t whole[MAX_NAME + MAX_SALT];
    if (salt_len > MAX_SALT) return false;
    size_t bits = operation->wrap_bytes * 8, hash_bits = operation->digest->bytes * 8;
    int name = snprintf((char *)whole, MAX_NAME, "PBES2-HS%zu+A%zuKW", hash_bits, bits);
    if (name < 0 || name >= MAX_NAME) return false;
    memcpy(whole + name + 1, salt, salt_len);
    return jose_pbkdf2(operation->library, operation->digest, kek, operation->wrap_bytes,
                       operation->key->secret, operation->key->secret_bytes, whole,
                       (size_t)name + 1 + salt_len, iterations);
}

static bool wrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_wrap *call,
                 uint8_t *cek, size_t cek_len)
{
    (void)slot;
    uint8_t kek[JOSE_MAX_CEK];
    memcpy(call->parameters, call->seed, SALT);
    bool done = derive(operation, kek, call->seed, SALT, call->recipient->iterations) &&
                jose_aes_wrap_under(operation->library, kek, operation->wrap_bytes,
                                    call->encrypted_key, cek, cek_len);
    OPENSSL_cleanse(kek, sizeof kek);
    return done;
}

static bool unwrap(const jose_keymgmt *operation, jose_keymgmt_slot *slot, const jose_unwrap *call,
                   uint8_t *cek, size_t cek_len)
{
    (void)slot;
    uint8_t kek[JOSE_MAX_CEK];
    bool done = derive(operation, kek, call->recipient->parameters,
                       call->recipient->parameters_len, call->recipient->iterations) &&
                jose_aes_unwrap_under(operation->library, kek, operation->wrap_bytes, cek,
                                      cek_len, call->encrypted_key, call->encrypted_key_len);
    OPENSSL_cleanse(kek, sizeof kek);
    return done;
}

const jose_keymgmt_entry jose_keymgmt_pbes2 = {
    .parts = JOSE_PART_PBKDF2 | JOSE_PART_HMAC,
    .has_hash = true,
    .wrap_cipher_128 = JOSE_AES_128_KW,
    .reads_any_parameter_size = true,
    .accepts_key = accepts_key,
    .encrypted_key_bytes = encrypted_key_bytes,
    .parameter_bytes = parameter_bytes,
    .seed_bytes = parameter_bytes,
    .wrap = wrap,
    .unwrap = unwrap,
};

#else

static bool accepts_key(const jose_key *key, const jose_keymgmt_rule *rule)
{
    (void)key, (void)rule;
    return false;
}

const jose_keymgmt_entry jose_keymgmt_pbes2 = {.accepts_key = accepts_key};

#endif
