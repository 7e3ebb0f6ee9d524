// ifma_encrypt.c: the public operation on a message that is secret.

#include "kernels.h"
#include "residue.h"

#if JOSE_KERNELS_X86

bool jose_rsa_ifma_encrypt(const jose_rsa_ifma_key *key, uint8_t *out, const uint8_t *in)
{
    const bool done = jose_rsa_ifma_public_op(key, out, in);
    jose_residue_clear(JOSE_RESIDUE_RSA);
    return done;
}

#endif
