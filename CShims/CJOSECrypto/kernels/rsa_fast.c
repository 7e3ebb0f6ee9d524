// rsa_fast.c: a public key prepared for the fastest way that this processor has.

#include "rsa_fast.h"

#include <openssl/crypto.h>

#include "kernels.h"

struct jose_rsa_fast {
    jose_rsa_ifma_key *vector;  // or NULL
    jose_rsa_bn_key *portable;  // where vector is NULL
    size_t size;
};

static bool prepare(jose_rsa_fast *fast, const BIGNUM *n, const BIGNUM *e, bool vectors)
{
#if JOSE_KERNELS_X86
    if (vectors && jose_kernel_usable(JOSE_KERNEL_RSA)) {
        fast->vector = jose_rsa_ifma_key_new(n, e);
        if (fast->vector != NULL) return true;
    }
#else
    (void)vectors;
#endif
    fast->portable = jose_rsa_bn_key_new(n, e);
    return fast->portable != NULL;
}

jose_rsa_fast *jose_rsa_fast_new(const uint8_t *modulus, size_t modulus_len,
                                 const uint8_t *exponent, size_t exponent_len, bool vectors)
{
    if (modulus_len > JOSE_RSA_FAST_MAX_BYTES) return NULL;
    jose_rsa_fast *fast = OPENSSL_zalloc(sizeof *fast);
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_len, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_len, NULL);
    bool done = fast != NULL && n != NULL && e != NULL && prepare(fast, n, e, vectors);
    BN_free(n);
    BN_free(e);
    if (!done) {
        jose_rsa_fast_free(fast);
        return NULL;
    }
    fast->size = modulus_len;
    return fast;
}

void jose_rsa_fast_free(jose_rsa_fast *fast)
{
    if (fast == NULL) return;
#if JOSE_KERNELS_X86
    jose_rsa_ifma_key_free(fast->vector);
#endif
    jose_rsa_bn_key_free(fast->portable);
    OPENSSL_free(fast);
}

const jose_rsa_ifma_key *jose_rsa_fast_vector(const jose_rsa_fast *fast)
{
    return fast == NULL ? NULL : fast->vector;
}

static bool opens(const jose_rsa_fast *fast, jose_rsa_bn_scratch **scratch, uint8_t *opened,
                  const uint8_t *signature)
{
#if JOSE_KERNELS_X86
    if (fast->vector != NULL) return jose_rsa_ifma_public_op(fast->vector, opened, signature);
#endif
    if (fast->portable == NULL || scratch == NULL) return false;
    if (*scratch == NULL) *scratch = jose_rsa_bn_scratch_new();
    return *scratch != NULL && jose_rsa_bn_public_op(fast->portable, *scratch, opened, signature);
}

bool jose_rsa_fast_accepts(const jose_rsa_fast *fast, jose_rsa_bn_scratch **scratch,
                           const uint8_t *block, const uint8_t *signature)
{
    uint8_t opened[JOSE_RSA_FAST_MAX_BYTES];
    return opens(fast, scratch, opened, signature) &&
           jose_pkcs1_equal(opened, block, fast->size);
}
