// rsa_fast.c: a public key prepared for the most preferred implementation that it can use.
//
// An error is attributed to the smallest possible cause: precomputed constants first, then this
// key's implementation. An error switches a kernel off only if a known-answer test then fails.

#include "rsa_fast.h"

#include <openssl/crypto.h>

struct jose_rsa_fast {
    _Atomic(jose_rsa_precomp *) made;     // NULL before the first use and after a drop
    _Atomic(jose_rsa_precomp *) dropped;  // a list; threads may still use them
    atomic_uint differences[JOSE_RSA_IMPLS], corruptions[JOSE_RSA_IMPLS];
    const uint8_t *modulus, *exponent;
    size_t size, exponent_len;
    bool vectors;
};

// How many early uses (rsa_fast.h) of each modulus size remain.
static _Atomic uint32_t early[JOSE_SELFTEST_SIZES] = {JOSE_RSA_EARLY_USES, JOSE_RSA_EARLY_USES,
                                                      JOSE_RSA_EARLY_USES};

// MARK: precomputed constants

static void precomp_free(jose_rsa_precomp *precomp)
{
    if (precomp == NULL) return;
    if (precomp->vector != NULL) precomp->kernel->key_free(precomp->vector);
    jose_rsa_bn_key_free(precomp->portable);
    OPENSSL_free(precomp);
}

static bool takes(const jose_rsa_fast *fast, int impl, const BIGNUM *n, const BIGNUM *e)
{
    if (impl < JOSE_RSA_IMPL_BN) return fast->vectors && jose_rsa_kernels[impl].takes(n, e);
    return impl == JOSE_RSA_IMPL_EVP || jose_rsa_bn_accepts(n, e);
}

// Whether the key may use the implementation. Tests an untested kernel. EVP is never disabled.
static bool may_use(jose_rsa_fast *fast, int impl)
{
    if (impl == JOSE_RSA_IMPL_EVP) return true;
    if (atomic_load_explicit(&fast->differences[impl], memory_order_relaxed) >=
            JOSE_RSA_MAX_DIFFERENCES ||
        atomic_load_explicit(&fast->corruptions[impl], memory_order_relaxed) >=
            JOSE_RSA_MAX_CORRUPTIONS)
        return false;
    return impl == JOSE_RSA_IMPL_BN ||
           jose_kernel_usable_at(jose_rsa_kernels[impl].one, fast->size);
}

static bool is_untested(const jose_rsa_fast *fast, int impl)
{
    return impl < JOSE_RSA_IMPL_BN &&
           jose_kernel_is_untested(jose_rsa_kernels[impl].one, fast->size);
}

static _Atomic uint32_t *early_uses(const jose_rsa_fast *fast)
{
    return &early[(fast->size - 256) / 128];  // 256, 384 or 512 bytes: a kernel accepts the key
}

// *waits is set if a more preferred implementation has yet to be tested.
static int choose(jose_rsa_fast *fast, const BIGNUM *n, const BIGNUM *e, bool *waits)
{
    *waits = false;
    for (int impl = 0; impl < JOSE_RSA_IMPL_EVP; impl++) {
        if (!takes(fast, impl, n, e)) continue;
        const bool was_untested = is_untested(fast, impl);
        const bool is_early =
            was_untested && atomic_load_explicit(early_uses(fast), memory_order_relaxed) > 0;
        if (!is_early && may_use(fast, impl)) return impl;
        // Too early, or not enough memory to test. A later use selects again.
        *waits |= was_untested && !jose_kernel_is_off(jose_rsa_kernels[impl].one);
    }
    return JOSE_RSA_IMPL_EVP;
}

// Returns false if memory runs out; that disables no implementation.
static bool prepare(jose_rsa_fast *fast, jose_rsa_precomp *precomp, const BIGNUM *n,
                    const BIGNUM *e)
{
    precomp->impl = choose(fast, n, e, &precomp->waits);
    if (precomp->impl == JOSE_RSA_IMPL_EVP) return true;
    if (precomp->impl == JOSE_RSA_IMPL_BN)
        return (precomp->portable = jose_rsa_bn_key_new(n, e)) != NULL;
    precomp->kernel = &jose_rsa_kernels[precomp->impl];
    precomp->size = (uint32_t)BN_num_bytes(n);
    precomp->e = (uint32_t)BN_get_word(e);
    return (precomp->vector = precomp->kernel->key_new(n, e)) != NULL;
}

static jose_rsa_precomp *precomp_new(jose_rsa_fast *fast)
{
    jose_rsa_precomp *precomp = OPENSSL_zalloc(sizeof *precomp);
    BIGNUM *n = BN_bin2bn(fast->modulus, (int)fast->size, NULL);
    BIGNUM *e = BN_bin2bn(fast->exponent, (int)fast->exponent_len, NULL);
    if (precomp != NULL && (n == NULL || e == NULL || !prepare(fast, precomp, n, e))) {
        precomp_free(precomp);
        precomp = NULL;
    }
    BN_free(n);
    BN_free(e);
    return precomp;
}

static bool is_off(const jose_rsa_precomp *precomp)
{
    return precomp->kernel != NULL && jose_kernel_is_off(precomp->kernel->one);
}

