// library.c: makes OpenSSL's library context, loads the default provider and fetches algorithms
// once.

#include "library.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>

#include "digest.h"
#include "host.h"
#include "cjosekernels.h"
#include "offer.h"
#include "presence.h"

static _Atomic(jose_library *) shared;
static _Atomic jose_start_failure start_failure;  // of the last start
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static const char *const cipher_names[JOSE_CIPHERS] = {
    [JOSE_AES_128_CBC] = "AES-128-CBC",
    [JOSE_AES_192_CBC] = "AES-192-CBC",
    [JOSE_AES_256_CBC] = "AES-256-CBC",
    [JOSE_AES_128_GCM] = "AES-128-GCM",
    [JOSE_AES_192_GCM] = "AES-192-GCM",
    [JOSE_AES_256_GCM] = "AES-256-GCM",
    [JOSE_AES_128_ECB] = "AES-128-ECB",
    [JOSE_AES_192_ECB] = "AES-192-ECB",
    [JOSE_AES_256_ECB] = "AES-256-ECB",
};

static void library_free(jose_library *library)
{
    for (int i = 0; i < JOSE_HASHES; i++) EVP_MD_free(library->digests[i]);
    for (int i = 0; i < JOSE_CIPHERS; i++) {
        EVP_CIPHER_free(library->ciphers[i]);
        jose_pool_free(library->cipher_contexts[i], NULL);
    }
    EVP_MAC_free(library->hmac);
    jose_pool_free(library->holders, NULL);
    for (int i = 0; i < JOSE_IMPORTERS; i++) {
        jose_pool_free(library->importers[i], NULL);
        jose_pool_free(library->groups[i], NULL);
    }
    if (library->provider != NULL) OSSL_PROVIDER_unload(library->provider);
    OSSL_LIB_CTX_free(library->context);
    OPENSSL_free(library);
}

bool jose_openssl_supported(unsigned long number)
{
    return number == JOSE_OPENSSL_PATCHED ||
           number >= JOSE_OPENSSL_MIN;
}

// A line is a major and a minor version.
bool jose_openssl_tested(unsigned long number)
{
    return number >> 20 <= JOSE_OPENSSL_NEWEST_TESTED >> 20;
}

unsigned long jose_library_number(void)
{
    return OpenSSL_version_num();
}

jose_start_failure jose_library_failure(void)
{
    return atomic_load(&start_failure);
}

// A child of fork has only the thread that forked. If another thread was starting the library, its
// start never ends in the child, and no lock of it is ever released. So a fork
// waits for the end of a start.
static void block_start(void)
{
    pthread_mutex_lock(&making);
}

static void allow_start(void)
{
    pthread_mutex_unlock(&making);
}

// Runs at load, before other threads. If memory runs out, a fork does not wait.
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(block_start, allow_start, allow_start);
}

// Records a fetched part. Returns false if the fetch failed for another reason than that libcrypto
// lacks it.
static bool take(jose_library *library, const void *fetched, jose_parts part, jose_wanted_kind kind,
                 const char *name)
{
    if (fetched == NULL)
        return jose_presence_lost(&(jose_wanted){kind, name, 0}) == JOSE_UNSUPPORTED;
    library->parts |= part;
    return true;
}

