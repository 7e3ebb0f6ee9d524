// rsa_fast.c: a public key ready for the fastest way that this processor has.

#include "rsa_fast.h"

#include <openssl/crypto.h>
#include <stdatomic.h>

#include "kernels.h"

// What the first use computes; both NULL where neither can be had.
typedef struct {
    jose_rsa_ifma_key *vector;
    jose_rsa_bn_key *portable;
} ways;

struct jose_rsa_fast {
    _Atomic(ways *) made;  // NULL before the first use, then immutable
    const uint8_t *modulus, *exponent;
    size_t size, exponent_len;
    bool vectors;
};

static void ways_free(ways *made)
{
    if (made == NULL) return;
#if JOSE_KERNELS_X86
    jose_rsa_ifma_key_free(made->vector);
#endif
    jose_rsa_bn_key_free(made->portable);
    OPENSSL_free(made);
}

static void prepare(ways *made, const BIGNUM *n, const BIGNUM *e, bool vectors)
{
#if JOSE_KERNELS_X86
    if (vectors && jose_kernel_usable(JOSE_KERNEL_RSA)) {
        made->vector = jose_rsa_ifma_key_new(n, e);
        if (made->vector != NULL) return;
    }
#else
    (void)vectors;
#endif
    made->portable = jose_rsa_bn_key_new(n, e);
}

static ways *ways_new(const jose_rsa_fast *fast)
{
    ways *made = OPENSSL_zalloc(sizeof *made);
    BIGNUM *n = BN_bin2bn(fast->modulus, (int)fast->size, NULL);
    BIGNUM *e = BN_bin2bn(fast->exponent, (int)fast->exponent_len, NULL);
    if (made != NULL && n != NULL && e != NULL) prepare(made, n, e, fast->vectors);
    BN_free(n);
    BN_free(e);
    return made;
}

// NULL only without memory. Of threads that come at the same time, the first one's work is kept.
static const ways *ways_of(jose_rsa_fast *fast)
{
    ways *known = atomic_load_explicit(&fast->made, memory_order_acquire);
    if (known != NULL) return known;
    ways *made = ways_new(fast);
    if (made == NULL) return NULL;
    if (atomic_compare_exchange_strong_explicit(&fast->made, &known, made, memory_order_acq_rel,
                                                memory_order_acquire))
        return made;
    ways_free(made);
    return known;
}

jose_rsa_fast *jose_rsa_fast_new(const uint8_t *modulus, size_t modulus_len,
                                 const uint8_t *exponent, size_t exponent_len, bool vectors)
{
    if (modulus_len > JOSE_RSA_FAST_MAX_BYTES) return NULL;
    jose_rsa_fast *fast = OPENSSL_malloc(sizeof *fast);
    if (fast == NULL) return NULL;
    atomic_init(&fast->made, NULL);
    fast->modulus = modulus;
    fast->size = modulus_len;
    fast->exponent = exponent;
    fast->exponent_len = exponent_len;
    fast->vectors = vectors;
    return fast;
}

void jose_rsa_fast_free(jose_rsa_fast *fast)
{
    if (fast == NULL) return;
    ways_free(atomic_load_explicit(&fast->made, memory_order_acquire));
    OPENSSL_free(fast);
}

bool jose_rsa_fast_is_made(jose_rsa_fast *fast)
{
    return fast == NULL || atomic_load_explicit(&fast->made, memory_order_acquire) != NULL;
}

const jose_rsa_ifma_key *jose_rsa_fast_vector(jose_rsa_fast *fast)
{
    const ways *made = fast == NULL ? NULL : ways_of(fast);
    return made == NULL || jose_kernel_is_off(JOSE_KERNEL_RSA) ? NULL : made->vector;
}

bool jose_rsa_fast_opens(jose_rsa_fast *fast, jose_rsa_bn_scratch **scratch, uint8_t *opened,
                         const uint8_t *signature)
{
#if JOSE_KERNELS_X86
    const jose_rsa_ifma_key *vector = jose_rsa_fast_vector(fast);
    if (vector != NULL) return jose_rsa_ifma_public_op(vector, opened, signature);
#endif
    const ways *made = ways_of(fast);
    if (made == NULL || made->portable == NULL || scratch == NULL) return false;
    if (*scratch == NULL) *scratch = jose_rsa_bn_scratch_new();
    return *scratch != NULL && jose_rsa_bn_public_op(made->portable, *scratch, opened, signature);
}

bool jose_rsa_fast_accepts(jose_rsa_fast *fast, jose_rsa_bn_scratch **scratch,
                           const uint8_t *block, const uint8_t *signature)
{
    uint8_t opened[JOSE_RSA_FAST_MAX_BYTES];
    return jose_rsa_fast_opens(fast, scratch, opened, signature) &&
           jose_pkcs1_equal(opened, block, fast->size);
}
