// signature_hmac.c: HMAC with SHA-2 (RFC 7518 section 3.2), with the keyed first blocks compressed
// once. It accepts symmetric keys only, so no public key can become a shared secret.

#include <openssl/crypto.h>
#include <string.h>

#include "cjosekernels.h"
#include "signature.h"

static bool accepts_key(const jose_key *key, const jose_digest_entry *digest)
{
    return key->type == JOSE_KEY_OCT && key->secret_bytes >= digest->bytes;
}

static size_t signature_bytes(const jose_key *key, const jose_digest_entry *digest)
{
    (void)key;
    return digest->bytes;
}

static bool ready(jose_signature *operation)
{
    if (operation->options & JOSE_PROVIDER_ONLY) return true;
    jose_hmac_state *state = OPENSSL_malloc(sizeof *state);
    if (state == NULL) return false;
    jose_hmac_start(state, operation->digest, operation->key->secret,
                    operation->key->secret_bytes);
    operation->prepared = state;
    operation->prepared_bytes = sizeof *state;
    return true;
}

static bool compute_mac(const jose_signature *operation, uint8_t out[JOSE_MAX_DIGEST],
                        const uint8_t *message, size_t message_len)
{
    if (operation->prepared != NULL) {
        jose_hmac_once(operation->prepared, out, message, message_len);
        return true;
    }
    const jose_number key = {operation->key->secret, operation->key->secret_bytes};
    return jose_library_hmac(operation->library, operation->digest->name, out, key,
                             &(jose_number){message, message_len}, 1) == operation->digest->bytes;
}

static jose_status sign(const jose_signature *operation, jose_signature_slot *slot,
                        uint8_t *signature, const uint8_t *message, size_t message_len)
{
    (void)slot;
    uint8_t out[JOSE_MAX_DIGEST];
    bool done = compute_mac(operation, out, message, message_len);
    if (done) memcpy(signature, out, operation->bytes);
    return done ? JOSE_OK : JOSE_INTERNAL;
}

// Wipes the computed MAC: with it anyone could forge this message.
static jose_status verify(const jose_signature *operation, jose_signature_slot *slot,
                          const uint8_t *message, size_t message_len, const uint8_t *signature)
{
    (void)slot;
    uint8_t out[JOSE_MAX_DIGEST];
    if (!compute_mac(operation, out, message, message_len)) return JOSE_INTERNAL;
    bool right = jose_declassify(CRYPTO_memcmp(out, signature, operation->bytes) == 0);
    OPENSSL_cleanse(out, sizeof out);
    return right ? JOSE_OK : JOSE_REJECTED;
}

const jose_signature_entry jose_signature_hmac = {
    .parts = JOSE_PART_HMAC,
    .has_hash = true,
    .needs_no_slot = true,
    .accepts_key = accepts_key,
    .signature_bytes = signature_bytes,
    .ready = ready,
    .sign = sign,
    .verify = verify,
};
