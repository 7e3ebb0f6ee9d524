// rsa_fast.c: a public key ready for the first way in the order that this processor has.
//
// What goes wrong is held against the smallest thing that it may be: a form, then this key's way.
// Nothing here speaks against a kernel; that is for its known answers alone.

#include "rsa_fast.h"

#include <openssl/crypto.h>

struct jose_rsa_fast {
    _Atomic(jose_rsa_form *) made;     // NULL before the first use and after a drop
    _Atomic(jose_rsa_form *) dropped;  // the latest; threads may still work with them
    atomic_uint differences[JOSE_RSA_IMPLS], damages[JOSE_RSA_IMPLS];
    const uint8_t *modulus, *exponent;
    size_t size, exponent_len;
    bool vectors;
};

// What is left of the early uses of each size.
static _Atomic uint32_t early[JOSE_SELFTEST_SIZES] = {JOSE_RSA_EARLY_USES, JOSE_RSA_EARLY_USES, JOSE_RSA_EARLY_USES};

// MARK: forms

static void form_free(jose_rsa_form *form)
{
    if (form == NULL) return;
    if (form->vector != NULL) form->kernel->key_free(form->vector);
    jose_rsa_bn_key_free(form->portable);
    OPENSSL_free(form);
}

static bool takes(const jose_rsa_fast *fast, int way, const BIGNUM *n, const BIGNUM *e)
{
    if (way < JOSE_RSA_IMPL_BN) return fast->vectors && jose_rsa_kernels[way].takes(n, e);
    return way == JOSE_RSA_IMPL_EVP || jose_rsa_bn_takes(n, e);
}

// EVP is never given up. A kernel is asked its known answers where it was not.
static bool may_use(jose_rsa_fast *fast, int way)
{
    if (way == JOSE_RSA_IMPL_EVP) return true;
    if (atomic_load_explicit(&fast->differences[way], memory_order_relaxed) >= JOSE_RSA_DIFFERENCES ||
        atomic_load_explicit(&fast->damages[way], memory_order_relaxed) >= JOSE_RSA_DAMAGES)
        return false;
    return way == JOSE_RSA_IMPL_BN || jose_kernel_usable_at(jose_rsa_kernels[way].one, fast->size);
}

static bool is_unasked(const jose_rsa_fast *fast, int way)
{
    return way < JOSE_RSA_IMPL_BN && jose_kernel_is_unasked(jose_rsa_kernels[way].one, fast->size);
}

static _Atomic uint32_t *early_uses(const jose_rsa_fast *fast)
{
    return &early[(fast->size - 256) / 128];  // of a size that a kernel takes
}

// The way to go now. *waits: that is until a better one is asked its known answers.
static int choose(jose_rsa_fast *fast, const BIGNUM *n, const BIGNUM *e, bool *waits)
{
    *waits = false;
    for (int way = 0; way < JOSE_RSA_IMPL_EVP; way++) {
        if (!takes(fast, way, n, e)) continue;
        const bool was_unasked = is_unasked(fast, way);
        const bool is_early = was_unasked && atomic_load_explicit(early_uses(fast), memory_order_relaxed) > 0;
        if (!is_early && may_use(fast, way)) return way;
        *waits |= was_unasked && is_unasked(fast, way);  // too early, or no memory to ask
    }
    return JOSE_RSA_IMPL_EVP;
}

// False without memory: what could not be made for that is not given up.
static bool prepare(jose_rsa_fast *fast, jose_rsa_form *form, const BIGNUM *n, const BIGNUM *e)
{
    form->way = choose(fast, n, e, &form->waits);
    if (form->way == JOSE_RSA_IMPL_EVP) return true;
    if (form->way == JOSE_RSA_IMPL_BN) return (form->portable = jose_rsa_bn_key_new(n, e)) != NULL;
    form->kernel = &jose_rsa_kernels[form->way];
    form->size = (uint32_t)BN_num_bytes(n);
    form->e = (uint32_t)BN_get_word(e);
    return (form->vector = form->kernel->key_new(n, e)) != NULL;
}

static jose_rsa_form *form_new(jose_rsa_fast *fast)
{
    jose_rsa_form *form = OPENSSL_zalloc(sizeof *form);
    BIGNUM *n = BN_bin2bn(fast->modulus, (int)fast->size, NULL);
    BIGNUM *e = BN_bin2bn(fast->exponent, (int)fast->exponent_len, NULL);
    if (form != NULL && (n == NULL || e == NULL || !prepare(fast, form, n, e))) {
        form_free(form);
        form = NULL;
    }
    BN_free(n);
    BN_free(e);
    return form;
}

static bool is_off(const jose_rsa_form *form)
{
    return form->kernel != NULL && jose_kernel_is_off(form->kernel->one);
}

