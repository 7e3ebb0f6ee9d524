// selftest.c: known-answer tests of the kernels. A kernel is tested before its first use, and again
// when its result differed from OpenSSL's. OpenSSL made the answers; Tests/CCore/kernels makes them
// again.

#ifndef OPENSSL_SUPPRESS_DEPRECATED
#define OPENSSL_SUPPRESS_DEPRECATED  // SHA256_*
#endif
#include "cjosekernels.h"

#include <openssl/bn.h>
#include <openssl/sha.h>
#include <string.h>
#include <time.h>

#include "kernels.h"
#include "private_key.h"
#include "selftest_data.h"

// MARK: switched off

atomic_uint jose_kernels_disabled;
static atomic_uint reported;
static _Atomic(jose_kernel_watcher) watcher;

// Reports each kernel that is off to the watcher, once.
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

// The result of a test. UNKNOWN: not tested yet, or memory ran out.
typedef enum { UNKNOWN,
               RIGHT,
               WRONG } result;

static result compare_digest(SHA256_CTX *hash, const uint8_t expected[32])
{
    uint8_t digest[32];
    SHA256_Final(digest, hash);
    return memcmp(digest, expected, sizeof digest) == 0 ? RIGHT : WRONG;
}

// The modulus sizes by index: 2048, 3072 and 4096 bits.
static size_t size_at(int index)
{
    return 256 + 128 * (size_t)index;
}

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

// Hashes one result for each lane, with the keys from this number on. Returns UNKNOWN if memory
// runs out, WRONG if a lane is not done.
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

// MARK: private operations

#if JOSE_KERNELS_X86

// A prepared key of public numbers. It needs no locked memory.
typedef struct {
    jose_private_numbers numbers;
    jose_rsa_private_key key;
    jose_rsa_blinding blinding;
} private_key;

static void private_key_free(private_key *made)
{
    jose_rsa_kernels[made->key.kernel].key_free((void *)(uintptr_t)made->key.modulus);
}

// Returns false only if memory runs out.
static bool make_private_key(private_key *made, int kernel, size_t size, int number)
{
    uint8_t bytes[JOSE_SELFTEST_NUMBERS][JOSE_RSA_KERNEL_MAX_BYTES / 2];
    uint8_t blind[JOSE_RSA_KERNEL_MAX_BYTES], unblind[JOSE_RSA_KERNEL_MAX_BYTES];
    const size_t half = size / 2;
    for (int i = 0; i < JOSE_SELFTEST_NUMBERS; i++)
        jose_selftest_private(bytes[i], half, number, (jose_selftest_number)i);
    BIGNUM *n = BN_new(), *e = BN_new();
    BIGNUM *p = BN_bin2bn(bytes[JOSE_SELFTEST_P], (int)half, NULL);
    BIGNUM *q = BN_bin2bn(bytes[JOSE_SELFTEST_Q], (int)half, NULL);
    BN_CTX *context = BN_CTX_new();
    memset(made, 0, sizeof *made);
    void *modulus = NULL;
    if (n != NULL && e != NULL && p != NULL && q != NULL && context != NULL &&
        BN_mul(n, p, q, context) == 1 && BN_set_word(e, 65537) == 1)
        modulus = jose_rsa_kernels[kernel].key_new(n, e);
    jose_private_key_set(&made->key, &made->numbers, modulus, kernel, size);
    if (modulus != NULL) {
        const jose_rsa_crt crt = {n, e, bytes[JOSE_SELFTEST_P], bytes[JOSE_SELFTEST_Q],
                                  bytes[JOSE_SELFTEST_DP], bytes[JOSE_SELFTEST_DQ],
                                  bytes[JOSE_SELFTEST_QI]};
        (void)jose_private_fill(&made->numbers, &crt, size);
        jose_selftest_message(blind, size, 100 + number);
        jose_selftest_message(unblind, size, 200 + number);
        jose_rsa_blinding_set(&made->key, &made->blinding, blind, unblind);
    }
    BN_free(n);
    BN_free(e);
    BN_free(p);
    BN_free(q);
    BN_CTX_free(context);
    return modulus != NULL;
}

static void make_step(jose_step *step, int limbs, int number, bool is_signed)
{
    memset(step, 0, sizeof *step);
    jose_selftest_limbs(step->p, limbs, number, is_signed);
    jose_selftest_limbs(step->q, limbs, number + 1, is_signed);
}

static void hash_step(SHA256_CTX *hash, const jose_step *step, int limbs)
{
    SHA256_Update(hash, step->p, sizeof step->p[0] * (size_t)limbs);
    SHA256_Update(hash, step->q, sizeof step->q[0] * (size_t)limbs);
}

// A step as one operation computes it. One of 4096 bits is one of four.
static void run_step(const jose_rsa_private_kernel *kernel, const private_key *key, jose_step *x,
                     const jose_step *y)
{
    enum { LANES = JOSE_RSA_PRIVATE_LANES };
    if (kernel->is_floating) {
        jose_fma_private_step(&key->numbers, x, y);
    } else if (key->numbers.size < 512) {
        jose_ifma_private_step(&key->numbers, x, y);
    } else {
        const jose_private_numbers *numbers[LANES];
        jose_step xs[LANES], ys[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            numbers[lane] = &key->numbers;
            xs[lane] = *x;
            if (y != NULL) ys[lane] = *y;
        }
        jose_ifma_private_step_x4(numbers, xs, y == NULL ? NULL : ys);
        *x = xs[0];
    }
}

