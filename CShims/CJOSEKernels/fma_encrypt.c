// fma_encrypt.c: the public operation by doubles on a message that is secret.

#include "kernels.h"
#include "cjosekernels.h"

#if JOSE_KERNELS_X86

jose_rsa_outcome jose_rsa_fma_encrypt(const jose_rsa_fma_key *key, uint8_t *out, const uint8_t *in)
{
    const jose_rsa_outcome outcome = jose_rsa_fma_run(key, out, in);
    jose_residue_clear(JOSE_RESIDUE_DOUBLES);
    return outcome;
}

#endif
