// host.c: reads libcrypto's error entries, and finds what the host replaced in libcrypto. Only
// deprecated functions return the replacements.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "host.h"

#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <stdatomic.h>

// Keeps libcrypto from cleaning up at exit: threads may still use it then. Must run before
// libcrypto's first use, which registers the cleanup (docs/libcrypto.md).
static void keep_at_exit(void)
{
    static atomic_bool is_disabled;
    if (atomic_load_explicit(&is_disabled, memory_order_relaxed)) return;
    (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    atomic_store_explicit(&is_disabled, true, memory_order_relaxed);
}

void jose_host_enter(jose_host *host)
{
    keep_at_exit();
    jose_queue_save(&host->queue);
}

void jose_host_leave(jose_host *host)
{
    jose_queue_restore(&host->queue);
}

bool jose_take_system_failure(void)
{
    bool failure = false;
    unsigned long code;
    while ((code = ERR_get_error()) != 0)
        failure |= ERR_SYSTEM_ERROR(code) || ERR_FATAL_ERROR(code);
    return failure;
}

bool jose_take_unsupported(void)
{
    bool lacks = false, failure = false;
    unsigned long code;
    while ((code = ERR_get_error()) != 0) {
        const int reason = ERR_GET_REASON(code);
        failure |= ERR_SYSTEM_ERROR(code) || ERR_FATAL_ERROR(code);
        lacks |= (ERR_GET_LIB(code) == ERR_LIB_EVP && reason == ERR_R_UNSUPPORTED) ||
                 (ERR_GET_LIB(code) == ERR_LIB_EC && reason == EC_R_UNKNOWN_GROUP);
    }
    return lacks && !failure;
}

int jose_host_first_library(void)
{
    return ERR_GET_LIB(ERR_peek_error());
}

bool jose_host_first_is(int library, int reason)
{
    const unsigned long entry = ERR_peek_error();
    return ERR_GET_LIB(entry) == library && ERR_GET_REASON(entry) == reason;
}

#ifdef JOSE_HAS_ENGINES
static bool has_engine(ENGINE *(*default_engine)(void))
{
    ENGINE *engine = default_engine == NULL ? NULL : default_engine();
    if (engine != NULL && ENGINE_finish != NULL) ENGINE_finish(engine);
    return engine != NULL;
}
#else
#define has_engine(default_engine) false
#endif

bool jose_host_replaced_rsa(void)
{
    if (has_engine(ENGINE_get_default_RSA)) return true;
    return RSA_get_default_method() != RSA_PKCS1_OpenSSL();
}

bool jose_host_replaced_ec(void)
{
    if (has_engine(ENGINE_get_default_EC)) return true;
    return EC_KEY_get_default_method() != EC_KEY_OpenSSL();
}

bool jose_host_replaced_random(void)
{
    return RAND_get_rand_method() != RAND_OpenSSL();
}
