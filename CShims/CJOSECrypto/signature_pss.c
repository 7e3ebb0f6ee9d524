// signature_pss.c: RSASSA-PSS (RFC 8017 section 8.1) as RFC 7518 section 3.5 pins it: the salt is
// as long as the digest, on both sides, and MGF1 has the same hash.
//
// A vector kernel opens the signature where there is one, and the block is taken apart here. That
// only accepts: EVP judges what it does not.

#include <openssl/core_names.h>
#include <openssl/rsa.h>
#include <string.h>

#include "host.h"
#include "mgf1.h"
#include "rsa.h"
#include "signature_rsa.h"

enum { TRAILER = 0xbc, TOP_BIT = 0x80, ZEROS = 8 };

static bool suits(const jose_key *key, const jose_digest_row_t *digest)
{
    return key->type == JOSE_KEY_RSA && jose_rsa_bytes(key) >= 2 * digest->bytes + 2;
}

static size_t signature_bytes(const jose_key *key, const jose_digest_row_t *digest)
{
    (void)digest;
    return jose_rsa_bytes(key);
}

enum { PARAMS = 7 };

static void fill(OSSL_PARAM params[PARAMS], const jose_signature *operation)
{
    char *hash = (char *)operation->digest->name, *properties = (char *)JOSE_PROPERTIES;
    *params++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE,
                                                 (char *)OSSL_PKEY_RSA_PAD_MODE_PSS, 0);
    *params++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, hash, 0);
    *params++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES, properties, 0);
    *params++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, hash, 0);
    *params++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_PROPERTIES, properties,
                                                 0);
    *params++ = OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN,
                                                 (char *)OSSL_PKEY_RSA_PSS_SALT_LEN_DIGEST, 0);
    *params = OSSL_PARAM_construct_end();
}

static bool prepare(const jose_signature *operation, jose_signature_slot *slot)
{
    OSSL_PARAM params[PARAMS];
    fill(params, operation);
    return jose_signature_contexts(operation, slot, params);
}

// Only moduli of whole bytes: the block of another would begin with more than one zero bit.
static void accelerate(jose_signature *operation)
{
    if (operation->key->bits % 8 == 0) jose_signature_rsa_accelerate(operation);
}

// Whether block is an encoding of the digest with a salt of its size (RFC 8017 section 9.1.2). All
// of it is public. The block is unmasked in place.
static bool is_encoding(const jose_signature *operation, uint8_t *block, const uint8_t *digest)
{
    static const uint8_t zeros[ZEROS] = {0};
    const jose_digest_row_t *row = operation->digest;
    size_t data_len = operation->bytes - row->bytes - 1, one = data_len - row->bytes - 1;
    const uint8_t *seed = block + data_len, *salt = block + one + 1;
    if (block[operation->bytes - 1] != TRAILER || (block[0] & TOP_BIT) != 0) return false;
    jose_mgf1_mask(row, block, data_len, seed, row->bytes);
    block[0] &= (uint8_t)~TOP_BIT;
    for (size_t i = 0; i < one; i++)
        if (block[i] != 0) return false;
    if (block[one] != 1) return false;
    jose_digest_state state;
    uint8_t expected[JOSE_LARGEST_DIGEST];
    row->start(&state);
    row->update(&state, zeros, sizeof zeros);
    row->update(&state, digest, row->bytes);
    row->update(&state, salt, row->bytes);
    row->finish(expected, &state);
    return memcmp(expected, seed, row->bytes) == 0;
}

// Whether the fastest way accepts the signature. False says nothing.
static bool accepts(const jose_signature *operation, jose_signature_slot *slot,
                    const uint8_t *digest, const uint8_t *signature)
{
    uint8_t block[JOSE_RSA_FAST_MAX_BYTES];
    return operation->fast != NULL &&
           jose_rsa_fast_opens(operation->fast, slot == NULL ? NULL : &slot->scratch, block,
                               signature) &&
           is_encoding(operation, block, digest);
}

static bool accepts_at_once(const jose_signature *operation, const uint8_t *message,
                            size_t message_len, const uint8_t *signature)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    if (jose_signature_rsa_vector(operation) == NULL) return false;
    jose_digest_once(operation->digest, digest, message, message_len);
    return accepts(operation, NULL, digest, signature);
}

// Looks at a signature before it leaves: always where that is cheap, else where it is asked for.
static bool is_right(const jose_signature *operation, jose_signature_slot *slot,
                     const uint8_t *digest, const uint8_t *signature)
{
    bool cheap = jose_signature_rsa_vector(operation) != NULL;
    if (!cheap && slot->check == NULL) return true;
    if (accepts(operation, slot, digest, signature)) return true;
    if (slot->check == NULL) {  // the kernel said no, which says nothing
        OSSL_PARAM params[PARAMS];
        fill(params, operation);
        if (!jose_signature_checks(operation, slot, params)) return false;
    }
    if (jose_signature_judge(operation, slot->check, digest, signature, operation->bytes) != JOSE_OK)
        return false;
    jose_signature_rsa_overruled(operation);
    return true;
}

static jose_status sign(const jose_signature *operation, jose_signature_slot *slot,
                        uint8_t *signature, const uint8_t *message, size_t message_len)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    size_t size = operation->bytes;
    if (jose_host_replaced_random()) return JOSE_INTERNAL;  // the salt would be the host's
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    if (EVP_PKEY_sign(slot->work, signature, &size, digest, operation->digest->bytes) != 1 ||
        size != operation->bytes)
        return JOSE_INTERNAL;
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
    jose_status status = jose_signature_judge(operation, slot->work, digest, signature,
                                              operation->bytes);
    if (status == JOSE_OK) jose_signature_rsa_overruled(operation);
    return status;
}

const jose_signature_row jose_signature_rsa_pss = {
    .suits = suits,
    .signature_bytes = signature_bytes,
    .accelerate = accelerate,
    .accepts_at_once = accepts_at_once,
    .prepare = prepare,
    .sign = sign,
    .verify = verify,
};
