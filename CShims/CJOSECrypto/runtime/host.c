// host.c: the thread's error queue, and what process-wide settings of the host replaced. It uses
// deprecated functions (digest.h lists the files that do): no others answer these questions.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "host.h"

#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <stdatomic.h>
#include <string.h>

// Whether the queue's first entry equals what libcrypto returns for it, so that both use the same
// layout.
static bool is_as_declared(const ERR_STATE *queue)
{
    const char *file, *function, *data;
    int line, flags;
    const unsigned long first = ERR_peek_error_all(&file, &line, &function, &data, &flags);
    if (first == 0) return queue->top == queue->bottom;
    if (queue->top < 0 || queue->top >= ERR_NUM_ERRORS || queue->bottom < 0 ||
        queue->bottom >= ERR_NUM_ERRORS)
        return false;
    const int index = (queue->bottom + 1) % ERR_NUM_ERRORS;
    return queue->err_buffer[index] == first && queue->err_line[index] == line &&
           (queue->err_file[index] == file || *file == 0) &&
           (queue->err_func[index] == function || *function == 0) &&
           (queue->err_data[index] == data || *data == 0);
}

jose_status jose_host_check_queue(void)
{
    if (ERR_peek_error() != 0)
        return JOSE_UNSUPPORTED;  // the host's, which jose_host_enter could not move
    const ERR_STATE *queue = ERR_get_state();
    if (queue == NULL) return JOSE_INTERNAL;
    ERR_raise(ERR_LIB_USER, 1);
    const bool known = queue->top != queue->bottom && is_as_declared(queue);
    ERR_clear_error();
    return known ? JOSE_OK : JOSE_UNSUPPORTED;
}

// Used instead of a queue whose layout differs from its headers. Nothing of it is read or written,
// and nothing else of such a libcrypto is used (library.c).
static ERR_STATE unknown_queue;

// Threads may be running when the process exits, and libcrypto would free what they use. This must
// be set before libcrypto's first use here, which would register its cleanup (docs/libcrypto.md).
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
    host->queue = ERR_get_state();
    host->has_saved = host->queue != NULL && host->queue->top != host->queue->bottom;
    if (host->has_saved && !is_as_declared(host->queue)) {
        host->queue = &unknown_queue;
        host->has_saved = false;
    }
    if (host->has_saved) {
        host->saved = *host->queue;
        memset(host->queue, 0, sizeof *host->queue);
    }
}

void jose_host_leave(jose_host *host)
{
    ERR_STATE *queue = host->queue;
    if (queue == NULL) {  // there was no memory for one; by now there may be
        ERR_clear_error();
        return;
    }
    // Entries of the call still own their strings, also those that were read. The assignment below
    // would leak them.
    if (host->has_saved || queue->top != queue->bottom) ERR_clear_error();
    if (!host->has_saved) return;
    // A cleared entry keeps the buffer of its string, which would leak too.
    for (int i = 0; i < ERR_NUM_ERRORS; i++)
        if (queue->err_data_flags[i] & ERR_TXT_MALLOCED) OPENSSL_free(queue->err_data[i]);
    *queue = host->saved;
}

bool jose_take_host_failure(void)
{
    bool failure = false;
    unsigned long code;
    while ((code = ERR_get_error()) != 0)
        failure |= ERR_SYSTEM_ERROR(code) || ERR_FATAL_ERROR(code);
    return failure;
}

bool jose_host_lacks(void)
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

static bool has_engine(ENGINE *(*default_engine)(void))
{
    ENGINE *engine = default_engine == NULL ? NULL : default_engine();
    if (engine != NULL && ENGINE_finish != NULL) ENGINE_finish(engine);
    return engine != NULL;
}

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
