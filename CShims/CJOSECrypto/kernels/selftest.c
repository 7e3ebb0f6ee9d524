// selftest.c: every kernel must give known answers before its first use, and again where one is
// doubted. The answers were made by OpenSSL; Tests/CCore/kernels makes them again.

#ifndef OPENSSL_SUPPRESS_DEPRECATED
#define OPENSSL_SUPPRESS_DEPRECATED  // SHA256_*
#endif
#include "selftest.h"

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

#if JOSE_KERNELS_X86

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

// NULL only without memory.
static void *make_key(const jose_rsa_kernel *kernel, int bits, int number, uint32_t exponent)
{
    uint8_t modulus[JOSE_RSA_KERNEL_MAX_BYTES];
    jose_selftest_modulus(modulus, (size_t)bits / 8, number);
    BIGNUM *n = BN_bin2bn(modulus, bits / 8, NULL), *e = BN_new();
    void *key = NULL;
    if (n != NULL && e != NULL && BN_set_word(e, exponent) == 1) key = kernel->key_new(n, e);
    BN_free(n);
    BN_free(e);
    return key;
}

static answer ask_rsa(const jose_rsa_kernel *kernel)
{
    SHA256_CTX hash;
    SHA256_Init(&hash);
    for (int bits = 2048; bits <= 4096; bits += 1024)
        for (int i = 0; i < JOSE_SELFTEST_EXPONENTS; i++) {
            uint8_t in[JOSE_RSA_KERNEL_MAX_BYTES], out[JOSE_RSA_KERNEL_MAX_BYTES];
            const size_t size = (size_t)bits / 8;
            void *key = make_key(kernel, bits, i, jose_selftest_exponents[i]);
            if (key == NULL) return NOTHING;
            jose_selftest_message(in, size, i);
            const bool done = kernel->run(key, out, in) == JOSE_RSA_DONE;
            kernel->key_free(key);
            if (!done) return WRONG;
            SHA256_Update(&hash, out, size);
        }
    return digest_is(&hash, jose_selftest_rsa);
}