// The old constants stay until the key is freed; `next` may be NULL. Of several threads that
// replace the same constants, one gets true.
static bool replace(jose_rsa_fast *fast, const jose_rsa_precomp *precomp, jose_rsa_precomp *next)
{
    jose_rsa_precomp *old = (jose_rsa_precomp *)precomp;
    if (!atomic_compare_exchange_strong_explicit(&fast->made, &old, next, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return false;
    old->older = atomic_load_explicit(&fast->dropped, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&fast->dropped, &old->older, old,
                                                  memory_order_release, memory_order_relaxed)) {}
    return true;
}

// Selects the implementation again. Without memory to test a kernel, the old constants stay.
static const jose_rsa_precomp *review(jose_rsa_fast *fast, const jose_rsa_precomp *precomp)
{
    jose_rsa_precomp *next = precomp_new(fast);
    if (next != NULL && (next->impl != precomp->impl || !next->waits) &&
        replace(fast, precomp, next))
        return next;
    precomp_free(next);
    return precomp;
}

// MARK: public functions

jose_rsa_fast *jose_rsa_fast_new(const uint8_t *modulus, size_t modulus_len,
                                 const uint8_t *exponent, size_t exponent_len, bool vectors)
{
    if (modulus_len > JOSE_RSA_FAST_MAX_BYTES) return NULL;
    jose_rsa_fast *fast = OPENSSL_zalloc(sizeof *fast);
    if (fast == NULL) return NULL;
    atomic_init(&fast->made, NULL);
    atomic_init(&fast->dropped, NULL);
    for (int impl = 0; impl < JOSE_RSA_IMPLS; impl++) {
        atomic_init(&fast->differences[impl], 0);
        atomic_init(&fast->corruptions[impl], 0);
    }
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
    precomp_free(atomic_load_explicit(&fast->made, memory_order_acquire));
    jose_rsa_precomp *next, *precomp = atomic_load_explicit(&fast->dropped, memory_order_acquire);
    for (; precomp != NULL; precomp = next) {
        next = precomp->older;
        precomp_free(precomp);
    }
    OPENSSL_free(fast);
}

// Returns false if no early use remains: a more preferred kernel must then be tested.
static bool count_use(const jose_rsa_fast *fast, const jose_rsa_precomp *precomp)
{
    if (!precomp->waits) return true;
    const uint32_t left = atomic_load_explicit(early_uses(fast), memory_order_relaxed);
    if (left == 0) return false;
    atomic_store_explicit(early_uses(fast), left - 1, memory_order_relaxed);
    return true;
}

const jose_rsa_precomp *jose_rsa_fast_ready(jose_rsa_fast *fast)
{
    const jose_rsa_precomp *precomp = atomic_load_explicit(&fast->made, memory_order_acquire);
    return precomp != NULL && !is_off(precomp) && count_use(fast, precomp) ? precomp : NULL;
}

// If threads arrive together, the first result is kept.
const jose_rsa_precomp *jose_rsa_fast_precomp(jose_rsa_fast *fast)
{
    if (fast == NULL) return NULL;
    const jose_rsa_precomp *ready = jose_rsa_fast_ready(fast);
    if (ready != NULL) return ready;
    jose_rsa_precomp *found = atomic_load_explicit(&fast->made, memory_order_acquire);
    if (found != NULL && !is_off(found)) return found->waits ? review(fast, found) : found;
    if (found != NULL) replace(fast, found, NULL);
    jose_rsa_precomp *precomp = precomp_new(fast);
    if (precomp == NULL) return NULL;
    (void)count_use(fast, precomp);  // the first use counts too: a key may have no other
    found = NULL;
    if (atomic_compare_exchange_strong_explicit(&fast->made, &found, precomp, memory_order_acq_rel,
                                                memory_order_acquire))
        return precomp;
    precomp_free(precomp);
    return found;
}

static jose_rsa_outcome compute(const jose_rsa_precomp *precomp, jose_rsa_bn_scratch **scratch,
                                uint8_t *block, const uint8_t *signature)
{
    if (precomp->kernel != NULL) return precomp->kernel->run(precomp->vector, block, signature);
    if (precomp->portable == NULL || scratch == NULL) return JOSE_RSA_DECLINED;
    if (*scratch == NULL) *scratch = jose_rsa_bn_scratch_new();
    if (*scratch == NULL) return JOSE_RSA_DECLINED;
    return jose_rsa_bn_run(precomp->portable, *scratch, block, signature);
}

jose_rsa_outcome jose_rsa_fast_open(jose_rsa_fast *fast, const jose_rsa_precomp *precomp,
                                    jose_rsa_bn_scratch **scratch, uint8_t *block,
                                    const uint8_t *signature)
{
    if (precomp == NULL) return JOSE_RSA_DECLINED;
    const jose_rsa_outcome outcome = compute(precomp, scratch, block, signature);
    if (outcome == JOSE_RSA_CORRUPTED) jose_rsa_fast_report_corruption(fast, precomp);
    return outcome;
}

void jose_rsa_fast_report_corruption(jose_rsa_fast *fast, const jose_rsa_precomp *precomp)
{
    if (replace(fast, precomp, NULL)) atomic_fetch_add(&fast->corruptions[precomp->impl], 1);
}

void jose_rsa_fast_report_mismatch(jose_rsa_fast *fast, const jose_rsa_precomp *precomp)
{
    if (replace(fast, precomp, NULL) &&
        atomic_fetch_add(&fast->differences[precomp->impl], 1) + 1 == JOSE_RSA_MAX_DIFFERENCES &&
        precomp->kernel != NULL)
        jose_kernel_retest(precomp->kernel->one | precomp->kernel->together);
}
