// selftest.c: every kernel must give known answers before its first use. The answers were made by
// OpenSSL; Tests/Kernels makes them again.

#ifndef OPENSSL_SUPPRESS_DEPRECATED
#define OPENSSL_SUPPRESS_DEPRECATED  // SHA256_*
#endif
#include "selftest.h"

#include <openssl/bn.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <string.h>

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
    for (unsigned kernel = JOSE_KERNEL_RSA; kernel <= JOSE_KERNEL_CONTENT; kernel <<= 1)
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

static bool digest_is(SHA256_CTX *hash, const uint8_t expected[32])
{
    uint8_t digest[32];
    SHA256_Final(digest, hash);
    return memcmp(digest, expected, sizeof digest) == 0;
}

static jose_rsa_ifma_key *make_key(int bits, int number, uint32_t exponent)
{
    uint8_t modulus[JOSE_RSA_KERNEL_MAX_BYTES];
    jose_selftest_modulus(modulus, (size_t)bits / 8, number);
    BIGNUM *n = BN_bin2bn(modulus, bits / 8, NULL), *e = BN_new();
    jose_rsa_ifma_key *key = NULL;
    if (n != NULL && e != NULL && BN_set_word(e, exponent) == 1) key = jose_rsa_ifma_key_new(n, e);
    BN_free(n);
    BN_free(e);
    return key;
}

static bool ask_rsa(void)
{
    SHA256_CTX hash;
    SHA256_Init(&hash);
    for (int bits = 2048; bits <= 4096; bits += 1024)
        for (int i = 0; i < JOSE_SELFTEST_EXPONENTS; i++) {
            uint8_t in[JOSE_RSA_KERNEL_MAX_BYTES], out[JOSE_RSA_KERNEL_MAX_BYTES];
            const size_t size = (size_t)bits / 8;
            jose_rsa_ifma_key *key = make_key(bits, i, jose_selftest_exponents[i]);
            jose_selftest_message(in, size, i);
            const bool done = key != NULL && jose_rsa_ifma_public_op(key, out, in);
            jose_rsa_ifma_key_free(key);
            if (!done) return false;
            SHA256_Update(&hash, out, size);
        }
    return digest_is(&hash, jose_selftest_rsa);
}

static bool ask_rsa_x8(void)
{
    SHA256_CTX hash;
    SHA256_Init(&hash);
    bool done = true;
    for (int bits = 2048; bits <= 4096; bits += 1024) {
        uint8_t in[JOSE_RSA_KERNEL_LANES][JOSE_RSA_KERNEL_MAX_BYTES], *ins[JOSE_RSA_KERNEL_LANES];
        jose_rsa_ifma_key *keys[JOSE_RSA_KERNEL_LANES];
        uint8_t out[JOSE_RSA_KERNEL_LANES][JOSE_RSA_KERNEL_MAX_BYTES], *outs[JOSE_RSA_KERNEL_LANES];
        for (int l = 0; l < JOSE_RSA_KERNEL_LANES; l++) {
            keys[l] = make_key(bits, l, 65537);
            jose_selftest_message(in[l], (size_t)bits / 8, l);
            ins[l] = in[l], outs[l] = out[l];
        }
        done &= jose_rsa_ifma_public_op_x8((const jose_rsa_ifma_key *const *)keys, outs,
                                           (const uint8_t *const *)ins) == 0xff;
        for (int l = 0; l < JOSE_RSA_KERNEL_LANES; l++) {
            jose_rsa_ifma_key_free(keys[l]);
            if (done) SHA256_Update(&hash, out[l], (size_t)bits / 8);
        }
    }
    return done && digest_is(&hash, jose_selftest_rsa_x8);
}

static bool ask_content(void)
{
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

// Whether the processor has them and their known answers were right.
static bool rsa, rsa_x8, content;

// Without the compiler's optimiser the kernels are right, but slower than OpenSSL.
static bool is_optimised(void)
{
#if defined(__OPTIMIZE__)
    return true;
#else
    return false;
#endif
}

static bool ask(unsigned kernel, bool present, bool (*question)(void))
{
    if (!present || !is_optimised()) return false;
    if (question()) return true;
    jose_kernel_switch_off(kernel);
    return false;
}

static void ask_rsa_once(void)
{
    rsa = ask(JOSE_KERNEL_RSA, jose_kernel_has_ifma(), ask_rsa);
}

static void ask_rsa_x8_once(void)
{
    rsa_x8 = ask(JOSE_KERNEL_RSA_X8, jose_kernel_has_ifma(), ask_rsa_x8);
}

static void ask_content_once(void)
{
    content = ask(JOSE_KERNEL_CONTENT, jose_kernel_has_content(), ask_content);
}

static bool was_right(unsigned kernel)
{
    static pthread_once_t once[3] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
    switch (kernel) {
    case JOSE_KERNEL_RSA: return pthread_once(&once[0], ask_rsa_once) == 0 && rsa;
    case JOSE_KERNEL_RSA_X8: return pthread_once(&once[1], ask_rsa_x8_once) == 0 && rsa_x8;
    case JOSE_KERNEL_CONTENT: return pthread_once(&once[2], ask_content_once) == 0 && content;
    default: return false;
    }
}

#else

static bool was_right(unsigned kernel)
{
    return (void)kernel, false;
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
