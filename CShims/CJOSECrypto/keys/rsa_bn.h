// rsa_bn.h: RSA public operations by OpenSSL's Montgomery functions, for every processor and size.
#ifndef JOSE_RSA_BN_H
#define JOSE_RSA_BN_H

#include "cjosekernels.h"

// The portable path: the same operation by OpenSSL's Montgomery functions, any odd modulus. The
// library still verifies with EVP whatever this one rejects. A key is immutable and shared; a
// scratch belongs to one thread at a time.
typedef struct jose_rsa_bn_key jose_rsa_bn_key;
typedef struct jose_rsa_bn_scratch jose_rsa_bn_scratch;

// jose_rsa_bn_takes says whether this path is for such a key: an odd modulus of 1024 bits or more,
// an exponent as above.
bool jose_rsa_bn_takes(const BIGNUM *n, const BIGNUM *e);

// jose_rsa_bn_key_new returns NULL for a key that is not taken, or without memory.
jose_rsa_bn_key *jose_rsa_bn_key_new(const BIGNUM *n, const BIGNUM *e);
void jose_rsa_bn_key_free(jose_rsa_bn_key *key);
jose_rsa_bn_scratch *jose_rsa_bn_scratch_new(void);
void jose_rsa_bn_scratch_free(jose_rsa_bn_scratch *scratch);

// jose_rsa_bn_run computes out = in^e mod n, big endian, as long as the modulus. Declined where in
// is not below n or OpenSSL fails, and `out` is then not written. For public data only.
jose_rsa_outcome jose_rsa_bn_run(const jose_rsa_bn_key *key, jose_rsa_bn_scratch *scratch,
                                 uint8_t *out, const uint8_t *in);

#endif
