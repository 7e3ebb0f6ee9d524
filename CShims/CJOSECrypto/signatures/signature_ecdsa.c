// signature_ecdsa.c: ECDSA (FIPS 186-5) with the fixed-size signature R || S of RFC 7518 section
// 3.4. libcrypto uses DER, which stays on the stack.

#include <openssl/core_names.h>
#include <string.h>

#include "keys/curve.h"
#include "keys/ec_verifier.h"
#include "runtime/host.h"
#include "signature.h"

enum {
    SEQUENCE = 0x30,
    INTEGER = 0x02,
    LONG_FORM = 0x81,
    MAX_DER = 3 + 2 * (3 + JOSE_MAX_COORDINATE),
};

static bool accepts_key(const jose_key *key, const jose_digest_entry *digest)
{
    return key->type == JOSE_KEY_EC &&
           digest == jose_digest_entry_of(jose_curve_entry_of(key->curve)->hash);
}

// MARK: DER

static size_t put_integer(uint8_t *out, const uint8_t *number, size_t size)
{
    while (size > 1 && *number == 0) {
        number++;
        size--;
    }
    size_t sign = *number >> 7;
    out[0] = INTEGER;
    out[1] = (uint8_t)(sign + size);
    out[2] = 0;  // the sign byte, else overwritten
    memcpy(out + 2 + sign, number, size);
    return 2 + sign + size;
}

static size_t der_from_raw(uint8_t der[MAX_DER], const uint8_t *raw, size_t half)
{
    uint8_t body[MAX_DER];
    size_t size = put_integer(body, raw, half), head = 0;
    size += put_integer(body + size, raw + half, half);
    der[head++] = SEQUENCE;
    if (size > 127) der[head++] = LONG_FORM;
    der[head++] = (uint8_t)size;
    memcpy(der + head, body, size);
    return head + size;
}

typedef struct {
    const uint8_t *bytes;
    size_t len;
} der_rest;

static bool take_integer(der_rest *rest, uint8_t *out, size_t half)
{
    if (rest->len < 2 || rest->bytes[0] != INTEGER) return false;
    const uint8_t *number = rest->bytes + 2;
    size_t size = rest->bytes[1];
    if (size == 0 || size > rest->len - 2) return false;
    rest->bytes += 2 + size;
    rest->len -= 2 + size;
    if (size > 1 && number[0] == 0) {
        number++;
        size--;
    }
    if (size > half) return false;
    memset(out, 0, half - size);
    memcpy(out + half - size, number, size);
    return true;
}

static bool raw_from_der(uint8_t *raw, size_t half, const uint8_t *der, size_t len)
{
    if (len < 2 || der[0] != SEQUENCE) return false;
    size_t head = der[1] == LONG_FORM ? 3 : 2;
    if (len < head || der[head - 1] != len - head) return false;
    der_rest rest = {der + head, len - head};
    return take_integer(&rest, raw, half) && take_integer(&rest, raw + half, half) &&
           rest.len == 0;
}

// MARK: the entry

static bool verifies_by_point(const jose_signature *operation)
{
    return operation->key->verifier != NULL && !operation->signing &&
           !(operation->options & JOSE_PROVIDER_ONLY);
}

static bool prepare(const jose_signature *operation, jose_signature_slot *slot)
{
    if (verifies_by_point(operation)) return true;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST,
                                         (char *)operation->digest->name, 0),
        OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_PROPERTIES,
                                         (char *)operation->library->properties, 0),
        OSSL_PARAM_construct_end(),
    };
    if (!jose_signature_make_work(operation, slot, params)) return false;
    bool checks = operation->signing && (operation->options & JOSE_CHECK_SIGNATURES) != 0;
    return !checks || jose_signature_make_check(operation, slot, params);
}

// libcrypto rejects an R or S that is zero or not below the order. The DER is always well-formed.
static jose_status verify_by_evp(const jose_signature *operation, EVP_PKEY_CTX *context,
                                 const uint8_t *digest, const uint8_t *signature)
{
    uint8_t der[MAX_DER];
    size_t len = der_from_raw(der, signature, operation->bytes / 2);
    const jose_status status =
        jose_ecdsa_status(EVP_PKEY_verify(context, der, len, digest, operation->digest->bytes));
    const bool is_undecided = status == JOSE_REJECTED && jose_library_stopped(operation->library);
    return is_undecided ? JOSE_INTERNAL : status;
}

static jose_status sign(const jose_signature *operation, jose_signature_slot *slot,
                        uint8_t *signature, const uint8_t *message, size_t message_len)
{
    uint8_t digest[JOSE_MAX_DIGEST], der[MAX_DER];
    size_t len = sizeof der;
    if (jose_host_replaced_random()) return JOSE_INTERNAL;  // the host would draw the nonce
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    if (EVP_PKEY_sign(slot->work, der, &len, digest, operation->digest->bytes) != 1)
        return JOSE_INTERNAL;
    if (!raw_from_der(signature, operation->bytes / 2, der, len)) return JOSE_INTERNAL;
    if (slot->check != NULL && verify_by_evp(operation, slot->check, digest, signature) != JOSE_OK)
        return JOSE_INTERNAL;
    return JOSE_OK;
}

static jose_status verify(const jose_signature *operation, jose_signature_slot *slot,
                          const uint8_t *message, size_t message_len, const uint8_t *signature)
{
    uint8_t digest[JOSE_MAX_DIGEST];
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    if (verifies_by_point(operation))
        return jose_ec_verifier_verify(operation->key->verifier, digest, operation->digest->bytes,
                                       signature, operation->bytes);
    return verify_by_evp(operation, slot->work, digest, signature);
}

const jose_signature_entry jose_signature_ecdsa = {
    .parts = JOSE_PART_KEY | JOSE_PART_SIGNATURE,
    .has_hash = true,
    .accepts_key = accepts_key,
    .signature_bytes = jose_signature_curve_bytes,
    .prepare = prepare,
    .sign = sign,
    .verify = verify,
};