// Fetches the algorithms that libcrypto itself fetches for Ed448 and for random numbers, so that it
// reads its tables of them now. If libcrypto lacks one, this succeeds and only its use fails.
// Returns false if memory or the machine failed.
static bool fetch_internals(const jose_library *library)
{
    static const jose_wanted all[] = {
        {JOSE_A_DIGEST, "SHAKE256", 0},
        {JOSE_A_CIPHER, "AES-256-CTR", 0},
        {JOSE_A_GENERATOR, "CTR-DRBG", 0},
        {JOSE_A_GENERATOR, "SEED-SRC", 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const jose_status status = jose_presence_check(library->context, &all[i]);
        if (status == JOSE_INTERNAL) return false;
        if (status == JOSE_UNSUPPORTED && all[i].kind == JOSE_A_GENERATOR)
            atomic_store(&start_failure, JOSE_START_FAILURE_GENERATOR);
    }
    // libcrypto initialises its random methods at the first call, once in a process, and a failure
    // lasts. So the call is made at the start, not during an operation.
    (void)jose_host_replaced_random();
    // Allocates the context's record of its generators, once. It makes no generator and draws
    // nothing.
    return RAND_set_DRBG_type(library->context, NULL, NULL, NULL, NULL) == 1;
}

// If memory runs out while libcrypto first reads a table of algorithms, the context keeps a wrong
// result for its life. So everything that operations fetch is fetched here, and such a context is
// dropped.
static jose_library *library_make(void)
{
    // The running library may be another than that of the headers.
    atomic_store(&start_failure, JOSE_START_FAILURE_NONE);
    const unsigned long running = OpenSSL_version_num();
    if (!jose_openssl_supported(running) || running >> 28 != OPENSSL_VERSION_MAJOR) {
        atomic_store(&start_failure, JOSE_START_FAILURE_VERSION);
        return NULL;
    }
    const jose_status queue = jose_queue_check();
    if (queue == JOSE_UNSUPPORTED) atomic_store(&start_failure, JOSE_START_FAILURE_QUEUE);
    if (queue != JOSE_OK) return NULL;

    jose_library *library = OPENSSL_zalloc(sizeof *library);
    if (library == NULL) return NULL;
    library->context = OSSL_LIB_CTX_new();
    if (library->context == NULL) goto fail;
    library->provider = OSSL_PROVIDER_load(library->context, "default");
    if (library->provider == NULL) {
        // It is missing only if there is an error entry, and none about memory.
        if (ERR_peek_error() != 0 && !jose_take_host_failure())
            atomic_store(&start_failure, JOSE_START_FAILURE_PROVIDER);
        goto fail;
    }
    if (sodium_init() < 0) goto fail;  // selects its fastest code once
    // The default for calls that would leak the properties if they got them as an argument
    // (pkcs12.c).
    if (EVP_set_default_properties(library->context, JOSE_PROPERTIES) != 1) goto fail;

    for (int i = 0; i < JOSE_HASHES; i++) {
        const char *name = jose_digest_entry_of((jose_hash)i)->name;
        library->digests[i] = EVP_MD_fetch(library->context, name, JOSE_PROPERTIES);
        if (!take(library, library->digests[i], jose_part_digest((jose_hash)i), JOSE_A_DIGEST,
                  name))
            goto fail;
    }
    for (int i = 0; i < JOSE_CIPHERS; i++) {
        const char *name = cipher_names[i];
        library->ciphers[i] = EVP_CIPHER_fetch(library->context, name, JOSE_PROPERTIES);
        library->cipher_contexts[i] = jose_pool_make();
        if (library->cipher_contexts[i] == NULL ||
            !take(library, library->ciphers[i], jose_part_cipher((jose_cipher)i), JOSE_A_CIPHER,
                  name))
            goto fail;
    }
    library->hmac = EVP_MAC_fetch(library->context, "HMAC", JOSE_PROPERTIES);
    library->holders = jose_pool_make();
    if (library->holders == NULL ||
        !take(library, library->hmac, JOSE_PART_HMAC, JOSE_A_MAC, "HMAC"))
        goto fail;
    for (int i = 0; i < JOSE_IMPORTERS; i++) {
        library->importers[i] = jose_pool_make();
        library->groups[i] = jose_pool_make();
        if (library->importers[i] == NULL || library->groups[i] == NULL) goto fail;
    }
    const jose_status passwords =
        jose_presence_check(library->context, &(jose_wanted){JOSE_A_KDF, "PBKDF2", 0});
    if (passwords == JOSE_INTERNAL || !jose_library_check_keys(library) ||
        !fetch_internals(library))
        goto fail;
    if (passwords == JOSE_OK) library->parts |= JOSE_PART_PBKDF2;
    return library;

fail:
    library_free(library);
    return NULL;
}

const jose_library *jose_library_get(void)
{
    jose_library *library = atomic_load_explicit(&shared, memory_order_acquire);
    if (library != NULL) return library;
    if (pthread_mutex_lock(&making) != 0) return NULL;
    library = atomic_load_explicit(&shared, memory_order_acquire);
    if (library == NULL) {
        library = library_make();
        atomic_store_explicit(&shared, library, memory_order_release);
    }
    pthread_mutex_unlock(&making);
    return library;
}

jose_status jose_library_has(const jose_library *library, jose_parts parts)
{
    return (parts & ~library->parts) == 0 ? JOSE_OK : JOSE_UNSUPPORTED;
}

const char *jose_library_missing(const jose_library *library, jose_parts parts)
{
    const jose_parts missing = parts & ~library->parts;
    for (int i = 0; i < JOSE_HASHES; i++)
        if (missing & jose_part_digest((jose_hash)i))
            return jose_digest_entry_of((jose_hash)i)->name;
    for (int i = 0; i < JOSE_CIPHERS; i++)
        if (missing & jose_part_cipher((jose_cipher)i)) return cipher_names[i];
    return missing & JOSE_PART_HMAC ? "HMAC" : missing & JOSE_PART_PBKDF2 ? "PBKDF2"
                                                                          : NULL;
}

size_t jose_library_hmac(const jose_library *library, const char *digest, uint8_t *out,
                         jose_number key, const jose_number *pieces, size_t count)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, (char *)JOSE_PROPERTIES, 0),
        OSSL_PARAM_construct_end(),
    };
    size_t size = 0;
    // The context is new, so that the key is freed with it.
    EVP_MAC_CTX *mac = EVP_MAC_CTX_new(library->hmac);
    bool done = mac != NULL && EVP_MAC_init(mac, key.bytes, key.len, params) == 1;
    for (size_t i = 0; i < count && done; i++)
        done = pieces[i].len == 0 || EVP_MAC_update(mac, pieces[i].bytes, pieces[i].len) == 1;
    done = done && EVP_MAC_final(mac, out, &size, JOSE_MAX_DIGEST) == 1;
    EVP_MAC_CTX_free(mac);
    return done ? size : 0;
}