// Hashes a product and a square of each pair of extreme numbers, by the kernel of one operation.
static void run_steps(const jose_rsa_private_kernel *kernel, SHA256_CTX *hash,
                      const private_key *key, int limbs)
{
    for (int i = 0; i < JOSE_SELFTEST_STEPS; i++) {
        jose_step x, y;
        for (int is_square = 0; is_square < 2; is_square++) {
            make_step(&x, limbs, 2 * i, kernel->is_floating);
            make_step(&y, limbs, 2 * i + 1, kernel->is_floating);
            run_step(kernel, key, &x, is_square ? NULL : &y);
            hash_step(hash, &x, limbs);
        }
    }
}

static bool renew(private_key *key, size_t size)
{
    uint8_t random[JOSE_RSA_KERNEL_MAX_BYTES];
    jose_selftest_message(random, size, 300);
    return jose_rsa_blinding_renew(&key->key, &key->blinding, random) == JOSE_RSA_DONE;
}

// Each key computes twice, so that the squared blinding counts too, and the first one again with a
// new blinding, which needs the other exponents.
static result test_private(int which, int index)
{
    const jose_rsa_private_kernel *kernel = &jose_rsa_private_kernels[which];
    const size_t size = size_at(index);
    if (size > kernel->max_one) return RIGHT;  // no key of this size is prepared for it
    SHA256_CTX hash;
    SHA256_Init(&hash);
    for (int i = 0; i < JOSE_SELFTEST_PRIVATE_KEYS; i++) {
        private_key key;
        uint8_t number[JOSE_RSA_KERNEL_MAX_BYTES];
        if (!make_private_key(&key, which, size, i)) return UNKNOWN;
        jose_selftest_message(number, size, i);
        bool done = true;
        for (int run = 0; done && run < (i == 0 ? 3 : 2); run++) {
            done = run < 2 || renew(&key, size);
            done = done && jose_rsa_private_run(&key.key, &key.blinding, number, number) ==
                               JOSE_RSA_DONE;
            SHA256_Update(&hash, number, size);
        }
        if (done) run_steps(kernel, &hash, &key, jose_half_limbs(size));
        private_key_free(&key);
        if (!done) return WRONG;
    }
    return compare_digest(&hash, kernel->is_floating ? jose_selftest_rsa_private_fma[index]
                                                     : jose_selftest_rsa_private[index]);
}

static result test_private_x4(int which, int index)
{
    enum { LANES = JOSE_RSA_PRIVATE_LANES };
    const size_t size = size_at(index);
    const int limbs = jose_half_limbs(size);
    private_key made[LANES];
    const jose_rsa_private_key *keys[LANES];
    const jose_private_numbers *numbers[LANES];
    jose_rsa_blinding *blindings[LANES];
    uint8_t number[LANES][JOSE_RSA_KERNEL_MAX_BYTES], *outs[LANES];
    result all = RIGHT;
    int count = 0;
    for (; all == RIGHT && count < LANES; count++) {
        if (!make_private_key(&made[count], which, size, count)) all = UNKNOWN;
        keys[count] = &made[count].key, numbers[count] = &made[count].numbers;
        blindings[count] = &made[count].blinding;
        jose_selftest_message(number[count], size, count);
        outs[count] = number[count];
    }
    SHA256_CTX hash;
    SHA256_Init(&hash);
    if (all == RIGHT && jose_rsa_private_run_together(keys, blindings, outs,
                                                      (const uint8_t *const *)outs)
                                .done != (1u << LANES) - 1)
        all = WRONG;
    for (int l = 0; all == RIGHT && l < LANES; l++) SHA256_Update(&hash, number[l], size);
    for (int i = 0; all == RIGHT && i < 2 * JOSE_SELFTEST_STEPS; i++) {
        jose_step x[LANES], y[LANES];
        for (int l = 0; l < LANES; l++) {
            make_step(&x[l], limbs, i + l, false);
            make_step(&y[l], limbs, i + l + 1, false);
        }
        jose_ifma_private_step_x4(numbers, x, i % 2 == 0 ? NULL : y);
        for (int l = 0; l < LANES; l++) hash_step(&hash, &x[l], limbs);
    }
    while (count > 0) private_key_free(&made[--count]);
    return all == RIGHT ? compare_digest(&hash, jose_selftest_rsa_private_x4[index]) : all;
}

#else

static result test_private(int which, int index)
{
    return (void)which, (void)index, UNKNOWN;
}

static result test_private_x4(int which, int index)
{
    return (void)which, (void)index, UNKNOWN;
}

#endif

// MARK: tested once, and again

// Without the compiler's optimiser the kernels are right, but slower than OpenSSL.
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

// A kernel, its results by modulus size, and when it was last retested (0: never).
typedef struct {
    unsigned kernel;
    bool (*is_present)(void);
    result (*test)(int which, int index);
    int which;  // its number in the tables
    _Atomic result results[JOSE_SELFTEST_SIZES];
    _Atomic int64_t last_retest;
} entry;

static entry entries[KERNELS] = {
    {JOSE_KERNEL_RSA, jose_kernel_has_ifma, test_single, 0},
    {JOSE_KERNEL_RSA_X8, jose_kernel_has_ifma, test_together, 0},
    {JOSE_KERNEL_RSA_FMA, jose_kernel_has_fma, test_single, 1},
    {JOSE_KERNEL_RSA_FMA_X4, jose_kernel_has_fma, test_together, 1},
    {JOSE_KERNEL_RSA_PRIVATE, jose_kernel_has_ifma, test_private, 0},
    {JOSE_KERNEL_RSA_PRIVATE_X4, jose_kernel_has_ifma, test_private_x4, 0},
    {JOSE_KERNEL_RSA_PRIVATE_FMA, jose_kernel_has_fma, test_private, 1},
};

// NULL if there is no such kernel.
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

// A wrong result is final. Threads that arrive together each test; their results are equal.
static void test(entry *entry, int index)
{
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

// The index of this modulus size, or -1.
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
