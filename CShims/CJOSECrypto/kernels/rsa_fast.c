// rsa_fast.c: a public key ready for the fastest way that this processor has.
//
// What goes wrong is held against the smallest thing that it may be: a form, then this key's way.
// Nothing here speaks against a kernel; that is for its known answers alone.

#include "rsa_fast.h"

#include <openssl/crypto.h>
#include <stdatomic.h>

#include "kernels.h"

// The ways: the vector kernels in their order, then OpenSSL's functions.
enum { PORTABLE = JOSE_RSA_KERNELS,
       WAYS };

struct jose_rsa_fast {
    _Atomic(jose_rsa_form *) made;     // NULL before the first use and after a drop
    _Atomic(jose_rsa_form *) dropped;  // the latest; threads may still work with them
    atomic_uint differences[WAYS], damages[WAYS];
    const uint8_t *modulus, *exponent;
    size_t size, exponent_len;
    bool vectors;
};

// MARK: forms

static void form_free(jose_rsa_form *form)
{
    if (form == NULL) return;
    if (form->kernel != NULL) form->kernel->key_free(form->vector);
    jose_rsa_bn_key_free(form->portable);
    OPENSSL_free(form);
}

static bool may_use(jose_rsa_fast *fast, int way)
{
#if JOSE_KERNELS_X86
    if (way != PORTABLE && (!fast->vectors || !jose_kernel_usable(jose_rsa_kernels[way].one)))
        return false;
#endif
    return atomic_load_explicit(&fast->differences[way], memory_order_relaxed) <
               JOSE_RSA_DIFFERENCES &&
           atomic_load_explicit(&fast->damages[way], memory_order_relaxed) < JOSE_RSA_DAMAGES;
}

// False without memory: what could not be made for that is not given up.
static bool prepare(jose_rsa_fast *fast, jose_rsa_form *form, const BIGNUM *n, const BIGNUM *e)
{
#if JOSE_KERNELS_X86
    for (int way = 0; way < JOSE_RSA_KERNELS; way++) {
        const jose_rsa_kernel *kernel = &jose_rsa_kernels[way];
        if (!may_use(fast, way) || !kernel->takes(n, e)) continue;
        form->vector = kernel->key_new(n, e);
        if (form->vector == NULL) return false;
        form->kernel = kernel;
        form->size = (uint32_t)BN_num_bytes(n);
        form->e = (uint32_t)BN_get_word(e);
        return true;
    }
#endif
    if (may_use(fast, PORTABLE) && jose_rsa_bn_takes(n, e))
        return (form->portable = jose_rsa_bn_key_new(n, e)) != NULL;
    return true;
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

// Takes a form out of use but keeps it; true for the one call that did.
static bool drop(jose_rsa_fast *fast, const jose_rsa_form *form)
{
    jose_rsa_form *used = (jose_rsa_form *)form;
    if (!atomic_compare_exchange_strong_explicit(&fast->made, &used, NULL, memory_order_acq_rel,
                                                 memory_order_relaxed))
        return false;
    used->older = atomic_load_explicit(&fast->dropped, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&fast->dropped, &used->older, used,
                                                  memory_order_release, memory_order_relaxed)) {}
    return true;
}

// MARK: the contract

jose_rsa_fast *jose_rsa_fast_new(const uint8_t *modulus, size_t modulus_len,
                                 const uint8_t *exponent, size_t exponent_len, bool vectors)
{
    if (modulus_len > JOSE_RSA_FAST_MAX_BYTES) return NULL;
    jose_rsa_fast *fast = OPENSSL_zalloc(sizeof *fast);
    if (fast == NULL) return NULL;
    atomic_init(&fast->made, NULL);
    atomic_init(&fast->dropped, NULL);
    for (int way = 0; way < WAYS; way++) {
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

bool jose_rsa_fast_is_made(jose_rsa_fast *fast)
{
    if (fast == NULL) return true;
    const jose_rsa_form *form = atomic_load_explicit(&fast->made, memory_order_acquire);
    return form != NULL && !is_off(form);
}

// Of threads that come at the same time, the first one's work is kept.
const jose_rsa_form *jose_rsa_fast_form(jose_rsa_fast *fast)
{
    if (fast == NULL) return NULL;
    jose_rsa_form *known = atomic_load_explicit(&fast->made, memory_order_acquire);
    if (known != NULL && !is_off(known)) return known;
    if (known != NULL) drop(fast, known);
    jose_rsa_form *form = form_new(fast);
    if (form == NULL) return NULL;
    known = NULL;
    if (atomic_compare_exchange_strong_explicit(&fast->made, &known, form, memory_order_acq_rel,
                                                memory_order_acquire))
        return form;
    form_free(form);
    return known;
}

const void *jose_rsa_fast_vector(jose_rsa_fast *fast)
{
    const jose_rsa_form *form = jose_rsa_fast_form(fast);
    return form == NULL ? NULL : form->vector;
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

static int way_of(const jose_rsa_form *form)
{
    return form->kernel != NULL ? (int)(form->kernel - jose_rsa_kernels) : PORTABLE;
}

void jose_rsa_fast_damaged(jose_rsa_fast *fast, const jose_rsa_form *form)
{
    if (drop(fast, form)) atomic_fetch_add(&fast->damages[way_of(form)], 1);
}

void jose_rsa_fast_differs(jose_rsa_fast *fast, const jose_rsa_form *form)
{
    const int way = way_of(form);
    if (drop(fast, form) &&
        atomic_fetch_add(&fast->differences[way], 1) + 1 == JOSE_RSA_DIFFERENCES &&
        form->kernel != NULL)
        jose_kernel_doubt(form->kernel->one | form->kernel->together);
}
