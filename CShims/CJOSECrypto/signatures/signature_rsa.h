// signature_rsa.h: what the two RSA families share.
#ifndef JOSE_SIGNATURE_RSA_H
#define JOSE_SIGNATURE_RSA_H

#include "signature.h"

enum { JOSE_RSA_PARAMS = 7 };

// In what the families differ.
typedef struct {
    // Padding and digest, for contexts that are set once: each costs hundreds of nanoseconds.
    void (*fill)(OSSL_PARAM params[JOSE_RSA_PARAMS], const jose_signature *operation);
    // Whether the block that a signature opened to is an encoding of the digest. It may be changed.
    bool (*is_encoding)(const jose_signature *operation, uint8_t *opened, const uint8_t *digest);
    // Whether libcrypto has a refusal for which it gives no reason.
    bool is_refused_silently;
} jose_signature_rsa_scheme;

// jose_signature_rsa_accelerate makes operation->fast. A signer has it too, to look at what it
// signed: on numbers held apart from the key.
void jose_signature_rsa_accelerate(jose_signature *operation);

// jose_signature_rsa_form returns what the fastest way works with now, or NULL. It may be called outside
// of jose_host_enter.
const jose_rsa_form *jose_signature_rsa_form(const jose_signature *operation);

// The entries of jose_signature_row, for a scheme. The vector kernel needs no context: an honest
// token never touches the pool.
size_t jose_signature_rsa_bytes(const jose_key *key, const jose_digest_row_t *digest);
jose_look jose_signature_rsa_at_once(const jose_signature_rsa_scheme *scheme,
                                     const jose_signature *operation, const uint8_t *message,
                                     size_t message_len, jose_payload *payload,
                                     const uint8_t *signature);
bool jose_signature_rsa_prepare(const jose_signature_rsa_scheme *scheme,
                                const jose_signature *operation, jose_signature_slot *slot);
jose_status jose_signature_rsa_sign(const jose_signature_rsa_scheme *scheme,
                                    const jose_signature *operation, jose_signature_slot *slot,
                                    uint8_t *signature, const uint8_t *message, size_t message_len);
jose_status jose_signature_rsa_verify(const jose_signature_rsa_scheme *scheme,
                                      const jose_signature *operation, jose_signature_slot *slot,
                                      const uint8_t *message, size_t message_len,
                                      const uint8_t *signature);

#endif
