// library.c: makes the library context of the default provider, fetches the algorithms of a library
// once, and keeps which library the process uses.

#include "library.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

#include "digest.h"
#include "fips.h"
#include "host.h"
#include "offer.h"
#include "presence.h"

// The library that the process uses. It never changes once it is set.
static _Atomic(jose_library *) shared;
static _Atomic(jose_library *) fips_library;      // NULL until it is loaded
static char *fips_configuration;                  // the configuration of fips_library
static _Atomic jose_start_failure start_failure;  // found by the last start
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static const char *const cipher_names[JOSE_CIPHERS] = {
    [JOSE_AES_128_CBC] = "AES-128-CBC",
    [JOSE_AES_192_CBC] = "AES-192-CBC",
    [JOSE_AES_256_CBC] = "AES-256-CBC",
    [JOSE_AES_128_GCM] = "AES-128-GCM",
    [JOSE_AES_192_GCM] = "AES-192-GCM",
    [JOSE_AES_256_GCM] = "AES-256-GCM",
    [JOSE_AES_128_KW] = "AES-128-ECB",
    [JOSE_AES_192_KW] = "AES-192-ECB",
    [JOSE_AES_256_KW] = "AES-256-ECB",
};

// aes_wrap.c wraps keys with single blocks of AES-ECB. A FIPS provider does not contain that code,
// so the FIPS library uses the provider's own key wrapping.
static const char *cipher_name(const jose_library *library, int cipher)
{
    static const char *const wraps[] = {"AES-128-WRAP", "AES-192-WRAP", "AES-256-WRAP"};
    return library->is_fips && cipher >= JOSE_AES_128_KW ? wraps[cipher - JOSE_AES_128_KW]
                                                         : cipher_names[cipher];
}

static void library_free(jose_library *library)
{
    for (int i = 0; i < JOSE_HASHES; i++) EVP_MD_free(library->digests[i]);
    for (int i = 0; i < JOSE_CIPHERS; i++) {
        EVP_CIPHER_free(library->ciphers[i]);
        jose_pool_free(library->cipher_contexts[i], NULL);
    }
    EVP_MAC_free(library->hmac);
    EVP_KDF_free(library->one_step);
    jose_pool_free(library->cek_pool, NULL);
    for (int i = 0; i < JOSE_IMPORTERS; i++) {
        jose_pool_free(library->importers[i], NULL);
        jose_pool_free(library->groups[i], NULL);
    }
    if (library->base != NULL) OSSL_PROVIDER_unload(library->base);
    if (library->provider != NULL) OSSL_PROVIDER_unload(library->provider);
    OSSL_LIB_CTX_free(library->context);
    OPENSSL_free(library);
}

bool jose_openssl_supported(unsigned long number)
{
    return number == JOSE_OPENSSL_PATCHED ||
           number >= JOSE_OPENSSL_MIN;
}

// `line` is the major and minor version.
bool jose_openssl_tested(unsigned long number)
{
    const unsigned long line = number >> 20;
    return line == 0x300 || line == 0x305 || line == 0x400;
}

unsigned long jose_library_number(void)
{
    return OpenSSL_version_num();
}

jose_start_failure jose_library_failure(void)
{
    return atomic_load(&start_failure);
}

// A child of fork has only the thread that forked: a start by another thread would never end there,
// and its locks would stay locked. So a fork waits for the end of a start.
static void block_start(void)
{
    pthread_mutex_lock(&making);
}

static void allow_start(void)
{
    pthread_mutex_unlock(&making);
}

// Runs when the library is loaded. If pthread_atfork fails for lack of memory, forks do not wait.
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(block_start, allow_start, allow_start);
}

// Records a fetched part. Returns false if a fetch failed for another reason than a missing part.
static bool record(jose_library *library, const void *fetched, jose_parts part,
                   jose_wanted_kind kind, const char *name)
{
    if (fetched == NULL)
        return jose_presence_of_failed_fetch(library, &(jose_wanted){kind, name, 0}) ==
               JOSE_UNSUPPORTED;
    library->parts |= part;
    return true;
}

