// cfuzz.c counts memory by the sanitizer's hooks, asks OpenSSL for a second opinion on keys, and
// lets it make MACs right.
#include "cfuzz.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>
#include <stdatomic.h>

// Of the sanitizer's runtime; absent elsewhere.
extern int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *,
                                                                       size_t),
                                                     void (*freed)(const volatile void *))
    __attribute__((weak));
extern size_t __sanitizer_get_allocated_size(const volatile void *memory) __attribute__((weak));

// Of libFuzzer; absent elsewhere.
extern size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t capacity) __attribute__((weak));

static atomic_long held, most;

static void allocated(const volatile void *memory, size_t size)
{
    (void)memory;
    const long now = atomic_fetch_add(&held, (long)size) + (long)size;
    if (now > atomic_load(&most)) atomic_store(&most, now);
}

static void freed(const volatile void *memory)
{
    if (memory != NULL) atomic_fetch_sub(&held, (long)__sanitizer_get_allocated_size(memory));
}

void cfuzz_count_install(void)
{
    if (__sanitizer_install_malloc_and_free_hooks != NULL)
        (void)__sanitizer_install_malloc_and_free_hooks(allocated, freed);
}

void cfuzz_count_begin(void)
{
    atomic_store(&held, 0);
    atomic_store(&most, 0);
}

long cfuzz_count_end(void)
{
    return atomic_load(&most);
}

static EVP_PKEY *read_key(const uint8_t *der, long count)
{
    const uint8_t *at = der;
    EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &at, count);
    if (key != NULL && at == der + count) return key;
    EVP_PKEY_free(key);
    at = der;
    key = d2i_PUBKEY(NULL, &at, count);
    if (key != NULL && at == der + count) return key;
    EVP_PKEY_free(key);
    at = der;
    key = d2i_PublicKey(EVP_PKEY_RSA, NULL, &at, count);
    if (key != NULL && at == der + count) return key;
    EVP_PKEY_free(key);
    return NULL;
}

bool cfuzz_openssl_same(const uint8_t *a, size_t a_count, const uint8_t *b, size_t b_count)
{
    EVP_PKEY *one = a_count > 1 << 20 ? NULL : read_key(a, (long)a_count);
    EVP_PKEY *other = b_count > 1 << 20 ? NULL : read_key(b, (long)b_count);
    const bool same = one != NULL && other != NULL && EVP_PKEY_eq(one, other) == 1;
    EVP_PKEY_free(one);
    EVP_PKEY_free(other);
    ERR_clear_error();
    return same;
}

size_t cfuzz_repair_mac(uint8_t *out, size_t capacity, const uint8_t *in, size_t count)
{
    const uint8_t *at = in;
    PKCS12 *file = count > 1 << 20 ? NULL : d2i_PKCS12(NULL, &at, (long)count);
    size_t size = 0;
    // Without authenticated data there is nothing to compute it over.
    if (file != NULL && at == in + count && PKCS12_mac_present(file) == 1 &&
        PKCS12_set_mac(file, "password", -1, NULL, 8, 1, EVP_sha256()) == 1) {
        const int len = i2d_PKCS12(file, NULL);
        uint8_t *to = out;
        if (len > 0 && (size_t)len <= capacity && i2d_PKCS12(file, &to) == len) size = (size_t)len;
    }
    PKCS12_free(file);
    ERR_clear_error();
    return size;
}

size_t cfuzz_mutate(uint8_t *bytes, size_t count, size_t capacity)
{
    return LLVMFuzzerMutate == NULL ? count : LLVMFuzzerMutate(bytes, count, capacity);
}

bool cfuzz_errors_pending(void)
{
    return ERR_peek_error() != 0;
}
