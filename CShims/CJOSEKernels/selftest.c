// selftest.c: every kernel must give known answers before its first use, and again where one is
// doubted. The answers were made by OpenSSL; Tests/CCore/kernels makes them again.

#ifndef OPENSSL_SUPPRESS_DEPRECATED
#define OPENSSL_SUPPRESS_DEPRECATED  // SHA256_*
#endif
#include "cjosekernels.h"

#include <openssl/bn.h>
#include <openssl/sha.h>
#include <string.h>
#include <time.h>

#include "kernels.h"
#include "selftest_data.h"

// MARK: switched off

atomic_uint jose_kernels_mistrusted;
static atomic_uint told;
static _Atomic(jose_kernel_watcher) watcher;

// Tells the watcher of each kernel that it was not told of.
static void tell(void)
{
    const jose_kernel_watcher listener = atomic_load(&watcher);
    if (listener == NULL) return;
    const unsigned off = atomic_load(&jose_kernels_mistrusted);
    for (unsigned kernel = JOSE_KERNEL_RSA; kernel <= JOSE_KERNEL_LAST; kernel <<= 1)
        if ((off & kernel) != 0 && (atomic_fetch_or(&told, kernel) & kernel) == 0) listener(kernel);
}

void jose_kernel_switch_off(unsigned kernel)
{
    atomic_fetch_or(&jose_kernels_mistrusted, kernel);
    tell();
}

void jose_kernel_watch(jose_kernel_watcher listener)
{
    atomic_store(&watcher, listener);
    tell();
}

// MARK: known answers

// What a kernel said; nothing where there was no memory to ask it.
typedef enum { NOTHING,
               RIGHT,
               WRONG } answer;

static answer digest_is(SHA256_CTX *hash, const uint8_t expected[32])
{
    uint8_t digest[32];
    SHA256_Final(digest, hash);
    return memcmp(digest, expected, sizeof digest) == 0 ? RIGHT : WRONG;
}

// The moduli by place: 2048, 3072 and 4096 bits.
static size_t size_at(int place)
{
    return 256 + 128 * (size_t)place;
}

// NULL only without memory.
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

static answer ask_rsa(const jose_rsa_kernel *kernel, int place)
{
    const size_t size = size_at(place);
    SHA256_CTX hash;
    SHA256_Init(&hash);
    for (int i = 0; i < JOSE_SELFTEST_EXPONENTS; i++) {
        uint8_t in[JOSE_RSA_KERNEL_MAX_BYTES], out[JOSE_RSA_KERNEL_MAX_BYTES];
        void *key = make_key(kernel, size, i, jose_selftest_exponents[i]);
        if (key == NULL) return NOTHING;
        jose_selftest_message(in, size, i);
        const bool done = kernel->run(key, out, in) == JOSE_RSA_DONE;
        kernel->key_free(key);
        if (!done) return WRONG;
        SHA256_Update(&hash, out, size);
    }
    return digest_is(&hash, jose_selftest_rsa[place]);
}

// Adds as many results as there are lanes, from the key with this number on; NOTHING without
// memory, WRONG where one is not done.
static answer ask_lanes(const jose_rsa_kernel *kernel, SHA256_CTX *hash, size_t size, int number)
{
    uint8_t in[JOSE_RSA_KERNEL_LANES][JOSE_RSA_KERNEL_MAX_BYTES], *ins[JOSE_RSA_KERNEL_LANES];
    uint8_t out[JOSE_RSA_KERNEL_LANES][JOSE_RSA_KERNEL_MAX_BYTES], *outs[JOSE_RSA_KERNEL_LANES];
    void *keys[JOSE_RSA_KERNEL_LANES];
    answer said = RIGHT;
    for (int l = 0; l < kernel->lanes; l++) {
        keys[l] = make_key(kernel, size, number + l, 65537);
        if (keys[l] == NULL) said = NOTHING;
        jose_selftest_message(in[l], size, number + l);
        ins[l] = in[l], outs[l] = out[l];
    }
    if (said == RIGHT && kernel->run_together((const void *const *)keys, outs,
                                              (const uint8_t *const *)ins)
                                 .done != (1u << kernel->lanes) - 1)
        said = WRONG;
    for (int l = 0; l < kernel->lanes; l++) {
        kernel->key_free(keys[l]);
        if (said == RIGHT) SHA256_Update(hash, out[l], size);
    }
    return said;
}

// Eight results, in as many turns as it takes.
static answer ask_rsa_together(const jose_rsa_kernel *kernel, int place)
{
    SHA256_CTX hash;
    SHA256_Init(&hash);
    for (int number = 0; number < JOSE_RSA_KERNEL_LANES; number += kernel->lanes) {
        const answer said = ask_lanes(kernel, &hash, size_at(place), number);
        if (said != RIGHT) return said;
    }
    return digest_is(&hash, jose_selftest_rsa_x8[place]);
}

