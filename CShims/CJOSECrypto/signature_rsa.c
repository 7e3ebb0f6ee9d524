// signature_rsa.c: RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2) on EVP_PKEY_sign and EVP_PKEY_verify.

#include <openssl/core_names.h>
#include <openssl/rsa.h>

#include "host.h"
#include "signature.h"

static size_t signature_bytes(const jose_key *key)
{
    return key->modulus_bytes;
}

// Padding and digest are set once: each costs hundreds of nanoseconds.
static bool initialise(const jose_signature *operation, EVP_PKEY_CTX *context, bool signing)
{
    if (context == NULL) return false;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE,
                                         (char *)OSSL_PKEY_RSA_PAD_MODE_PKCSV15, 0),
        OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST,
                                         (char *)operation->digest->name, 0),
        OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES,
                                         (char *)JOSE_PROPERTIES, 0),
        OSSL_PARAM_construct_end(),
    };
    return (signing ? EVP_PKEY_sign_init_ex(context, params)
                    : EVP_PKEY_verify_init_ex(context, params)) == 1;
}

static bool prepare(const jose_signature *operation, jose_signature_slot *slot)
{
    slot->work = jose_key_context(operation->library, operation->key);
    if (!initialise(operation, slot->work, operation->signing)) return false;
    if (!operation->signing || !(operation->options & JOSE_CHECK_SIGNATURES)) return true;
    slot->check = jose_key_public_context(operation->library, operation->key);
    return initialise(operation, slot->check, false);
}

static jose_status sign(const jose_signature *operation, jose_signature_slot *slot,
                        uint8_t *signature, const uint8_t *message, size_t message_len)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    size_t digest_len = operation->digest->bytes, size = operation->bytes;
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    if (EVP_PKEY_sign(slot->work, signature, &size, digest, digest_len) != 1) return JOSE_INTERNAL;
    if (size != operation->bytes) return JOSE_INTERNAL;
    if (slot->check != NULL &&
        EVP_PKEY_verify(slot->check, signature, size, digest, digest_len) != 1)
        return JOSE_INTERNAL;
    return JOSE_OK;
}

static jose_status verify(const jose_signature *operation, jose_signature_slot *slot,
                          const uint8_t *message, size_t message_len, const uint8_t *signature)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    if (EVP_PKEY_verify(slot->work, signature, operation->bytes, digest,
                        operation->digest->bytes) == 1)
        return JOSE_OK;
    return jose_host_fault() ? JOSE_INTERNAL : JOSE_REJECTED;
}

const jose_signature_row jose_signature_rsa_pkcs1 = {
    .signature_bytes = signature_bytes,
    .prepare = prepare,
    .sign = sign,
    .verify = verify,
};
