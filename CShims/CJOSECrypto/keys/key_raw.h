// key_raw.h: keys whose public part is one string of bytes: OKP (RFC 8037 section 2) and AKP
// (RFC 9964 section 3).
#ifndef JOSE_KEY_RAW_H
#define JOSE_KEY_RAW_H

#include "curve.h"

// jose_raw_public makes a public key of checked bytes.
jose_status jose_raw_public(jose_key **key, const jose_library *library, jose_curve curve,
                            const uint8_t *pub);

// jose_raw_private makes a private key. pub and expanded may be NULL; else they must be what the
// secret leads to, or the answer is JOSE_BAD_KEY.
jose_status jose_raw_private(jose_key **key, const jose_library *library, jose_curve curve,
                             const uint8_t *pub, const uint8_t *secret, const uint8_t *expanded,
                             size_t expanded_len);

// jose_raw_generate makes a fresh private key: every string of random bytes of its size is one.
jose_status jose_raw_generate(jose_key **key, const jose_library *library, jose_curve curve);

#endif
