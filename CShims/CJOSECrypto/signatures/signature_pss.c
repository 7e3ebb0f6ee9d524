// signature_pss.c: RSASSA-PSS (RFC 8017 section 8.1) as RFC 7518 section 3.5 restricts it: on both
// sides the salt is as long as the digest, and MGF1 uses the same hash.
//
// If there is a faster implementation, it opens the signature, and this file checks the block. That
// check alone never rejects: if the block is wrong, OpenSSL's Montgomery functions check again
// (`recheck` in signature_rsa.c), and EVP verifies what no other implementation could decide.

#include <openssl/core_names.h>
#include <openssl/rsa.h>
#include <string.h>

#include "runtime/mgf1.h"
#include "runtime/random.h"
#include "keys/rsa.h"
#include "signature_rsa.h"

enum { TRAILER = 0xbc,
       TOP_BIT = 0x80,
       ZEROS = 8 };

static bool accepts_key(const jose_key *key, const jose_digest_entry *digest)
{
    return key->type == JOSE_KEY_RSA && jose_rsa_bytes(key) >= 2 * digest->bytes + 2;
}

static void fill(OSSL_PARAM params[JOSE_RSA_PARAMS], const jose_signature *operation)
{
    char *hash = (char *)operation->digest->name;
    char *properties = (char *)operation->library->properties;
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

// Only for moduli of whole bytes: with others, more than the one top bit of the block must be zero.
static void accelerate(jose_signature *operation)
{
    if (operation->key->bits % 8 == 0) jose_signature_rsa_accelerate(operation);
}

// Writes H, the hash of eight zeros, the digest and the salt.
static void hash_salted(const jose_digest_entry *entry, uint8_t *out, const uint8_t *digest,
                        const uint8_t *salt)
{
    static const uint8_t zeros[ZEROS] = {0};
    jose_digest_state state;
    entry->start(&state);
    entry->update(&state, zeros, sizeof zeros);
    entry->update(&state, digest, entry->bytes);
    entry->update(&state, salt, entry->bytes);
    entry->finish(out, &state);
}

// The check of RFC 8017 section 9.1.2. All of it is public. It unmasks the block in place.
static bool is_encoding(const jose_signature *operation, uint8_t *block, const uint8_t *digest)
{
    const jose_digest_entry *entry = operation->digest;
    size_t data_len = operation->bytes - entry->bytes - 1, one = data_len - entry->bytes - 1;
    const uint8_t *seed = block + data_len, *salt = block + one + 1;
    if (block[operation->bytes - 1] != TRAILER || (block[0] & TOP_BIT) != 0) return false;
    jose_mgf1_mask(entry, block, data_len, seed, entry->bytes);
    block[0] &= (uint8_t)~TOP_BIT;
    for (size_t i = 0; i < one; i++)
        if (block[i] != 0) return false;
    if (block[one] != 1) return false;
    uint8_t expected[JOSE_MAX_DIGEST];
    hash_salted(entry, expected, digest, salt);
    return memcmp(expected, seed, entry->bytes) == 0;
}

// Encodes with a random salt (RFC 8017 section 9.1.1), for moduli of whole bytes.
static bool encode(const jose_signature *operation, uint8_t *block, const uint8_t *digest)
{
    const jose_digest_entry *entry = operation->digest;
    const size_t data_len = operation->bytes - entry->bytes - 1, one = data_len - entry->bytes - 1;
    uint8_t *seed = block + data_len, *salt = block + one + 1;
    memset(block, 0, one);
    block[one] = 1;
    if (!jose_random_draw(operation->library, salt, entry->bytes)) return false;
    hash_salted(entry, seed, digest, salt);
    jose_mgf1_mask(entry, block, data_len, seed, entry->bytes);
    block[0] &= (uint8_t)~TOP_BIT;
    block[operation->bytes - 1] = TRAILER;
    return true;
}

static const jose_signature_rsa_scheme scheme = {
    .fill = fill, .is_encoding = is_encoding, .encode = encode, .has_salt = true};

const jose_signature_entry jose_signature_rsa_pss = {
    .parts = JOSE_PART_KEY | JOSE_PART_SIGNATURE,
    .has_hash = true,
    .scheme = &scheme,
    .accepts_key = accepts_key,
    .signature_bytes = jose_signature_rsa_bytes,
    .accelerate = accelerate,
    .check_fast = jose_signature_rsa_check_fast,
    .prepare = jose_signature_rsa_prepare,
    .sign = jose_signature_rsa_sign,
    .verify = jose_signature_rsa_verify,
};
