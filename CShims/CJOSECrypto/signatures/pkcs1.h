// pkcs1.h: the encoded block of a PKCS#1 v1.5 signature (RFC 8017 section 9.2).
#ifndef JOSE_PKCS1_H
#define JOSE_PKCS1_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum jose_pkcs1_hash {
    JOSE_PKCS1_SHA256,
    JOSE_PKCS1_SHA384,
    JOSE_PKCS1_SHA512,
} jose_pkcs1_hash;

// jose_pkcs1_block writes the one valid block of `size` bytes for a digest. Returns false, and
// writes nothing, if the digest has another length than the hash's or the block does not fit.
bool jose_pkcs1_block(uint8_t *block, size_t size, jose_pkcs1_hash hash, const uint8_t *digest,
                      size_t digest_len);

// jose_pkcs1_equal compares all bytes of two blocks of `size` bytes.
bool jose_pkcs1_equal(const uint8_t *a, const uint8_t *b, size_t size);

#endif
