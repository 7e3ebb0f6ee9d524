// signature_mldsa.c: ML-DSA-44, -65 and -87 (FIPS 204; RFC 9964 section 5), pure, with an empty
// context. libcrypto signs with fresh random bytes each time (hedged), so a fault while the same
// message is signed again does not reveal the key.

#include "runtime/host.h"
#include "signature.h"

static bool accepts_key(const jose_key *key, const jose_digest_entry *digest)
{
    (void)digest;
    return key->type == JOSE_KEY_AKP;
}

static jose_status sign(const jose_signature *operation, jose_signature_slot *slot,
                        uint8_t *signature, const uint8_t *message, size_t message_len)
{
    if (jose_host_replaced_random()) return JOSE_INTERNAL;  // the host would draw the bytes
    return jose_whole_sign(operation, slot, signature, message, message_len);
}

const jose_signature_entry jose_signature_mldsa = {
    .parts = JOSE_PART_KEY | JOSE_PART_SIGNATURE,
    .accepts_key = accepts_key,
    .signature_bytes = jose_signature_curve_bytes,
    .prepare = jose_whole_prepare,
    .sign = sign,
    .verify = jose_whole_verify,
};
