// signature_pkcs1.c: RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2). A signature is valid if it opens to
// the one block of the digest; nothing is parsed.

#include <openssl/core_names.h>
#include <openssl/rsa.h>
#include <string.h>

#include "cjosekernels.h"
#include "keys/rsa.h"
#include "pkcs1.h"
#include "signature_batch.h"
#include "signature_rsa.h"

// Returns false if the modulus is too small or the hash is SHA-1.
static bool make_block(uint8_t *block, size_t size, const jose_digest_entry *entry,
                       const uint8_t *digest)
{
    const jose_pkcs1_hash hash = entry == jose_digest_entry_of(JOSE_SHA256)   ? JOSE_PKCS1_SHA256
                                 : entry == jose_digest_entry_of(JOSE_SHA384) ? JOSE_PKCS1_SHA384
                                                                              : JOSE_PKCS1_SHA512;
    return jose_pkcs1_block(block, size, hash, digest, entry->bytes);
}

// A key is accepted only if the digest's block exists, since verification compares blocks.
static bool accepts_key(const jose_key *key, const jose_digest_entry *digest)
{
    static const uint8_t none[JOSE_MAX_DIGEST];
    uint8_t block[JOSE_MAX_MODULUS];
    return key->type == JOSE_KEY_RSA && make_block(block, jose_rsa_bytes(key), digest, none);
}

static void fill(OSSL_PARAM params[JOSE_RSA_PARAMS], const jose_signature *operation)
{
    *params++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE,
                                                 (char *)OSSL_PKEY_RSA_PAD_MODE_PKCSV15, 0);
    *params++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST,
                                                 (char *)operation->digest->name, 0);
    *params++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES,
                                                 (char *)operation->library->properties, 0);
    *params = OSSL_PARAM_construct_end();
}

static bool is_encoding(const jose_signature *operation, uint8_t *opened, const uint8_t *digest)
{
    uint8_t block[JOSE_MAX_MODULUS];
    return make_block(block, operation->bytes, operation->digest, digest) &&
           jose_pkcs1_equal(opened, block, operation->bytes);
}

static bool encode(const jose_signature *operation, uint8_t *block, const uint8_t *digest)
{
    return make_block(block, operation->bytes, operation->digest, digest);
}

static const jose_signature_rsa_scheme scheme = {
    .fill = fill, .is_encoding = is_encoding, .encode = encode, .may_reject_without_error = true};

static bool add_to_batch(const jose_signature *operation, jose_batch_item *item,
                         const uint8_t *message, size_t message_len, const uint8_t *signature)
{
    uint8_t digest[JOSE_MAX_DIGEST];
    item->precomp = jose_signature_rsa_precomp(operation);
    if (item->precomp == NULL || item->precomp->kernel == NULL) return false;
    item->fast = operation->fast;
    item->size = operation->bytes;
    jose_digest_once(operation->digest, digest, message, message_len);
    memcpy(item->signature, signature, operation->bytes);
    return make_block(item->block, operation->bytes, operation->digest, digest);
}

const jose_signature_entry jose_signature_rsa_pkcs1 = {
    .parts = JOSE_PART_KEY | JOSE_PART_SIGNATURE,
    .has_hash = true,
    .scheme = &scheme,
    .accepts_key = accepts_key,
    .signature_bytes = jose_signature_rsa_bytes,
    .accelerate = jose_signature_rsa_accelerate,
    .check_fast = jose_signature_rsa_check_fast,
    .add_to_batch = add_to_batch,
    .prepare = jose_signature_rsa_prepare,
    .sign = jose_signature_rsa_sign,
    .verify = jose_signature_rsa_verify,
};
