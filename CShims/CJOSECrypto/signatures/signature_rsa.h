// signature_rsa.h: what the two RSA families share.
#ifndef JOSE_SIGNATURE_RSA_H
#define JOSE_SIGNATURE_RSA_H

#include "signature.h"

// jose_signature_rsa_accelerate makes operation->fast, and private_fast if it is requested. Signing
// needs `fast` too: it verifies new signatures with n and e that are separate from the private key.
void jose_signature_rsa_accelerate(jose_signature *operation);

// jose_signature_rsa_precomp returns the precomputed constants to use now, or NULL. Call it inside
// JOSE_HOST_SCOPE or outside.
const jose_rsa_precomp *jose_signature_rsa_precomp(const jose_signature *operation);

// The functions of jose_signature_entry for both schemes. A vector kernel needs no context, so it
// accepts a valid signature without a slot from the pool.
size_t jose_signature_rsa_bytes(const jose_key *key, const jose_digest_entry *digest);
jose_fast_check jose_signature_rsa_check_fast(const jose_signature *operation,
                                              const uint8_t *message, size_t message_len,
                                              jose_payload *payload, const uint8_t *signature);
bool jose_signature_rsa_prepare(const jose_signature *operation, jose_signature_slot *slot);
jose_status jose_signature_rsa_sign(const jose_signature *operation, jose_signature_slot *slot,
                                    uint8_t *signature, const uint8_t *message, size_t message_len);
jose_status jose_signature_rsa_verify(const jose_signature *operation, jose_signature_slot *slot,
                                      const uint8_t *message, size_t message_len,
                                      const uint8_t *signature);

#endif
