// rsa_fast.h: a public key prepared for the fastest way that this processor has.
#ifndef JOSE_RSA_FAST_H
#define JOSE_RSA_FAST_H

#include "rsa_kernel.h"

// The largest modulus that is worth the trouble: 8192 bits.
enum { JOSE_RSA_FAST_MAX_BYTES = 1024 };

// A prepared public key; immutable once made.
typedef struct jose_rsa_fast jose_rsa_fast;

// jose_rsa_fast_new prepares a key from its numbers, big endian; `vectors` allows the vector kernel,
// otherwise it is OpenSSL's Montgomery functions. NULL where neither can be had: use EVP.
jose_rsa_fast *jose_rsa_fast_new(const uint8_t *modulus, size_t modulus_len,
                                 const uint8_t *exponent, size_t exponent_len, bool vectors);
void jose_rsa_fast_free(jose_rsa_fast *fast);

// jose_rsa_fast_vector returns the key of the vector kernel, or NULL.
const jose_rsa_ifma_key *jose_rsa_fast_vector(const jose_rsa_fast *fast);

// jose_rsa_fast_accepts says whether the signature opens to exactly this block; both are as long as
// the modulus. False says nothing: ask EVP. *scratch is NULL at first, belongs to one thread at a
// time and is freed by jose_rsa_bn_scratch_free; a key of the vector kernel needs none.
bool jose_rsa_fast_accepts(const jose_rsa_fast *fast, jose_rsa_bn_scratch **scratch,
                           const uint8_t *block, const uint8_t *signature);

#endif