jose_status jose_start(void)
{
    JOSE_HOST_SCOPE;
    return jose_library_get() == NULL ? JOSE_INTERNAL : JOSE_OK;
}

// Entering the host's scope does it (host.c).
void jose_skip_exit_cleanup(void)
{
    JOSE_HOST_SCOPE;
}

jose_status jose_ignore_configuration(void)
{
    JOSE_HOST_SCOPE;
    return OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) == 1 ? JOSE_OK : JOSE_INTERNAL;
}

const char *jose_library_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

static jose_kernel_set kernels_that(bool (*holds)(unsigned kernel))
{
    unsigned set = 0;
    JOSE_HOST_SCOPE;  // the first test makes keys
    for (unsigned kernel = 1; kernel <= JOSE_KERNEL_LAST; kernel *= 2)
        if (holds(kernel)) set |= kernel;
    return set;
}

jose_kernel_set jose_kernels(void)
{
    return kernels_that(jose_kernel_usable);
}

jose_kernel_set jose_kernels_off(void)
{
    return kernels_that(jose_kernel_is_off_after_test);
}

void jose_kernels_switch_off(jose_kernel_set kernels)
{
    jose_kernel_switch_off(kernels);
}

static _Atomic(jose_kernels_watcher) watcher;

static void forward(unsigned kernel)
{
    const jose_kernels_watcher listener = atomic_load(&watcher);
    if (listener != NULL) listener((jose_kernel_set)kernel);
}

void jose_kernels_watch(jose_kernels_watcher listener)
{
    atomic_store(&watcher, listener);
    jose_kernel_watch(listener == NULL ? NULL : forward);
}
