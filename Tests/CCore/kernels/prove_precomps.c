// prove_precomps.c: precomputed constants that were corrupted or differed. They are recomputed,
// then the key uses another implementation. Other keys and the kernels are unaffected, and threads
// may still use the old constants.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "precomps.h"
#include "prove.h"

enum { SIZE = 256,
       THREADS = 4 };

static uint64_t checks;
#define FORM(condition, what) (checks++, (condition) ? (void)0 : prove_fail(what, #condition))

static uint8_t modulus[SIZE], input[SIZE], right[SIZE];
static const uint8_t exponent[] = {1, 0, 1};

static jose_rsa_fast *make(bool vectors)
{
    jose_rsa_fast *fast = jose_rsa_fast_new(modulus, SIZE, exponent, sizeof exponent, vectors);
    PROVE(fast != NULL, "memory");
    return fast;
}

static jose_rsa_outcome run_by(jose_rsa_fast *fast, const jose_rsa_precomp *precomp)
{
    uint8_t opened[SIZE];
    jose_rsa_bn_scratch *scratch = NULL;
    const jose_rsa_outcome outcome = jose_rsa_fast_open(fast, precomp, &scratch, opened, input);
    if (outcome == JOSE_RSA_DONE) FORM(memcmp(opened, right, SIZE) == 0, "result");
    jose_rsa_bn_scratch_free(scratch);
    return outcome;
}

static bool works(jose_rsa_fast *fast)
{
    return run_by(fast, jose_rsa_fast_precomp(fast)) == JOSE_RSA_DONE;
}

static bool may(int which)
{
    return jose_kernel_usable(jose_rsa_kernels[which].one);
}

static void kernels_stand(void)
{
    for (int i = 0; i < JOSE_RSA_KERNELS; i++) {
        const jose_rsa_kernel *kernel = &jose_rsa_kernels[i];
        FORM(jose_kernel_usable(kernel->one) == kernel->is_present() &&
                 jose_kernel_usable(kernel->together) == kernel->is_present(),
             "kernels");
    }
}

// The implementations of this processor, in their order; the last one has no kernel.
static int levels(const jose_rsa_kernel *found[JOSE_RSA_KERNELS + 1])
{
    int count = 0;
    for (int i = 0; i < JOSE_RSA_KERNELS; i++)
        if (may(i)) found[count++] = &jose_rsa_kernels[i];
    found[count++] = NULL;
    return count;
}

static void flip(const jose_rsa_precomp *precomp, int by)
{
    ((uint64_t *)precomp->vector)[3] ^= UINT64_C(1) << (7 * by);
}

// A bit flips: the numbers are dropped and recomputed, three times; then the key uses the next
// implementation.
static void prove_damages(void)
{
    const jose_rsa_kernel *all[JOSE_RSA_KERNELS + 1];
    const int count = levels(all);
    jose_rsa_fast *fast = make(true), *other = make(true);
    FORM(works(fast) && works(other), "whole");
    for (int level = 0; level + 1 < count; level++) {
        const jose_rsa_precomp *old[JOSE_RSA_MAX_CORRUPTIONS];
        for (int i = 0; i < JOSE_RSA_MAX_CORRUPTIONS; i++) {
            const jose_rsa_precomp *precomp = old[i] = jose_rsa_fast_precomp(fast);
            FORM(precomp->kernel == all[level] && precomp->vector != NULL &&
                     precomp->portable == NULL && precomp->size == SIZE && precomp->e == 65537 &&
                     jose_rsa_fast_ready(fast) != NULL,
                 "vector");
            FORM(works(fast), "recomputed");
            flip(precomp, i);
            FORM(run_by(fast, precomp) == JOSE_RSA_CORRUPTED, "seen");
            FORM(jose_rsa_fast_ready(fast) == NULL, "dropped");
            FORM(run_by(fast, precomp) == JOSE_RSA_CORRUPTED, "old numbers in use");  // counts once
        }
        const jose_rsa_precomp *next = jose_rsa_fast_precomp(fast);
        FORM(next->kernel == all[level + 1] && works(fast), "the next implementation");
        for (int i = 0; i < JOSE_RSA_MAX_CORRUPTIONS; i++) {
            flip(old[i], i);
            FORM(run_by(fast, old[i]) == JOSE_RSA_DONE, "old numbers live");
        }
    }
    const jose_rsa_precomp *last = jose_rsa_fast_precomp(fast);
    FORM(last->vector == NULL && last->portable != NULL && works(fast), "without a kernel");
    FORM(jose_rsa_fast_precomp(other)->kernel == all[0] && works(other), "another key");
    kernels_stand();
    jose_rsa_fast_free(fast);
    jose_rsa_fast_free(other);
}