// Puts another form, or none, in the place of this one, which is kept; true for the one call that did.
static bool replace(jose_rsa_fast *fast, const jose_rsa_form *form, jose_rsa_form *next)
{
    jose_rsa_form *used = (jose_rsa_form *)form;
    if (!atomic_compare_exchange_strong_explicit(&fast->made, &used, next, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return false;
    used->older = atomic_load_explicit(&fast->dropped, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&fast->dropped, &used->older, used,
                                                  memory_order_release, memory_order_relaxed)) {}
    return true;
}

// Chooses again for a form that waited; returns the form to work with from now on. Without memory
// to ask a kernel, it goes on waiting.
static const jose_rsa_form *review(jose_rsa_fast *fast, const jose_rsa_form *form)
{
    jose_rsa_form *next = form_new(fast);
    if (next != NULL && (next->way != form->way || !next->waits) && replace(fast, form, next)) return next;
    form_free(next);
    return form;
}

// MARK: the contract

jose_rsa_fast *jose_rsa_fast_new(const uint8_t *modulus, size_t modulus_len, const uint8_t *exponent,
                                 size_t exponent_len, bool vectors)
{
    if (modulus_len > JOSE_RSA_FAST_MAX_BYTES) return NULL;
    jose_rsa_fast *fast = OPENSSL_zalloc(sizeof *fast);
    if (fast == NULL) return NULL;
    atomic_init(&fast->made, NULL);
    atomic_init(&fast->dropped, NULL);
    for (int way = 0; way < JOSE_RSA_IMPLS; way++) {
        atomic_init(&fast->differences[way], 0);
        atomic_init(&fast->damages[way], 0);
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
    form_free(atomic_load_explicit(&fast->made, memory_order_acquire));
    jose_rsa_form *next, *form = atomic_load_explicit(&fast->dropped, memory_order_acquire);
    for (; form != NULL; form = next) {
        next = form->older;
        form_free(form);
    }
    OPENSSL_free(fast);
}

// False where the form waited and the early uses are over.
static bool count_use(const jose_rsa_fast *fast, const jose_rsa_form *form)
{
    if (!form->waits) return true;
    const uint32_t left = atomic_load_explicit(early_uses(fast), memory_order_relaxed);
    if (left == 0) return false;
    atomic_store_explicit(early_uses(fast), left - 1, memory_order_relaxed);
    return true;
}

const jose_rsa_form *jose_rsa_fast_ready(jose_rsa_fast *fast)
{
    const jose_rsa_form *form = atomic_load_explicit(&fast->made, memory_order_acquire);
    return form != NULL && !is_off(form) && count_use(fast, form) ? form : NULL;
}

// Of threads that come at the same time, the first one's work is kept.
const jose_rsa_form *jose_rsa_fast_form(jose_rsa_fast *fast)
{
    if (fast == NULL) return NULL;
    const jose_rsa_form *ready = jose_rsa_fast_ready(fast);
    if (ready != NULL) return ready;
    jose_rsa_form *known = atomic_load_explicit(&fast->made, memory_order_acquire);
    if (known != NULL && !is_off(known)) return known->waits ? review(fast, known) : known;
    if (known != NULL) replace(fast, known, NULL);
    jose_rsa_form *form = form_new(fast);
    if (form == NULL) return NULL;
    (void)count_use(fast, form);  // a first use is one too: a key may have no other
    known = NULL;
    if (atomic_compare_exchange_strong_explicit(&fast->made, &known, form, memory_order_acq_rel,
                                                memory_order_acquire))
        return form;
    form_free(form);
    return known;
}

static jose_rsa_outcome open(const jose_rsa_form *form, jose_rsa_bn_scratch **scratch,
                             uint8_t *opened, const uint8_t *signature)
{
    if (form->kernel != NULL) return form->kernel->run(form->vector, opened, signature);
    if (form->portable == NULL || scratch == NULL) return JOSE_RSA_DECLINED;
    if (*scratch == NULL) *scratch = jose_rsa_bn_scratch_new();
    if (*scratch == NULL) return JOSE_RSA_DECLINED;
    return jose_rsa_bn_run(form->portable, *scratch, opened, signature);
}

jose_rsa_outcome jose_rsa_fast_opens(jose_rsa_fast *fast, const jose_rsa_form *form,
                                     jose_rsa_bn_scratch **scratch, uint8_t *opened,
                                     const uint8_t *signature)
{
    if (form == NULL) return JOSE_RSA_DECLINED;
    const jose_rsa_outcome outcome = open(form, scratch, opened, signature);
    if (outcome == JOSE_RSA_DAMAGED) jose_rsa_fast_damaged(fast, form);
    return outcome;
}

void jose_rsa_fast_damaged(jose_rsa_fast *fast, const jose_rsa_form *form)
{
    if (replace(fast, form, NULL)) atomic_fetch_add(&fast->damages[form->way], 1);
}

void jose_rsa_fast_differs(jose_rsa_fast *fast, const jose_rsa_form *form)
{
    if (replace(fast, form, NULL) &&
        atomic_fetch_add(&fast->differences[form->way], 1) + 1 == JOSE_RSA_DIFFERENCES &&
        form->kernel != NULL)
        jose_kernel_doubt(form->kernel->one | form->kernel->together);
}
