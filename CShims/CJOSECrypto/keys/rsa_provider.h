// rsa_provider.h: EVP as one of the ways of computing RSA public operations.
#ifndef JOSE_RSA_PROVIDER_H
#define JOSE_RSA_PROVIDER_H

#include "kernels/rsa_race.h"

extern const jose_rsa_provider jose_rsa_evp;

#endif