// A result that a more reliable implementation finds wrong: recomputed once, then the next
// implementation, then none.
static void prove_differences(bool vectors)
{
    const jose_rsa_kernel *all[JOSE_RSA_KERNELS + 1];
    const int count = levels(all);
    jose_rsa_fast *fast = make(vectors);
    for (int level = vectors ? 0 : count - 1; level < count; level++)
        for (int i = 0; i < JOSE_RSA_MAX_DIFFERENCES; i++) {
            const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(fast);
            FORM(precomp->kernel == all[level] &&
                     (precomp->portable != NULL) == (all[level] == NULL),
                 "way");
            FORM(works(fast), "works");
            jose_rsa_fast_report_mismatch(fast, precomp);
            jose_rsa_fast_report_mismatch(fast, precomp);  // a late report of the same is ignored
            FORM(jose_rsa_fast_ready(fast) == NULL, "dropped");
        }
    const jose_rsa_precomp *none = jose_rsa_fast_precomp(fast);
    FORM(none != NULL && none->vector == NULL && none->portable == NULL,
         "no implementation is left");
    FORM(!works(fast) && jose_rsa_fast_ready(fast) != NULL, "and none is made");
    kernels_stand();
    jose_rsa_fast_free(fast);
}

// A kernel that is switched off is left at once for the next best implementation.
static void prove_switch(void)
{
    const jose_rsa_kernel *all[JOSE_RSA_KERNELS + 1];
    const int count = levels(all);
    jose_rsa_fast *fast = make(true);
    for (int level = 0; level + 1 < count; level++) {
        const jose_rsa_precomp *vector = jose_rsa_fast_precomp(fast);
        FORM(vector->kernel == all[level], "vector");
        jose_kernel_switch_off(all[level]->one);
        FORM(jose_rsa_fast_ready(fast) == NULL, "off");
        FORM(jose_rsa_fast_precomp(fast)->kernel == all[level + 1] && works(fast),
             "the next implementation");
        FORM((fast_vector(fast) == NULL) == (all[level + 1] == NULL), "the next implementation");
        FORM(run_by(fast, vector) == JOSE_RSA_DONE, "old numbers in use");
    }
    FORM(jose_rsa_fast_precomp(fast)->portable != NULL, "the last implementation");
    atomic_store(&jose_kernels_disabled, 0);
    jose_rsa_fast_free(fast);
}

// Threads work while numbers are dropped.
static void *use(void *argument)
{
    jose_rsa_fast *fast = argument;
    jose_rsa_bn_scratch *scratch = NULL;
    uint8_t opened[SIZE];
    for (int i = 0; i < 2000; i++) {
        const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(fast);
        const bool done =
            jose_rsa_fast_open(fast, precomp, &scratch, opened, input) == JOSE_RSA_DONE;
        const bool none = precomp->vector == NULL && precomp->portable == NULL;
        if (done == none || (done && memcmp(opened, right, SIZE) != 0)) return fast;
        if (i % 100 == 99) jose_rsa_fast_report_mismatch(fast, precomp);
        if (i % 100 == 49) jose_rsa_fast_report_corruption(fast, precomp);
    }
    jose_rsa_bn_scratch_free(scratch);
    return NULL;
}

static void prove_threads(void)
{
    for (int round = 0; round < 8; round++) {
        jose_rsa_fast *fast = make(true);
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++)
            PROVE(pthread_create(&threads[i], NULL, use, fast) == 0, "thread");
        for (int i = 0; i < THREADS; i++) {
            void *wrong = NULL;
            PROVE(pthread_join(threads[i], &wrong) == 0, "thread");
            FORM(wrong == NULL, "a thread saw another result");
        }
        jose_rsa_fast_free(fast);
    }
    kernels_stand();
}

void prove_precomps(void)
{
    prove_bytes(modulus, SIZE);
    prove_bytes(input, SIZE);
    modulus[0] |= 0x80, modulus[SIZE - 1] |= 1, input[0] &= 0x7f;
    BN_CTX *context = BN_CTX_new();
    BIGNUM *n = BN_bin2bn(modulus, SIZE, NULL), *x = BN_bin2bn(input, SIZE, NULL);
    BIGNUM *e = BN_bin2bn(exponent, sizeof exponent, NULL);
    PROVE(BN_mod_exp(x, x, e, n, context) == 1 && BN_bn2binpad(x, right, SIZE) == SIZE,
          "reference");
    BN_free(n), BN_free(x), BN_free(e), BN_CTX_free(context);
    prove_differences(false);
    if (jose_kernel_usable(JOSE_KERNEL_RSA) || jose_kernel_usable(JOSE_KERNEL_RSA_FMA)) {
        prove_damages();
        prove_differences(true);
        prove_switch();
        prove_threads();
    }
    printf("precomps %llu precomputed constants dropped, recomputed and abandoned\n",
           (unsigned long long)checks);
}
