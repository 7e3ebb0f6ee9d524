// rsa_bn.h: RSA public operations by OpenSSL's Montgomery functions, on every processor.
#ifndef JOSE_RSA_BN_H
#define JOSE_RSA_BN_H

#include "cjosekernels.h"

// The portable implementation. A signature that it does not accept is checked again
// (signature_rsa.c). A key is immutable and shared; a scratch belongs to one thread at a time.
typedef struct jose_rsa_bn_key jose_rsa_bn_key;
typedef struct jose_rsa_bn_scratch jose_rsa_bn_scratch;

// jose_rsa_bn_accepts returns whether this implementation accepts a key: an odd modulus of 1024
// bits or more, and an odd exponent from 3 to 2^32 - 1.
bool jose_rsa_bn_accepts(const BIGNUM *n, const BIGNUM *e);

// jose_rsa_bn_key_new returns NULL if the key is not accepted or memory runs out.
jose_rsa_bn_key *jose_rsa_bn_key_new(const BIGNUM *n, const BIGNUM *e);
void jose_rsa_bn_key_free(jose_rsa_bn_key *key);
jose_rsa_bn_scratch *jose_rsa_bn_scratch_new(void);
void jose_rsa_bn_scratch_free(jose_rsa_bn_scratch *scratch);

// jose_rsa_bn_run computes out = in^e mod n, big-endian, as long as the modulus. Returns
// JOSE_RSA_DECLINED, with out not written, if in is not below n or OpenSSL fails. Returns
// JOSE_RSA_CORRUPTED if the result is not below n. For public data only.
jose_rsa_outcome jose_rsa_bn_run(const jose_rsa_bn_key *key, jose_rsa_bn_scratch *scratch,
                                 uint8_t *out, const uint8_t *in);

#endif
