// edges_uses.c: when the known answers of kernels are tested, and which implementation a key uses
// then. Kernels and answers are stubs here: only rsa_fast.c is the code under test.

#include "faults.h"

#include <pthread.h>

#include "cjosekernels.h"

#if JOSE_KERNELS_X86

enum { SIZE = 256,
       THREADS = 8,
       ROUNDS = 20000 };

static struct {
    bool is_tested[JOSE_RSA_KERNELS], is_wrong[JOSE_RSA_KERNELS], has_no_memory;
    unsigned tests;
} played;

static bool kernel_takes(const BIGNUM *n, const BIGNUM *e)
{
    return BN_num_bits(n) == 8 * SIZE && !BN_is_one(e);
}

static void *make(const BIGNUM *n, const BIGNUM *e)
{
    (void)n, (void)e;
    return played.has_no_memory ? NULL : OPENSSL_malloc(1);
}

static void drop(void *key)
{
    OPENSSL_free(key);
}

static const jose_rsa_kernel played_kernels[] = {
    {.one = 1, .takes = kernel_takes, .key_new = make, .key_free = drop},
    {.one = 2, .takes = kernel_takes, .key_new = make, .key_free = drop},
};

static bool played_untested(unsigned kernel, size_t size)
{
    return size == SIZE && !played.is_tested[kernel - 1];
}

static bool played_usable_at(unsigned kernel, size_t size)
{
    need(size == SIZE, "size");
    if (!played.is_tested[kernel - 1] && !played.has_no_memory)
        played.is_tested[kernel - 1] = true, played.tests++;
    return played.is_tested[kernel - 1] && !played.is_wrong[kernel - 1];
}

#define jose_rsa_kernels played_kernels
#define jose_kernel_is_untested played_untested
#define jose_kernel_usable_at played_usable_at
#define jose_rsa_fast played_fast
#define jose_rsa_fast_new played_fast_new
#define jose_rsa_fast_free played_fast_free
#define jose_rsa_fast_ready played_fast_ready
#define jose_rsa_fast_precomp played_fast_precomp
#define jose_rsa_fast_open played_fast_open
#define jose_rsa_fast_report_corruption played_fast_report_corruption
#define jose_rsa_fast_report_mismatch played_fast_report_mismatch
#include "keys/rsa_fast.c"

static uint8_t modulus[SIZE] = {0x80};
static const uint8_t exponent[] = {1, 0, 1};

// As in a new process.
static void reset(void)
{
    memset(&played, 0, sizeof played);
    for (int index = 0; index < JOSE_SELFTEST_SIZES; index++)
        atomic_store(&early[index], JOSE_RSA_EARLY_USES);
}

static jose_rsa_fast *key(bool vectors)
{
    modulus[SIZE - 1] = 1;
    jose_rsa_fast *fast = jose_rsa_fast_new(modulus, SIZE, exponent, sizeof exponent, vectors);
    need(fast != NULL, "memory");
    return fast;
}

// The implementation of the next use.
static int use(jose_rsa_fast *fast)
{
    const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(fast);
    need(precomp != NULL, "precomputed constants");
    need((precomp->portable != NULL) == (precomp->impl == JOSE_RSA_IMPL_BN) &&
             (precomp->vector != NULL) == (precomp->impl < JOSE_RSA_IMPL_BN),
         "precomputed constants");
    return precomp->impl;
}

// The number of uses until the implementation changes, at most max.
static unsigned uses_by(jose_rsa_fast *fast, int impl, unsigned max)
{
    unsigned count = 0;
    while (count < max && use(fast) == impl) count++;
    return count;
}

// MARK: known answers

