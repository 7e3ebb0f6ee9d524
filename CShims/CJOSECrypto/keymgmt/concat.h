// concat.h: the Concat KDF of ECDH-ES (RFC 7518 section 4.6.2).
#ifndef JOSE_CONCAT_H
#define JOSE_CONCAT_H

#include "runtime/library.h"

// jose_concat_derive writes out_len bytes, at most 64, derived from the shared secret. algorithm is
// the name of the algorithm that uses the key. Returns false on failure.
bool jose_concat_derive(const jose_library *library, jose_options options, uint8_t *out,
                        size_t out_len, const uint8_t *secret, size_t secret_len,
                        const char *algorithm, const jose_recipient *recipient);

#endif
