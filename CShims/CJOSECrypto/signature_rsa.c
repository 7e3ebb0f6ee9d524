// signature_rsa.c: RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2) on EVP_PKEY_sign and EVP_PKEY_verify.

#include <openssl/core_names.h>
#include <openssl/rsa.h>
#include <string.h>

#include "host.h"
#include "kernels/kernels.h"
#include "rsa.h"
#include "signature_batch.h"
#include "signature_rsa.h"

static bool suits(const jose_key *key, const jose_digest_row_t *digest)
{
    (void)digest;
    return key->type == JOSE_KEY_RSA;
}

static size_t signature_bytes(const jose_key *key, const jose_digest_row_t *digest)
{
    (void)digest;
    return jose_rsa_bytes(key);
}

void jose_signature_rsa_accelerate(jose_signature *operation)
{
    jose_number n = jose_key_number(operation->key, 0), e = jose_key_number(operation->key, 1);
    operation->fast = jose_rsa_fast_new(n.bytes, n.len, e.bytes, e.len,
                                        !(operation->options & JOSE_PORTABLE));
}

const jose_rsa_ifma_key *jose_signature_rsa_vector(const jose_signature *operation)
{
    if (jose_rsa_fast_is_made(operation->fast)) return jose_rsa_fast_vector(operation->fast);
    jose_host host;
    jose_host_enter(&host);
    const jose_rsa_ifma_key *vector = jose_rsa_fast_vector(operation->fast);
    jose_host_leave(&host);
    return vector;
}

// The one valid block of this digest; none for SHA-1.
static bool make_block(const jose_signature *operation, uint8_t *block, const uint8_t *digest)
{
    static const struct {
        jose_hash hash;
        jose_pkcs1_hash block_hash;
    } rows[] = {{JOSE_SHA256, JOSE_PKCS1_SHA256},
                {JOSE_SHA384, JOSE_PKCS1_SHA384},
                {JOSE_SHA512, JOSE_PKCS1_SHA512}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (operation->digest == jose_digest_row(rows[i].hash))
            return jose_pkcs1_block(block, operation->bytes, rows[i].block_hash, digest,
                                    operation->digest->bytes);
    return false;
}

// Whether the signature opens to exactly the block of this digest. False says nothing.
static bool accepts(const jose_signature *operation, jose_signature_slot *slot,
                    const uint8_t *digest, const uint8_t *signature)
{
    uint8_t block[JOSE_RSA_FAST_MAX_BYTES];
    if (operation->fast == NULL) return false;
    return make_block(operation, block, digest) &&
           jose_rsa_fast_accepts(operation->fast, slot == NULL ? NULL : &slot->scratch, block,
                                 signature);
}

// The vector kernel needs no context: an honest token never touches the pool.
static bool accepts_at_once(const jose_signature *operation, const uint8_t *message,
                            size_t message_len, const uint8_t *signature)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    if (jose_signature_rsa_vector(operation) == NULL) return false;
    jose_digest_once(operation->digest, digest, message, message_len);
    return accepts(operation, NULL, digest, signature);
}

static bool take(const jose_signature *operation, jose_batch_item *item, const uint8_t *message,
                 size_t message_len, const uint8_t *signature)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    item->key = jose_signature_rsa_vector(operation);
    if (item->key == NULL) return false;
    jose_digest_once(operation->digest, digest, message, message_len);
    memcpy(item->signature, signature, operation->bytes);
    return make_block(operation, item->block, digest);
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
    if (!operation->signing || !(operation->options & JOSE_CHECK_SIGNATURES) ||
        operation->fast != NULL)
        return true;
    slot->check = jose_key_public_context(operation->library, operation->key);
    return initialise(operation, slot->check, false);
}

void jose_signature_rsa_overruled(const jose_signature *operation)
{
    if (jose_rsa_fast_vector(operation->fast) != NULL) jose_kernel_switch_off(JOSE_KERNEL_RSA);
}

// Looks at a signature before it leaves: always where that is cheap, else where it is asked for.
static bool is_right(const jose_signature *operation, jose_signature_slot *slot,
                     const uint8_t *digest, const uint8_t *signature)
{
    bool cheap = jose_signature_rsa_vector(operation) != NULL;
    if (!cheap && !(operation->options & JOSE_CHECK_SIGNATURES)) return true;
    if (accepts(operation, slot, digest, signature)) return true;
    if (slot->check == NULL) {  // the kernel said no, which says nothing
        slot->check = jose_key_public_context(operation->library, operation->key);
        if (!initialise(operation, slot->check, false)) return false;
    }
    if (EVP_PKEY_verify(slot->check, signature, operation->bytes, digest,
                        operation->digest->bytes) != 1)
        return false;
    jose_signature_rsa_overruled(operation);
    return true;
}

static jose_status sign(const jose_signature *operation, jose_signature_slot *slot,
                        uint8_t *signature, const uint8_t *message, size_t message_len)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    size_t digest_len = operation->digest->bytes, size = operation->bytes;
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    if (EVP_PKEY_sign(slot->work, signature, &size, digest, digest_len) != 1) return JOSE_INTERNAL;
    if (size != operation->bytes) return JOSE_INTERNAL;
    return is_right(operation, slot, digest, signature) ? JOSE_OK : JOSE_INTERNAL;
}

static jose_status verify(const jose_signature *operation, jose_signature_slot *slot,
                          const uint8_t *message, size_t message_len, const uint8_t *signature)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    // The vector kernel was asked before; the portable way is asked now, and EVP judges last.
    if (jose_signature_rsa_vector(operation) == NULL &&
        accepts(operation, slot, digest, signature))
        return JOSE_OK;
    if (EVP_PKEY_verify(slot->work, signature, operation->bytes, digest,
                        operation->digest->bytes) == 1) {
        jose_signature_rsa_overruled(operation);
        return JOSE_OK;
    }
    return jose_host_fault() ? JOSE_INTERNAL : JOSE_REJECTED;
}

const jose_signature_row jose_signature_rsa_pkcs1 = {
    .suits = suits,
    .signature_bytes = signature_bytes,
    .accelerate = jose_signature_rsa_accelerate,
    .accepts_at_once = accepts_at_once,
    .take = take,
    .prepare = prepare,
    .sign = sign,
    .verify = verify,
};
