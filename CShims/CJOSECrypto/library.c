// library.c: makes OpenSSL's library context, loads the default provider and fetches once.

#include "library.h"

#include <openssl/crypto.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdatomic.h>

#include "digest.h"
#include "host.h"
#include "kernels/selftest.h"

static _Atomic(jose_library *) shared;
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static const char *const cbc_names[JOSE_CBC_CIPHERS] = {"AES-128-CBC", "AES-192-CBC",
                                                        "AES-256-CBC"};

static void library_free(jose_library *library)
{
    for (int i = 0; i < JOSE_HASHES; i++) EVP_MD_free(library->digests[i]);
    for (int i = 0; i < JOSE_CBC_CIPHERS; i++) {
        EVP_CIPHER_free(library->cbc[i]);
        jose_pool_free(library->cbc_contexts[i], NULL);
    }
    EVP_MAC_free(library->hmac);
    jose_pool_free(library->importers, NULL);
    OSSL_LIB_CTX_free(library->context);  // unloads the provider too
    OPENSSL_free(library);
}

static jose_library *library_make(void)
{
    // 3.0 is the oldest version with providers; the next major may change what we rely on.
    if (OPENSSL_version_major() != OPENSSL_VERSION_MAJOR || OPENSSL_VERSION_MAJOR != 3) return NULL;

    jose_library *library = OPENSSL_zalloc(sizeof *library);
    if (library == NULL) return NULL;
    library->context = OSSL_LIB_CTX_new();
    if (library->context == NULL) goto fail;
    if (OSSL_PROVIDER_load(library->context, "default") == NULL) goto fail;

    for (int i = 0; i < JOSE_HASHES; i++) {
        const char *name = jose_digest_row((jose_hash)i)->name;
        library->digests[i] = EVP_MD_fetch(library->context, name, JOSE_PROPERTIES);
        if (library->digests[i] == NULL) goto fail;
    }
    for (int i = 0; i < JOSE_CBC_CIPHERS; i++) {
        library->cbc[i] = EVP_CIPHER_fetch(library->context, cbc_names[i], JOSE_PROPERTIES);
        library->cbc_contexts[i] = jose_pool_make();
        if (library->cbc[i] == NULL || library->cbc_contexts[i] == NULL) goto fail;
    }
    library->hmac = EVP_MAC_fetch(library->context, "HMAC", JOSE_PROPERTIES);
    library->importers = jose_pool_make();
    if (library->hmac == NULL || library->importers == NULL) goto fail;
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

jose_status jose_start(void)
{
    jose_host host;
    jose_host_enter(&host);
    const jose_library *library = jose_library_get();
    jose_host_leave(&host);
    return library == NULL ? JOSE_INTERNAL : JOSE_OK;
}

jose_status jose_ignore_configuration(void)
{
    jose_host host;
    jose_host_enter(&host);
    int done = OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    jose_host_leave(&host);
    return done == 1 ? JOSE_OK : JOSE_INTERNAL;
}

const char *jose_library_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

static jose_kernel_set kernels_that(bool (*holds)(unsigned kernel))
{
    unsigned set = 0;
    for (unsigned kernel = 1; kernel <= JOSE_KERNEL_CONTENT; kernel *= 2)
        if (holds(kernel)) set |= kernel;
    return set;
}

jose_kernel_set jose_kernels(void)
{
    return kernels_that(jose_kernel_usable);
}

jose_kernel_set jose_kernels_off(void)
{
    return kernels_that(jose_kernel_failed);
}