// Fetches what libcrypto itself uses for Ed448 and random numbers, so that it reads its tables of
// algorithms now.
// If an algorithm is missing, only its use fails later. Returns false after a system failure.
static bool fetch_internals(const jose_library *library)
{
    static const jose_wanted all[] = {
        {JOSE_A_DIGEST, "SHAKE256", 0},
        {JOSE_A_CIPHER, "AES-256-CTR", 0},
        {JOSE_A_GENERATOR, "CTR-DRBG", 0},
        {JOSE_A_GENERATOR, "SEED-SRC", 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        // The FIPS provider gets its entropy from libcrypto, so no seed source is fetched.
        if (library->is_fips && strcmp(all[i].name, "SEED-SRC") == 0) continue;
        const jose_status status = jose_presence_check(library, &all[i]);
        if (status == JOSE_INTERNAL) return false;
        if (status == JOSE_UNSUPPORTED && all[i].kind == JOSE_A_GENERATOR)
            atomic_store(&start_failure, JOSE_START_FAILURE_GENERATOR);
    }
    // The first call in a process initialises libcrypto's random methods, and a failure lasts.
    (void)jose_host_replaced_random();
    // Allocates the context's record of its generators. Makes no generator and draws nothing.
    return RAND_set_DRBG_type(library->context, NULL, NULL, NULL, NULL) == 1;
}

bool jose_library_runs(void)
{
    // The running library may have another version than the headers.
    atomic_store(&start_failure, JOSE_START_FAILURE_NONE);
    const unsigned long running = OpenSSL_version_num();
    if (!jose_openssl_supported(running) || running >> 28 != OPENSSL_VERSION_MAJOR) {
        atomic_store(&start_failure, JOSE_START_FAILURE_VERSION);
        return false;
    }
    const jose_status queue = jose_queue_check();  // of libcrypto's error queue
    if (queue == JOSE_UNSUPPORTED) atomic_store(&start_failure, JOSE_START_FAILURE_QUEUE);
    return queue == JOSE_OK;
}

static bool fetch_all(jose_library *library)
{
    // Sets the context's default properties, for fetches by a provider itself, and for calls that
    // would leak memory with properties as an argument (pkcs12.c).
    if (EVP_set_default_properties(library->context, library->properties) != 1) return false;
    for (int i = 0; i < JOSE_HASHES; i++) {
        const char *name = jose_digest_entry_of((jose_hash)i)->name;
        library->digests[i] = EVP_MD_fetch(library->context, name, library->properties);
        if (!record(library, library->digests[i], jose_part_digest((jose_hash)i), JOSE_A_DIGEST,
                    name))
            return false;
    }
    for (int i = 0; i < JOSE_CIPHERS; i++) {
        const char *name = cipher_name(library, i);
        library->ciphers[i] = EVP_CIPHER_fetch(library->context, name, library->properties);
        library->cipher_contexts[i] = jose_pool_make();
        if (library->cipher_contexts[i] == NULL ||
            !record(library, library->ciphers[i], jose_part_cipher((jose_cipher)i), JOSE_A_CIPHER,
                    name))
            return false;
    }
    library->hmac = EVP_MAC_fetch(library->context, "HMAC", library->properties);
    if (library->is_fips) {
        library->one_step = EVP_KDF_fetch(library->context, "SSKDF", library->properties);
        if (library->one_step == NULL) return false;
    }
    library->cek_pool = jose_pool_make();
    if (library->cek_pool == NULL ||
        !record(library, library->hmac, JOSE_PART_HMAC, JOSE_A_MAC, "HMAC"))
        return false;
    for (int i = 0; i < JOSE_IMPORTERS; i++) {
        library->importers[i] = jose_pool_make();
        library->groups[i] = jose_pool_make();
        if (library->importers[i] == NULL || library->groups[i] == NULL) return false;
    }
    const jose_status passwords =
        jose_presence_check(library, &(jose_wanted){JOSE_A_KDF, "PBKDF2", 0});
    if (passwords == JOSE_INTERNAL || !jose_library_check_keys(library) ||
        !fetch_internals(library))
        return false;
    // SP 800-132 approves PBKDF2 for stored data only: no PBES2 tokens with a FIPS provider.
    if (passwords == JOSE_OK && !library->is_fips) library->parts |= JOSE_PART_PBKDF2;
    return true;
}

// If memory runs out while libcrypto first reads a table of algorithms, the context keeps a wrong
// result for its life. So everything is fetched here, and such a context is dropped.
jose_library *jose_library_fetch(const jose_library *made)
{
    jose_library *library = OPENSSL_zalloc(sizeof *library);
    if (library == NULL) {
        if (made->base != NULL) OSSL_PROVIDER_unload(made->base);
        OSSL_PROVIDER_unload(made->provider);
        OSSL_LIB_CTX_free(made->context);
        return NULL;
    }
    *library = *made;
    if (fetch_all(library)) return library;
    library_free(library);
    return NULL;
}

static jose_library *library_make(void)
{
    if (!jose_library_runs()) return NULL;
    jose_library made = {.context = OSSL_LIB_CTX_new(), .properties = JOSE_PROPERTIES};
    if (made.context == NULL) return NULL;
    made.provider = OSSL_PROVIDER_load(made.context, "default");
    if (made.provider == NULL) {
        // Without an error entry, or after a system failure, the provider may exist, so it is not
        // recorded as missing.
        if (ERR_peek_error() != 0 && !jose_take_system_failure())
            atomic_store(&start_failure, JOSE_START_FAILURE_PROVIDER);
    } else if (sodium_init() >= 0) {  // selects its fastest code once
        return jose_library_fetch(&made);
    } else {
        OSSL_PROVIDER_unload(made.provider);
    }
    OSSL_LIB_CTX_free(made.context);
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

const jose_library *jose_library_current(void)
{
    const jose_library *library = atomic_load_explicit(&shared, memory_order_acquire);
    if (library != NULL) return library;
    JOSE_HOST_SCOPE;
    library = jose_library_get();
    return library;
}

const jose_library *jose_library_of(jose_module module)
{
    return module == JOSE_MODULE_FIPS ? atomic_load_explicit(&fips_library, memory_order_acquire)
                                      : jose_library_get();
}

// MARK: the FIPS provider

bool jose_library_stopped(const jose_library *library)
{
    return library->is_fips && !jose_fips_is_running(library->provider);
}

bool jose_library_failed(const jose_library *library)
{
    return jose_take_system_failure() || jose_library_stopped(library);
}

static jose_fips_failure load_once(const char *module, const jose_fips_setting *settings,
                                   size_t count)
{
    if (!jose_fips_accepts_path(module)) return JOSE_FIPS_PATH;
    char *configuration = jose_fips_configuration(module, settings, count);
    if (configuration == NULL) return JOSE_FIPS_INTERNAL;
    const jose_library *loaded = atomic_load(&fips_library);
    if (loaded != NULL) {
        const bool is_same = strcmp(configuration, fips_configuration) == 0;
        OPENSSL_free(configuration);
        if (!is_same) return JOSE_FIPS_OTHER;
        return jose_fips_is_running(loaded->provider) ? JOSE_FIPS_OK : JOSE_FIPS_NOT_STARTED;
    }
    jose_library *made = NULL;
    const jose_fips_failure failure = jose_fips_make(&made, module, configuration);
    if (failure == JOSE_FIPS_OK) {
        fips_configuration = configuration;
        atomic_store_explicit(&fips_library, made, memory_order_release);
    } else {
        OPENSSL_free(configuration);
    }
    return failure;
}

jose_fips_failure jose_fips_load(const char *module, const jose_fips_setting *settings,
                                 size_t count)
{
    JOSE_HOST_SCOPE;
    if (pthread_mutex_lock(&making) != 0) return JOSE_FIPS_INTERNAL;
    const jose_fips_failure failure = load_once(module, settings, count);
    pthread_mutex_unlock(&making);
    return failure;
}

jose_fips_failure jose_fips_use(void)
{
    jose_library *fips = atomic_load(&fips_library);
    if (fips == NULL) return JOSE_FIPS_INTERNAL;
    JOSE_HOST_SCOPE;
    if (!jose_fips_is_running(fips->provider)) return JOSE_FIPS_NOT_STARTED;
    if (pthread_mutex_lock(&making) != 0) return JOSE_FIPS_INTERNAL;
    jose_library *current = atomic_load(&shared);
    if (current == NULL) {
        atomic_store_explicit(&shared, fips, memory_order_release);
        current = fips;
    }
    pthread_mutex_unlock(&making);
    return current == fips ? JOSE_FIPS_OK : JOSE_FIPS_LATE;
}

bool jose_fips_is_used(void)
{
    const jose_library *fips = atomic_load(&fips_library);
    return fips != NULL && fips == atomic_load(&shared);
}

bool jose_fips_describe(jose_fips_description *out)
{
    const jose_library *fips = atomic_load(&fips_library);
    if (fips == NULL) return false;
    JOSE_HOST_SCOPE;
    return jose_fips_read_description(out, fips->provider);
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
        if (missing & jose_part_cipher((jose_cipher)i)) return cipher_name(library, i);
    if (missing & JOSE_PART_HMAC) return "HMAC";
    if (!(missing & JOSE_PART_PBKDF2)) return NULL;
    return library->is_fips ? "PBKDF2 for tokens (SP 800-132)" : "PBKDF2";
}

jose_status jose_start(void)
{
    JOSE_HOST_SCOPE;
    return jose_library_get() == NULL ? JOSE_INTERNAL : JOSE_OK;
}

// jose_host_enter makes libcrypto skip its cleanup at exit (host.c).
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