// Adds as many results of one size as there are lanes, from the key with this number on; NOTHING without
// memory, WRONG where one is not done.
static answer ask_lanes(const jose_rsa_kernel *kernel, SHA256_CTX *hash, int bits, int number)
{
    const size_t size = (size_t)bits / 8;
    uint8_t in[JOSE_RSA_KERNEL_LANES][JOSE_RSA_KERNEL_MAX_BYTES], *ins[JOSE_RSA_KERNEL_LANES];
    uint8_t out[JOSE_RSA_KERNEL_LANES][JOSE_RSA_KERNEL_MAX_BYTES], *outs[JOSE_RSA_KERNEL_LANES];
    void *keys[JOSE_RSA_KERNEL_LANES];
    answer said = RIGHT;
    for (int l = 0; l < kernel->lanes; l++) {
        keys[l] = make_key(kernel, bits, number + l, 65537);
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

// Eight results of each size, in as many turns as it takes.
static answer ask_rsa_together(const jose_rsa_kernel *kernel)
{
    SHA256_CTX hash;
    SHA256_Init(&hash);
    for (int bits = 2048; bits <= 4096; bits += 1024)
        for (int number = 0; number < JOSE_RSA_KERNEL_LANES; number += kernel->lanes) {
            const answer said = ask_lanes(kernel, &hash, bits, number);
            if (said != RIGHT) return said;
        }
    return digest_is(&hash, jose_selftest_rsa_x8);
}

static answer ask_content(const jose_rsa_kernel *none)
{
    (void)none;
    SHA256_CTX hash;
    SHA256_Init(&hash);
    for (size_t i = 0; i < JOSE_SELFTEST_LENGTHS; i++) {
        uint8_t text[JOSE_SELFTEST_LONGEST], cek[32], iv[16], aad[JOSE_SELFTEST_LENGTHS * 17];
        uint8_t ciphertext[JOSE_SELFTEST_LONGEST + 16], tag[16];
        const size_t len = jose_selftest_lengths[i];
        jose_selftest_content(cek, iv, aad, sizeof aad, text, len);
        jose_content_kernel_key key;
        jose_content_kernel_prepare(&key, cek);
        jose_content_kernel_encrypt(&key, ciphertext, tag, iv, aad, i * 17, text, len);
        jose_content_kernel_wipe(&key);
        SHA256_Update(&hash, ciphertext, (len / 16 + 1) * 16);
        SHA256_Update(&hash, tag, sizeof tag);
    }
    return digest_is(&hash, jose_selftest_content_answer);
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

enum { KERNELS = 5,
       PAUSE_SECONDS = 60 };

// A kernel, what it said, and when it was last doubted (0: never).
typedef struct {
    unsigned kernel;
    bool (*is_present)(void);
    answer (*ask)(const jose_rsa_kernel *rsa);
    const jose_rsa_kernel *rsa;  // NULL for another
    _Atomic answer said;
    _Atomic int64_t doubted;
} row;

#define RSA_ROWS(PRESENT, RSA, ONE, TOGETHER)                                          \
    {.kernel = ONE, .is_present = PRESENT, .ask = ask_rsa, .rsa = RSA},                \
    {                                                                                  \
        .kernel = TOGETHER, .is_present = PRESENT, .ask = ask_rsa_together, .rsa = RSA \
    }

static row rows[KERNELS] = {
    RSA_ROWS(jose_kernel_has_ifma, &jose_rsa_kernels[0], JOSE_KERNEL_RSA, JOSE_KERNEL_RSA_X8),
    {.kernel = JOSE_KERNEL_CONTENT, .is_present = jose_kernel_has_content, .ask = ask_content},
    RSA_ROWS(jose_kernel_has_fma, &jose_rsa_kernels[1], JOSE_KERNEL_RSA_FMA, JOSE_KERNEL_RSA_FMA_X4),
};

// Wrong is final. Threads that come at the same time each ask; the answers are the same.
static void ask(row *row)
{
    const answer said = row->ask(row->rsa);
    if (said == NOTHING) return;
    atomic_store_explicit(&row->said, said, memory_order_release);
    if (said == WRONG) jose_kernel_switch_off(row->kernel);
}

static bool was_right(unsigned kernel)
{
    for (int i = 0; i < KERNELS; i++) {
        row *row = &rows[i];
        if (row->kernel != kernel) continue;
        if (atomic_load_explicit(&row->said, memory_order_acquire) == NOTHING && is_optimised() &&
            row->is_present())
            ask(row);
        return atomic_load_explicit(&row->said, memory_order_acquire) == RIGHT;
    }
    return false;
}

// `now` in seconds of a clock that does not go back, above 0.
static void doubt(unsigned kernels, int64_t now)
{
    for (int i = 0; i < KERNELS; i++) {
        row *row = &rows[i];
        int64_t last = atomic_load_explicit(&row->doubted, memory_order_relaxed);
        if ((row->kernel & kernels) == 0 || (last != 0 && now - last < PAUSE_SECONDS)) continue;
        if (atomic_load_explicit(&row->said, memory_order_acquire) != RIGHT) continue;
        if (atomic_compare_exchange_strong(&row->doubted, &last, now)) ask(row);
    }
}

void jose_kernel_doubt(unsigned kernels)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) == 0) doubt(kernels, (int64_t)now.tv_sec + 1);
}

#else

static bool was_right(unsigned kernel)
{
    return (void)kernel, false;
}

void jose_kernel_doubt(unsigned kernels)
{
    (void)kernels;
}

#endif

bool jose_kernel_usable(unsigned kernel)
{
    return was_right(kernel) && !jose_kernel_is_off(kernel);
}

bool jose_kernel_failed(unsigned kernel)
{
    (void)was_right(kernel);
    return jose_kernel_is_off(kernel);
}
