// signature_rsa.c: what the two RSA families share: EVP_PKEY_sign and EVP_PKEY_verify on digests, and
// the faster public operations beside them.

#include "signature_rsa.h"

#include "host.h"
#include "kernels/kernels.h"
#include "rsa.h"

size_t jose_signature_rsa_bytes(const jose_key *key, const jose_digest_row_t *digest)
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

bool jose_signature_rsa_at_once(const jose_signature_rsa_scheme *scheme,
                                const jose_signature *operation, const uint8_t *message,
                                size_t message_len, const uint8_t *signature)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    if (jose_signature_rsa_vector(operation) == NULL) return false;
    jose_digest_once(operation->digest, digest, message, message_len);
    return scheme->accepts(operation, NULL, digest, signature);
}

bool jose_signature_rsa_prepare(const jose_signature_rsa_scheme *scheme,
                                const jose_signature *operation, jose_signature_slot *slot)
{
    OSSL_PARAM params[JOSE_RSA_PARAMS];
    scheme->fill(params, operation);
    return jose_signature_contexts(operation, slot, params);
}

// EVP accepted what the vector kernel did not: the kernel, or the memory it works on, is not sound.
static void overruled(const jose_signature *operation)
{
    if (jose_rsa_fast_vector(operation->fast) != NULL) jose_kernel_switch_off(JOSE_KERNEL_RSA);
}

// Looks at a signature before it leaves: always where that is cheap, else where it is asked for.
static bool is_right(const jose_signature_rsa_scheme *scheme, const jose_signature *operation,
                     jose_signature_slot *slot, const uint8_t *digest, const uint8_t *signature)
{
    bool cheap = jose_signature_rsa_vector(operation) != NULL;
    if (!cheap && !(operation->options & JOSE_CHECK_SIGNATURES)) return true;
    if (scheme->accepts(operation, slot, digest, signature)) return true;
    if (slot->check == NULL) {  // the faster way said no, which says nothing
        OSSL_PARAM params[JOSE_RSA_PARAMS];
        scheme->fill(params, operation);
        if (!jose_signature_checks(operation, slot, params)) return false;
    }
    if (jose_signature_judge(operation, slot->check, digest, signature, operation->bytes) != JOSE_OK)
        return false;
    overruled(operation);
    return true;
}

jose_status jose_signature_rsa_sign(const jose_signature_rsa_scheme *scheme,
                                    const jose_signature *operation, jose_signature_slot *slot,
                                    uint8_t *signature, const uint8_t *message, size_t message_len)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    size_t size = operation->bytes;
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    if (EVP_PKEY_sign(slot->work, signature, &size, digest, operation->digest->bytes) != 1 ||
        size != operation->bytes)
        return JOSE_INTERNAL;
    return is_right(scheme, operation, slot, digest, signature) ? JOSE_OK : JOSE_INTERNAL;
}

jose_status jose_signature_rsa_verify(const jose_signature_rsa_scheme *scheme,
                                      const jose_signature *operation, jose_signature_slot *slot,
                                      const uint8_t *message, size_t message_len,
                                      const uint8_t *signature)
{
    uint8_t digest[JOSE_LARGEST_DIGEST];
    if (!jose_signature_hash(operation, slot, digest, message, message_len)) return JOSE_INTERNAL;
    // The vector kernel was asked before, unless there was no memory to make it; the portable way is asked now,
    // and EVP judges last.
    bool was_asked = jose_rsa_fast_is_made(operation->fast);
    if ((!was_asked || jose_signature_rsa_vector(operation) == NULL) &&
        scheme->accepts(operation, slot, digest, signature))
        return JOSE_OK;
    jose_status status = jose_signature_judge(operation, slot->work, digest, signature,
                                              operation->bytes);
    if (status == JOSE_OK && was_asked) overruled(operation);
    return status;
}
