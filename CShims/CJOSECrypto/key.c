// key.c: a key's life, its public numbers, and contexts on it.

#include "key.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <string.h>

#include "host.h"
#include "rsa.h"

jose_key *jose_key_adopt(EVP_PKEY *pkey, bool is_private, uint32_t bits, const uint8_t *modulus,
                         size_t modulus_len, const uint8_t *exponent, size_t exponent_len)
{
    jose_key *key = OPENSSL_zalloc(sizeof *key + modulus_len + exponent_len);
    if (key == NULL) {
        EVP_PKEY_free(pkey);
        return NULL;
    }
    atomic_init(&key->references, 1);
    atomic_flag_clear(&key->lent);
    key->pkey = pkey;
    key->is_private = is_private;
    key->bits = bits;
    key->modulus_bytes = modulus_len;
    key->exponent_bytes = exponent_len;
    memcpy(key->numbers, modulus, modulus_len);
    memcpy(key->numbers + modulus_len, exponent, exponent_len);
    return key;
}

jose_key *jose_key_retain(jose_key *key)
{
    atomic_fetch_add_explicit(&key->references, 1, memory_order_relaxed);
    return key;
}

void jose_key_release(jose_key *key)
{
    if (key == NULL) return;
    if (atomic_fetch_sub_explicit(&key->references, 1, memory_order_acq_rel) != 1) return;
    EVP_PKEY_free(key->pkey);  // wipes the private numbers
    OPENSSL_free(key);
}

static EVP_PKEY_CTX *context_on(const jose_library *library, EVP_PKEY *pkey)
{
    return EVP_PKEY_CTX_new_from_pkey(library->context, pkey, JOSE_PROPERTIES);
}

EVP_PKEY_CTX *jose_key_context(const jose_library *library, jose_key *key)
{
    if (!atomic_flag_test_and_set(&key->lent)) return context_on(library, key->pkey);
    if (jose_host_replaced_rsa()) return NULL;
    EVP_PKEY *copy = EVP_PKEY_dup(key->pkey);
    if (copy == NULL) return NULL;
    EVP_PKEY_CTX *context = context_on(library, copy);
    EVP_PKEY_free(copy);  // the context keeps it
    return context;
}

EVP_PKEY_CTX *jose_key_public_context(const jose_library *library, const jose_key *key)
{
    jose_rsa_numbers numbers;
    jose_rsa_public_numbers(&numbers, key->numbers, key->modulus_bytes,
                            key->numbers + key->modulus_bytes, key->exponent_bytes);
    EVP_PKEY *pkey = jose_rsa_fromdata(library, numbers.params, false);
    if (pkey == NULL) return NULL;
    EVP_PKEY_CTX *context = context_on(library, pkey);
    EVP_PKEY_free(pkey);
    return context;
}

uint32_t jose_key_bits(const jose_key *key)
{
    return key->bits;
}

bool jose_key_is_private(const jose_key *key)
{
    return key->is_private;
}

const uint8_t *jose_key_modulus(const jose_key *key, size_t *len)
{
    *len = key->modulus_bytes;
    return key->numbers;
}

const uint8_t *jose_key_exponent(const jose_key *key, size_t *len)
{
    *len = key->exponent_bytes;
    return key->numbers + key->modulus_bytes;
}
