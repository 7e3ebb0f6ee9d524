// ifma_encrypt.c: the public operation on a message that is secret.

#include "kernels.h"
#include "cjosekernels.h"

#if JOSE_KERNELS_X86

jose_rsa_outcome jose_rsa_ifma_encrypt(const jose_rsa_ifma_key *key, uint8_t *out, const uint8_t *in)
{
    const jose_rsa_outcome outcome = jose_rsa_ifma_run(key, out, in);
    jose_residue_clear(JOSE_RESIDUE_RSA);
    return outcome;
}

#endif
