// selftest.c: known-answer tests of the kernels (of private operations: selftest_private.c). A
// kernel is tested before its first use, and again after wrong results for a key. OpenSSL computed
// the expected answers; Tests/CCore/kernels computes them again.

#include "selftest.h"

#include <time.h>

// MARK: switched off

atomic_uint jose_kernels_disabled;
static atomic_uint reported;
static _Atomic(jose_kernel_watcher) watcher;

// Reports each kernel that is off to the watcher, once in the process.
static void report(void)
{
    const jose_kernel_watcher listener = atomic_load(&watcher);
    if (listener == NULL) return;
    const unsigned off = atomic_load(&jose_kernels_disabled);
    for (unsigned kernel = JOSE_KERNEL_RSA; kernel <= JOSE_KERNEL_LAST; kernel <<= 1)
        if ((off & kernel) != 0 && (atomic_fetch_or(&reported, kernel) & kernel) == 0)
            listener(kernel);
}

void jose_kernel_switch_off(unsigned kernel)
{
    atomic_fetch_or(&jose_kernels_disabled, kernel);
    report();
}

void jose_kernel_watch(jose_kernel_watcher listener)
{
    atomic_store(&watcher, listener);
    report();
}

// MARK: known answers

// Returns NULL only if memory runs out.
static void *make_key(const jose_rsa_kernel *kernel, size_t size, int number, uint32_t exponent)
{
    uint8_t modulus[JOSE_RSA_KERNEL_MAX_BYTES];
    jose_selftest_modulus(modulus, size, number);
    BIGNUM *n = BN_bin2bn(modulus, (int)size, NULL), *e = BN_new();
    void *key = NULL;
    if (n != NULL && e != NULL && BN_set_word(e, exponent) == 1) key = kernel->key_new(n, e);
    BN_free(n);
    BN_free(e);
    return key;
}

static result test_single(int which, int index)
{
    const jose_rsa_kernel *kernel = &jose_rsa_kernels[which];
    const size_t size = size_at(index);
    SHA256_CTX hash;
    SHA256_Init(&hash);
    for (int i = 0; i < JOSE_SELFTEST_EXPONENTS; i++) {
        uint8_t in[JOSE_RSA_KERNEL_MAX_BYTES], out[JOSE_RSA_KERNEL_MAX_BYTES];
        void *key = make_key(kernel, size, i, jose_selftest_exponents[i]);
        if (key == NULL) return UNKNOWN;
        jose_selftest_message(in, size, i);
        const bool done = kernel->run(key, out, in) == JOSE_RSA_DONE;
        kernel->key_free(key);
        if (!done) return WRONG;
        SHA256_Update(&hash, out, size);
    }
    return compare_digest(&hash, jose_selftest_rsa[index]);
}

// Lane l uses key and message `number` + l. Adds the results of all lanes to the hash. Returns
// UNKNOWN if memory runs out, WRONG if a lane is not done.
static result run_lanes(const jose_rsa_kernel *kernel, SHA256_CTX *hash, size_t size, int number)
{
    uint8_t in[JOSE_RSA_KERNEL_LANES][JOSE_RSA_KERNEL_MAX_BYTES], *ins[JOSE_RSA_KERNEL_LANES];
    uint8_t out[JOSE_RSA_KERNEL_LANES][JOSE_RSA_KERNEL_MAX_BYTES], *outs[JOSE_RSA_KERNEL_LANES];
    void *keys[JOSE_RSA_KERNEL_LANES];
    result all = RIGHT;
    for (int l = 0; l < kernel->lanes; l++) {
        keys[l] = make_key(kernel, size, number + l, 65537);
        if (keys[l] == NULL) all = UNKNOWN;
        jose_selftest_message(in[l], size, number + l);
        ins[l] = in[l], outs[l] = out[l];
    }
    if (all == RIGHT && kernel->run_together((const void *const *)keys, outs,
                                             (const uint8_t *const *)ins)
                                .done != (1u << kernel->lanes) - 1)
        all = WRONG;
    for (int l = 0; l < kernel->lanes; l++) {
        kernel->key_free(keys[l]);
        if (all == RIGHT) SHA256_Update(hash, out[l], size);
    }
    return all;
}

// Tests eight operations, as many at once as the kernel has lanes.
static result test_together(int which, int index)
{
    const jose_rsa_kernel *kernel = &jose_rsa_kernels[which];
    SHA256_CTX hash;
    SHA256_Init(&hash);
    for (int number = 0; number < JOSE_RSA_KERNEL_LANES; number += kernel->lanes) {
        const result lanes = run_lanes(kernel, &hash, size_at(index), number);
        if (lanes != RIGHT) return lanes;
    }
    return compare_digest(&hash, jose_selftest_rsa_x8[index]);
}

// MARK: tested once, and again

