// rsa_fast.h: a public key ready for the fastest way that this processor has.
#ifndef JOSE_RSA_FAST_H
#define JOSE_RSA_FAST_H

#include "rsa_kernel.h"

// The largest modulus that is worth the trouble: 8192 bits.
enum { JOSE_RSA_FAST_MAX_BYTES = 1024 };

// A public key's numbers, and what a kernel wants computed from them once. That is done at the first
// use, as libcrypto does it: a key that is only looked at costs nothing. Threads may share it.
typedef struct jose_rsa_fast jose_rsa_fast;

// jose_rsa_fast_new keeps the numbers, big endian, which must outlive it; `vectors` allows the vector
// kernel, otherwise it is OpenSSL's Montgomery functions. NULL without memory or for a larger modulus.
jose_rsa_fast *jose_rsa_fast_new(const uint8_t *modulus, size_t modulus_len,
                                 const uint8_t *exponent, size_t exponent_len, bool vectors);
void jose_rsa_fast_free(jose_rsa_fast *fast);

// jose_rsa_fast_is_made says whether the first use has been: before it, the functions below call
// OpenSSL's BN functions, which may leave entries in the error queue.
bool jose_rsa_fast_is_made(jose_rsa_fast *fast);

// jose_rsa_fast_vector returns the key of the vector kernel, or NULL, as when it was switched off.
const jose_rsa_ifma_key *jose_rsa_fast_vector(jose_rsa_fast *fast);

// jose_rsa_fast_opens computes the block that the signature holds, as long as the modulus. False says
// nothing: ask EVP. scratch is as below.
bool jose_rsa_fast_opens(jose_rsa_fast *fast, jose_rsa_bn_scratch **scratch, uint8_t *opened,
                         const uint8_t *signature);

// jose_rsa_fast_accepts says whether the signature opens to exactly this block; both are as long as
// the modulus. False says nothing: ask EVP. *scratch is NULL at first, belongs to one thread at a
// time and is freed by jose_rsa_bn_scratch_free; a key of the vector kernel needs none.
bool jose_rsa_fast_accepts(jose_rsa_fast *fast, jose_rsa_bn_scratch **scratch,
                           const uint8_t *block, const uint8_t *signature);

#endif
