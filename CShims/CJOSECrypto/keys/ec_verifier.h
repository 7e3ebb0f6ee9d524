// ec_verifier.h: verifies ECDSA signatures with a public point, by the fastest calls of libcrypto.
#ifndef JOSE_EC_VERIFIER_H
#define JOSE_EC_VERIFIER_H

#include "key.h"

// jose_ec_verifier_make reads an uncompressed point (SEC 1 section 2.3.3). JOSE_BAD_KEY if
// libcrypto rejects it, JOSE_UNSUPPORTED if it has no such keys, JOSE_INTERNAL if memory runs out
// or the host replaced EC in libcrypto. Free *verifier with jose_ec_verifier_free.
jose_status jose_ec_verifier_make(EC_KEY **verifier, const jose_library *library, jose_curve curve,
                                  const uint8_t *point, size_t len);
void jose_ec_verifier_free(EC_KEY *verifier);

// jose_ecdsa_status maps a verification result of EC_KEY or EVP, and the error queue, to a status.
// 1 is JOSE_OK. 0 is JOSE_REJECTED, and so is -1 with libcrypto's error "point at infinity", which
// the owner of the key can cause. A system failure and any other result are JOSE_INTERNAL.
jose_status jose_ecdsa_status(int right);

// jose_ec_verifier_verify verifies the signature R || S of signature_bytes over a digest. Any
// number of threads may call it. An R or S that is zero or not below the order is JOSE_REJECTED.
jose_status jose_ec_verifier_verify(EC_KEY *verifier, const uint8_t *digest, size_t digest_bytes,
                                    const uint8_t *signature, size_t signature_bytes);

#endif