static void early_uses_of_keys(void)
{
    // One key: its first uses test nothing.
    reset();
    jose_rsa_fast *one = key(true), *other = key(true);
    need(uses_by(one, JOSE_RSA_IMPL_BN, 1000) == JOSE_RSA_EARLY_USES && played.tests == 1,
         "early, then tested");
    need(uses_by(one, 0, 10000) == 10000, "by the first kernel");
    need(use(other) == 0 && played.tests == 1, "another key at once");
    jose_rsa_fast_free(one), jose_rsa_fast_free(other);

    // Many keys, each used once, twice, three times: all uses of a process count, also the first
    // one of each key.
    for (int times = 1; times <= 3; times++) {
        reset();
        unsigned early_uses = 0;
        for (int i = 0; i < 100; i++) {
            one = key(true);
            for (int time = 0; time < times; time++) early_uses += use(one) == JOSE_RSA_IMPL_BN;
            jose_rsa_fast_free(one);
        }
        need(early_uses == JOSE_RSA_EARLY_USES && played.tests == 1, "%u early uses, by %d",
             early_uses, times);
    }

    // A waiting key continues with a kernel as soon as these uses are over.
    reset();
    one = key(true), other = key(true);
    need(use(one) == JOSE_RSA_IMPL_BN, "early");
    (void)uses_by(other, JOSE_RSA_IMPL_BN, 1000);
    need(use(one) == 0, "over");
    jose_rsa_fast_free(one), jose_rsa_fast_free(other);

    // Kernels that were tested before are used at once; the second while the first waits.
    reset();
    played.is_tested[0] = true;
    one = key(true);
    need(use(one) == 0 && played.tests == 0, "tested before");
    jose_rsa_fast_free(one);
    reset();
    played.is_tested[1] = true;
    one = key(true);
    need(uses_by(one, 1, 1000) == JOSE_RSA_EARLY_USES && use(one) == 0,
         "the second, then the first");
    jose_rsa_fast_free(one);

    // Wrong answers: the next implementation, permanently.
    reset();
    played.is_wrong[0] = true;
    one = key(true);
    (void)uses_by(one, JOSE_RSA_IMPL_BN, 1000);
    need(use(one) == 1 && played.tests == 2, "the next kernel");
    jose_rsa_fast_free(one);
    reset();
    played.is_wrong[0] = played.is_wrong[1] = true;
    one = key(true);
    need(uses_by(one, JOSE_RSA_IMPL_BN, 1000) == 1000 && played.tests == 2, "none");
    need(!jose_rsa_fast_precomp(one)->waits, "and it waits no more");
    jose_rsa_fast_free(one);

    // Without memory a waiting key continues as it is, and tests again.
    reset();
    one = key(true);
    need(use(one) == JOSE_RSA_IMPL_BN, "early");
    played.has_no_memory = true;
    (void)uses_by(one, JOSE_RSA_IMPL_BN, JOSE_RSA_EARLY_USES);
    const jose_rsa_precomp *waiting = jose_rsa_fast_precomp(one);
    need(uses_by(one, JOSE_RSA_IMPL_BN, 100) == 100 && played.tests == 0, "without memory");
    need(jose_rsa_fast_precomp(one) == waiting && one->dropped == NULL, "and no more memory");
    played.has_no_memory = false;
    need(use(one) == 0 && played.tests == 1, "with memory again");
    jose_rsa_fast_free(one);

    // A key that may not use kernels tests none.
    reset();
    one = key(false);
    need(uses_by(one, JOSE_RSA_IMPL_BN, 5000) == 5000 && played.tests == 0, "portable");
    jose_rsa_fast_free(one);
}

// MARK: the order

static void order(void)
{
    // An implementation that failed for a key is not used by it again: the next in order is.
    reset();
    played.is_tested[0] = played.is_tested[1] = true;
    jose_rsa_fast *one = key(true), *other = key(true);
    for (int impl = 0; impl < JOSE_RSA_IMPL_EVP; impl++)
        for (int i = 0; i < JOSE_RSA_MAX_DIFFERENCES; i++) {
            need(use(one) == impl && use(other) == 0, "the next in the order");
            jose_rsa_fast_report_mismatch(one, jose_rsa_fast_precomp(one));
        }
    need(uses_by(one, JOSE_RSA_IMPL_EVP, 100) == 100 && use(other) == 0, "EVP is never disabled");
    jose_rsa_fast_free(one), jose_rsa_fast_free(other);

    // A size that no kernel supports.
    modulus[0] = 0x40;
    one = key(true);
    need(uses_by(one, JOSE_RSA_IMPL_BN, 100) == 100, "a modulus that no kernel supports");
    jose_rsa_fast_free(one);
    modulus[0] = 0x80;
}

// MARK: threads

static void *use_often(void *argument)
{
    jose_rsa_fast *fast = argument;
    for (int i = 0; i < ROUNDS; i++) {
        const jose_rsa_precomp *precomp = jose_rsa_fast_precomp(fast);
        need(precomp != NULL && (precomp->vector != NULL || precomp->portable != NULL ||
                                 precomp->impl == JOSE_RSA_IMPL_EVP),
             "precomputed constants");
    }
    return NULL;
}

static void threads(void)
{
    for (int first = 0; first < JOSE_RSA_KERNELS; first++) {
        reset();
        for (int kernel = 0; kernel < first; kernel++)
            played.is_tested[kernel] = played.is_wrong[kernel] = true;
        jose_rsa_fast *fast = key(true);
        pthread_t all[THREADS];
        for (int i = 0; i < THREADS; i++)
            need(pthread_create(&all[i], NULL, use_often, fast) == 0, "thread");
        for (int i = 0; i < THREADS; i++) need(pthread_join(all[i], NULL) == 0, "thread");
        need(use(fast) == first, "all by the first that is right");
        jose_rsa_fast_free(fast);
    }
}

#endif

void faults_edges_uses(void)
{
#if JOSE_KERNELS_X86
    early_uses_of_keys();
    order();
    threads();
    puts("uses         of keys: when kernels are tested, and the order of implementations");
#else
    puts("uses         no kernels are compiled in: not checked");
#endif
}
