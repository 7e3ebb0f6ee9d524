// signature_rsa.h: what the two RSA families share.
#ifndef JOSE_SIGNATURE_RSA_H
#define JOSE_SIGNATURE_RSA_H

#include "signature.h"

// jose_signature_rsa_accelerate makes operation->fast. A signer has it too, to look at what it
// signed: on numbers held apart from the key.
void jose_signature_rsa_accelerate(jose_signature *operation);

// jose_signature_rsa_vector returns the vector kernel's key, or NULL. Its first use may be outside
// of jose_host_enter.
const jose_rsa_ifma_key *jose_signature_rsa_vector(const jose_signature *operation);

// jose_signature_rsa_overruled: EVP accepted what the vector kernel did not. The kernel, or the
// memory it works on, is not sound.
void jose_signature_rsa_overruled(const jose_signature *operation);

#endif
