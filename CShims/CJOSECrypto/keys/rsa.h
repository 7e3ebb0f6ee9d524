// rsa.h: imports RSA numbers into libcrypto, and checks them.
#ifndef JOSE_RSA_H
#define JOSE_RSA_H

#include <openssl/bn.h>
#include <openssl/params.h>

#include "key.h"

// A public key's numbers in native byte order, with the parameters that point to them.
typedef struct {
    uint64_t modulus[JOSE_MAX_MODULUS / 8];  // lowest word first; only `words` of them are set
    size_t words;
    uint64_t exponent;
    OSSL_PARAM params[3];
} jose_rsa_numbers;

// jose_rsa_public_numbers fills numbers. n has 1 to JOSE_MAX_MODULUS bytes, e 1 to 8.
void jose_rsa_public_numbers(jose_rsa_numbers *numbers, jose_number n, jose_number e);

// jose_rsa_fromdata builds an EVP_PKEY from parameters, or returns NULL.
EVP_PKEY *jose_rsa_fromdata(const jose_library *library, OSSL_PARAM *params, bool is_private);

// jose_rsa_adopt is jose_key_adopt for RSA.
jose_key *jose_rsa_adopt(const jose_library *library, EVP_PKEY *pkey, bool is_private,
                         uint32_t bits, jose_number n,
                         jose_number e);

// jose_rsa_bytes returns the size of the modulus in bytes.
static inline size_t jose_rsa_bytes(const jose_key *key)
{
    return key->number_bytes[0];
}

// jose_rsa_read_public checks numbers by the rules of jose_rsa_public, and fills the outputs.
jose_status jose_rsa_read_public(jose_rsa_numbers *numbers, uint32_t *bits,
                                 const jose_rsa_limits *limits, jose_number n, jose_number e);

// jose_rsa_open_by_evp writes block = signature^e mod n. Block and signature have jose_rsa_bytes.
// Returns false if EVP fails or the signature is not below n. Call it inside JOSE_HOST_SCOPE.
bool jose_rsa_open_by_evp(const jose_library *library, const jose_key *key, uint8_t *block,
                          const uint8_t *signature);

// jose_rsa_is_weak returns whether a prime below 752 divides the odd modulus, or the modulus has
// the ROCA fingerprint: modulo every odd prime up to 167 it is a power of 65537. All keys of
// CVE-2017-15361 have the fingerprint; others have it with negligible probability. Call
// jose_rsa_factors_ready first, which must return true.
bool jose_rsa_is_weak(const uint64_t *modulus, size_t words);
bool jose_rsa_factors_ready(void);

// The numbers of a private key: n, e and the parts, indexed by jose_rsa_part.
typedef struct {
    BIGNUM *n, *e, *part[JOSE_RSA_PARTS];
} jose_rsa_private_numbers;

// jose_rsa_check_composite returns JOSE_BAD_KEY for an n that shares a factor with 2^n - 2: primes,
// powers of primes and hardly any others. For such an n, jose_rsa_recover and an old FIPS provider
// would take longest. n is odd and large.
jose_status jose_rsa_check_composite(const BIGNUM *n, BN_CTX *scratch);

// jose_rsa_recover computes p, q, dp, dq and qi from n, e and d.
jose_status jose_rsa_recover(jose_rsa_private_numbers *key, BN_CTX *scratch);

// jose_rsa_check_private checks that pq = n and that d, dp, dq and qi are consistent.
jose_status jose_rsa_check_private(const jose_rsa_private_numbers *key, BN_CTX *scratch);

// jose_rsa_copy_private makes the same private key for another library.
jose_status jose_rsa_copy_private(jose_key **made, const jose_library *library,
                                  const jose_key *key);

#endif
