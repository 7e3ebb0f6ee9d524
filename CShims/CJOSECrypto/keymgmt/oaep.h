// oaep.h: RSAES-OAEP encoding (RFC 8017 section 7.1) of keys of known length.
#ifndef JOSE_OAEP_H
#define JOSE_OAEP_H

#include "runtime/digest.h"

// jose_oaep_fits returns whether a key of this length fits a modulus of this size.
bool jose_oaep_fits(const jose_digest_entry *digest, size_t modulus_len, size_t key_len);

// jose_oaep_encode writes the encoded message, modulus_len bytes. seed has digest->bytes random
// bytes, empty_hash is the digest of the empty label.
void jose_oaep_encode(const jose_digest_entry *digest, const uint8_t *empty_hash,
                      uint8_t *encoded, size_t modulus_len, const uint8_t *key, size_t key_len,
                      const uint8_t *seed);

// jose_oaep_decode removes the masks in the buffer `encoded`. Returns 0xff if this is the encoding
// of a key of exactly key_len bytes, which is then at the end of the buffer, else zero. It runs in
// constant time, so the reason of a failure cannot be observed.
uint8_t jose_oaep_decode(const jose_digest_entry *digest, const uint8_t *empty_hash,
                         uint8_t *encoded, size_t modulus_len, size_t key_len);

#endif