// Without optimisation by the compiler the kernels are right, but slower than OpenSSL.
static bool is_optimised(void)
{
#if defined(__OPTIMIZE__)
    return true;
#else
    return false;
#endif
}

enum { KERNELS = 7,
       PAUSE_SECONDS = 60 };

// `results` is indexed by modulus size; `last_retest` is in seconds (0: never).
typedef struct {
    unsigned kernel;
    bool (*is_present)(void);
    result (*test)(int which, int index);
    int which;  // the kernel's index in its table
    _Atomic result results[JOSE_SELFTEST_SIZES];
    _Atomic int64_t last_retest;
} entry;

static entry entries[KERNELS] = {
    {JOSE_KERNEL_RSA, jose_kernel_has_ifma, test_single, 0},
    {JOSE_KERNEL_RSA_X8, jose_kernel_has_ifma, test_together, 0},
    {JOSE_KERNEL_RSA_FMA, jose_kernel_has_fma, test_single, 1},
    {JOSE_KERNEL_RSA_FMA_X4, jose_kernel_has_fma, test_together, 1},
    {JOSE_KERNEL_RSA_PRIVATE, jose_kernel_has_ifma, jose_selftest_one, 0},
    {JOSE_KERNEL_RSA_PRIVATE_X4, jose_kernel_has_ifma, jose_selftest_x4, 0},
    {JOSE_KERNEL_RSA_PRIVATE_FMA, jose_kernel_has_fma, jose_selftest_one, 1},
};

static entry *entry_of(unsigned kernel)
{
    for (int i = 0; i < KERNELS; i++)
        if (entries[i].kernel == kernel) return &entries[i];
    return NULL;
}

static result result_at(entry *entry, int index)
{
    return atomic_load_explicit(&entry->results[index], memory_order_acquire);
}

static bool is_untested(entry *entry, int index)
{
    return result_at(entry, index) == UNKNOWN && is_optimised() && entry->is_present();
}

// A wrong answer is final. Threads that arrive together each test and find the same result.
static void test(entry *entry, int index)
{
    jose_stack_touch(JOSE_STACK_LANES);
    const result found = entry->test(entry->which, index);
    if (found == UNKNOWN) return;
    atomic_store_explicit(&entry->results[index], found, memory_order_release);
    if (found == WRONG) jose_kernel_switch_off(entry->kernel);
}

static bool passed_at(entry *entry, int index)
{
    if (is_untested(entry, index)) test(entry, index);
    return result_at(entry, index) == RIGHT;
}

static bool passed(unsigned kernel)
{
    entry *entry = entry_of(kernel);
    bool right = entry != NULL;
    for (int index = 0; right && index < JOSE_SELFTEST_SIZES; index++)
        right = passed_at(entry, index);
    return right;
}

// The index of this modulus size, or -1 for another size or if entry is NULL.
static int index_of(const entry *entry, size_t size)
{
    for (int index = 0; entry != NULL && index < JOSE_SELFTEST_SIZES; index++)
        if (size_at(index) == size) return index;
    return -1;
}

bool jose_kernel_usable_at(unsigned kernel, size_t size)
{
    entry *entry = entry_of(kernel);
    const int index = index_of(entry, size);
    return index >= 0 && passed_at(entry, index) && !jose_kernel_is_off(kernel);
}

bool jose_kernel_is_untested(unsigned kernel, size_t size)
{
    entry *entry = entry_of(kernel);
    const int index = index_of(entry, size);
    return index >= 0 && is_untested(entry, index) && !jose_kernel_is_off(kernel);
}

// `now` is in seconds of a monotonic clock, above 0.
static void retest(unsigned kernels, int64_t now)
{
    for (int i = 0; i < KERNELS; i++) {
        entry *entry = &entries[i];
        int64_t last = atomic_load_explicit(&entry->last_retest, memory_order_relaxed);
        if ((entry->kernel & kernels) == 0 || (last != 0 && now - last < PAUSE_SECONDS)) continue;
        bool is_used = false;
        for (int index = 0; index < JOSE_SELFTEST_SIZES; index++)
            is_used |= result_at(entry, index) == RIGHT;
        if (!is_used || !atomic_compare_exchange_strong(&entry->last_retest, &last, now)) continue;
        for (int index = 0; index < JOSE_SELFTEST_SIZES; index++)
            if (result_at(entry, index) == RIGHT) test(entry, index);
    }
}

void jose_kernel_retest(unsigned kernels)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) == 0) retest(kernels, (int64_t)now.tv_sec + 1);
}

bool jose_kernel_usable(unsigned kernel)
{
    return passed(kernel) && !jose_kernel_is_off(kernel);
}

bool jose_kernel_is_off_after_test(unsigned kernel)
{
    (void)passed(kernel);
    return jose_kernel_is_off(kernel);
}
