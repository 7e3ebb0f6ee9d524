// key.h: what a key is inside this target.
#ifndef JOSE_KEY_H
#define JOSE_KEY_H

#include <stdatomic.h>

#include "library.h"

// The largest modulus that any limit can allow, in bytes (libcrypto's own bound).
enum { JOSE_LARGEST_MODULUS = 16384 / 8 };

struct jose_key {
    _Atomic unsigned references;
    atomic_flag lent;  // the first context works on pkey itself, further ones on duplicates
    EVP_PKEY *pkey;
    bool is_private;
    uint32_t bits;
    size_t modulus_bytes, exponent_bytes;
    uint8_t numbers[];  // modulus, then exponent, as they were imported
};

// jose_key_adopt makes a key around pkey and takes it over in any case; NULL without memory.
jose_key *jose_key_adopt(EVP_PKEY *pkey, bool is_private, uint32_t bits, const uint8_t *modulus,
                         size_t modulus_len, const uint8_t *exponent, size_t exponent_len);

jose_key *jose_key_retain(jose_key *key);

// jose_key_context returns a context on the key for one thread at a time, or NULL. The first one
// shares the key's own EVP_PKEY, others get a duplicate: two threads in one EVP_PKEY slow each
// other down by its lock.
EVP_PKEY_CTX *jose_key_context(const jose_library *library, jose_key *key);

// jose_key_public_context returns a context on a public key built anew from the numbers.
EVP_PKEY_CTX *jose_key_public_context(const jose_library *library, const jose_key *key);

// jose_rsa_fromdata builds an EVP_PKEY from parameters; NULL on failure.
EVP_PKEY *jose_rsa_fromdata(const jose_library *library, OSSL_PARAM *params, bool is_private);

#endif
