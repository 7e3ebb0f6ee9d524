// key_raw.h: OKP (RFC 8037 section 2) and AKP keys (RFC 9964 section 3): one public byte string.
#ifndef JOSE_KEY_RAW_H
#define JOSE_KEY_RAW_H

#include "curve.h"

// jose_raw_public makes a public key from checked bytes.
jose_status jose_raw_public(jose_key **key, const jose_library *library, jose_curve curve,
                            const uint8_t *pub);

// jose_raw_private makes a private key. pub and expanded may be NULL. JOSE_BAD_KEY: one that is
// given does not follow from the secret.
jose_status jose_raw_private(jose_key **key, const jose_library *library, jose_curve curve,
                             const uint8_t *pub, const uint8_t *secret, const uint8_t *expanded,
                             size_t expanded_len);

// jose_raw_generate generates a private key.
jose_status jose_raw_generate(jose_key **key, const jose_library *library, jose_curve curve);

// The y of the points of order 8 on edwards25519, little-endian. x may have either sign.
extern const uint8_t jose_ed25519_order_8[2][32];

#endif
