// signature_eddsa.c: Ed25519 and Ed448 (RFC 8032; RFC 8037 section 3.1). libsodium computes
// Ed25519, faster for short messages (Benchmarks/results/measurements.md). EVP computes Ed448, and
// with JOSE_PROVIDER_ONLY also Ed25519.
//
// libsodium and EVP reject an S that is not below the order. They compare R as bytes, so that R has
// one encoding (libsodium's releases up to 1.0.22 do; its master branch does not). libsodium
// rejects R of small order; for EVP, has_small_order does. Keys are checked at import.

#include <openssl/crypto.h>
#include <sodium.h>
#include <string.h>

#include "keys/curve.h"
#include "keys/key_raw.h"
#include "signature.h"

static bool accepts_key(const jose_key *key, const jose_digest_entry *digest)
{
    (void)digest;
    return key->type == JOSE_KEY_OKP && jose_curve_entry_of(key->curve)->signature_bytes != 0;
}

static bool is_sodium(const jose_signature *operation)
{
    return operation->key->curve == JOSE_ED25519 && !(operation->options & JOSE_PROVIDER_ONLY);
}

// libsodium's private key is the seed and the public key. Its copy of the public key is separate
// from the key's own, which verifies signatures.
static bool ready(jose_signature *operation)
{
    if (!operation->signing || !is_sodium(operation)) return true;
    uint8_t *pair = OPENSSL_malloc(crypto_sign_SECRETKEYBYTES);
    if (pair == NULL) return false;
    memcpy(pair, operation->key->secret, crypto_sign_SEEDBYTES);
    memcpy(pair + crypto_sign_SEEDBYTES, operation->key->numbers, crypto_sign_PUBLICKEYBYTES);
    operation->prepared = pair;
    operation->prepared_bytes = crypto_sign_SECRETKEYBYTES;
    return true;
}

static bool prepare(const jose_signature *operation, jose_signature_slot *slot)
{
    return is_sodium(operation) || jose_whole_prepare(operation, slot);
}

// Whether R has the y of a point of small order: 1, p - 1 or 0 for orders 1, 2 and 4. Only
// edwards25519 has points of order 8. Such an R can be valid if the public key is not in the
// subgroup of prime order. Such keys can be imported for Ed448, and with a FIPS provider.
static bool has_small_order(const jose_signature *operation, const uint8_t *r)
{
    size_t size = operation->bytes / 2, last = size - 1;
    bool is_448 = operation->key->curve == JOSE_ED448;
    uint8_t top = r[last] & 0x7f;
    bool is_small = r[0] <= 1 && top == 0;
    bool is_large = r[0] == (is_448 ? 0xfe : 0xec) && top == (is_448 ? 0x00 : 0x7f);
    for (size_t i = 1; i < last; i++) {
        is_small &= r[i] == 0;
        is_large &= r[i] == (is_448 && i == 28 ? 0xfe : 0xff);
    }
    if (is_448) return is_small || is_large;
    uint8_t y[32];
    memcpy(y, r, sizeof y);
    y[last] &= 0x7f;
    return is_small || is_large || memcmp(y, jose_ed25519_order_8[0], sizeof y) == 0 ||
           memcmp(y, jose_ed25519_order_8[1], sizeof y) == 0;
}

// MARK: the entry

static jose_status sign(const jose_signature *operation, jose_signature_slot *slot,
                        uint8_t *signature, const uint8_t *message, size_t message_len)
{
    if (!is_sodium(operation))
        return jose_whole_sign(operation, slot, signature, message, message_len);
    if (crypto_sign_detached(signature, NULL, message, message_len, operation->prepared) != 0)
        return JOSE_INTERNAL;
    if ((operation->options & JOSE_CHECK_SIGNATURES) &&
        crypto_sign_verify_detached(signature, message, message_len, operation->key->numbers) != 0)
        return JOSE_INTERNAL;
    return JOSE_OK;
}

static jose_status verify(const jose_signature *operation, jose_signature_slot *slot,
                          const uint8_t *message, size_t message_len, const uint8_t *signature)
{
    if (!is_sodium(operation)) {
        if (has_small_order(operation, signature)) return JOSE_REJECTED;
        return jose_whole_verify(operation, slot, message, message_len, signature);
    }
    return crypto_sign_verify_detached(signature, message, message_len,
                                       operation->key->numbers) == 0
               ? JOSE_OK
               : JOSE_REJECTED;
}

const jose_signature_entry jose_signature_eddsa = {
    .parts = JOSE_PART_KEY | JOSE_PART_SIGNATURE,
    .accepts_key = accepts_key,
    .signature_bytes = jose_signature_curve_bytes,
    .ready = ready,
    .prepare = prepare,
    .sign = sign,
    .verify = verify,
};
