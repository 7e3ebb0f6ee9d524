// host.c: the thread's error queue, and what a process-wide configuration may have replaced.
// One of the three files that use deprecated functions: there are no others for these questions.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "host.h"

#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/engine.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <string.h>

void jose_host_enter(jose_host *host)
{
    host->queue = ERR_get_state();
    host->held = host->queue != NULL && host->queue->top != host->queue->bottom;
    if (host->held) {
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
    // Entries that were read still hold their texts: under the copy they would leak.
    if (host->held || queue->top != queue->bottom) ERR_clear_error();
    if (!host->held) return;
    // A cleared place keeps its text buffer, likewise.
    for (int i = 0; i < ERR_NUM_ERRORS; i++)
        if (queue->err_data_flags[i] & ERR_TXT_MALLOCED) OPENSSL_free(queue->err_data[i]);
    *queue = host->saved;
}

bool jose_take_host_fault(void)
{
    bool fault = false;
    unsigned long code;
    while ((code = ERR_get_error()) != 0)
        fault |= ERR_SYSTEM_ERROR(code) || ERR_FATAL_ERROR(code);
    return fault;
}

bool jose_host_lacks(void)
{
    bool lacks = false, fault = false;
    unsigned long code;
    while ((code = ERR_get_error()) != 0) {
        const int reason = ERR_GET_REASON(code);
        fault |= ERR_SYSTEM_ERROR(code) || ERR_FATAL_ERROR(code);
        lacks |= (ERR_GET_LIB(code) == ERR_LIB_EVP && reason == ERR_R_UNSUPPORTED) ||
                 (ERR_GET_LIB(code) == ERR_LIB_EC && reason == EC_R_UNKNOWN_GROUP);
    }
    return lacks && !fault;
}

int jose_host_first_library(void)
{
    return ERR_GET_LIB(ERR_peek_error());
}

bool jose_host_replaced_rsa(void)
{
#ifndef OPENSSL_NO_ENGINE
    ENGINE *engine = ENGINE_get_default_RSA();
    if (engine != NULL) {
        ENGINE_finish(engine);
        return true;
    }
#endif
    return RSA_get_default_method() != RSA_PKCS1_OpenSSL();
}

bool jose_host_replaced_ec(void)
{
#ifndef OPENSSL_NO_ENGINE
    ENGINE *engine = ENGINE_get_default_EC();
    if (engine != NULL) {
        ENGINE_finish(engine);
        return true;
    }
#endif
    return EC_KEY_get_default_method() != EC_KEY_OpenSSL();
}

bool jose_host_replaced_random(void)
{
    return RAND_get_rand_method() != RAND_OpenSSL();
}