// MARK: asked once, and again

// Without the compiler's optimiser the kernels are right, but slower than OpenSSL.
static bool is_optimised(void)
{
#if defined(__OPTIMIZE__)
    return true;
#else
    return false;
#endif
}

enum { KERNELS = 4,
       PAUSE_SECONDS = 60 };

// A kernel, what it said to each of its questions, and when it was last doubted (0: never).
typedef struct {
    unsigned kernel;
    bool (*is_present)(void);
    answer (*ask)(const jose_rsa_kernel *kernel, int place);
    const jose_rsa_kernel *rsa;
    _Atomic answer said[JOSE_SELFTEST_SIZES];
    _Atomic int64_t doubted;
} row;

static row rows[KERNELS] = {
    {JOSE_KERNEL_RSA, jose_kernel_has_ifma, ask_rsa, &jose_rsa_kernels[0]},
    {JOSE_KERNEL_RSA_X8, jose_kernel_has_ifma, ask_rsa_together, &jose_rsa_kernels[0]},
    {JOSE_KERNEL_RSA_FMA, jose_kernel_has_fma, ask_rsa, &jose_rsa_kernels[1]},
    {JOSE_KERNEL_RSA_FMA_X4, jose_kernel_has_fma, ask_rsa_together, &jose_rsa_kernels[1]},
};

// NULL for no kernel.
static row *row_of(unsigned kernel)
{
    for (int i = 0; i < KERNELS; i++)
        if (rows[i].kernel == kernel) return &rows[i];
    return NULL;
}

static answer said(row *row, int place)
{
    return atomic_load_explicit(&row->said[place], memory_order_acquire);
}

static bool is_open(row *row, int place)
{
    return said(row, place) == NOTHING && is_optimised() && row->is_present();
}

// Wrong is final. Threads that come at the same time each ask; the answers are the same.
static void ask(row *row, int place)
{
    const answer answered = row->ask(row->rsa, place);
    if (answered == NOTHING) return;
    atomic_store_explicit(&row->said[place], answered, memory_order_release);
    if (answered == WRONG) jose_kernel_switch_off(row->kernel);
}

static bool was_right_at(row *row, int place)
{
    if (is_open(row, place)) ask(row, place);
    return said(row, place) == RIGHT;
}

static bool was_right(unsigned kernel)
{
    row *row = row_of(kernel);
    bool right = row != NULL;
    for (int place = 0; right && place < JOSE_SELFTEST_SIZES; place++)
        right = was_right_at(row, place);
    return right;
}

// The question for this size, or -1.
static int place_of(const row *row, size_t size)
{
    for (int place = 0; row != NULL && place < JOSE_SELFTEST_SIZES; place++)
        if (size_at(place) == size) return place;
    return -1;
}

bool jose_kernel_usable_at(unsigned kernel, size_t size)
{
    row *row = row_of(kernel);
    const int place = place_of(row, size);
    return place >= 0 && was_right_at(row, place) && !jose_kernel_is_off(kernel);
}

bool jose_kernel_is_unasked(unsigned kernel, size_t size)
{
    row *row = row_of(kernel);
    const int place = place_of(row, size);
    return place >= 0 && is_open(row, place) && !jose_kernel_is_off(kernel);
}

// `now` in seconds of a clock that does not go back, above 0.
static void doubt(unsigned kernels, int64_t now)
{
    for (int i = 0; i < KERNELS; i++) {
        row *row = &rows[i];
        int64_t last = atomic_load_explicit(&row->doubted, memory_order_relaxed);
        if ((row->kernel & kernels) == 0 || (last != 0 && now - last < PAUSE_SECONDS)) continue;
        bool is_used = false;
        for (int place = 0; place < JOSE_SELFTEST_SIZES; place++)
            is_used |= said(row, place) == RIGHT;
        if (!is_used || !atomic_compare_exchange_strong(&row->doubted, &last, now)) continue;
        for (int place = 0; place < JOSE_SELFTEST_SIZES; place++)
            if (said(row, place) == RIGHT) ask(row, place);
    }
}

void jose_kernel_doubt(unsigned kernels)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) == 0) doubt(kernels, (int64_t)now.tv_sec + 1);
}

bool jose_kernel_usable(unsigned kernel)
{
    return was_right(kernel) && !jose_kernel_is_off(kernel);
}

bool jose_kernel_failed(unsigned kernel)
{
    (void)was_right(kernel);
    return jose_kernel_is_off(kernel);
}
