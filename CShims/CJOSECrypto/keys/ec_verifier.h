// ec_verifier.h: a public point that verifies ECDSA signatures, by the fastest calls libcrypto offers.
#ifndef JOSE_EC_VERIFIER_H
#define JOSE_EC_VERIFIER_H

#include "key.h"

// jose_ec_verifier_make reads an uncompressed point (SEC 1 section 2.3.3). JOSE_BAD_KEY where libcrypto rejects it,
// JOSE_UNSUPPORTED where it has no such keys, JOSE_INTERNAL without memory or where the host replaced this part of it.
jose_status jose_ec_verifier_make(EC_KEY **verifier, const jose_library *library, jose_curve curve,
                                  const uint8_t *point, size_t len);
void jose_ec_verifier_free(EC_KEY *verifier);

// jose_ecdsa_status reads libcrypto's answer, by EC_KEY and by EVP, and its error queue. 0 is a rejection. -1 is the machine's
// failure, and the answer to a signature whose two products add up to no point: whoever has the key can make one.
jose_status jose_ecdsa_status(int right);

// jose_ec_verifier_verify judges R || S, each half of signature_bytes, over a digest; from any number of threads at once.
// JOSE_REJECTED for zeros and numbers beyond the order too.
jose_status jose_ec_verifier_verify(EC_KEY *verifier, const uint8_t *digest, size_t digest_bytes,
                                   const uint8_t *signature, size_t signature_bytes);

#endif
