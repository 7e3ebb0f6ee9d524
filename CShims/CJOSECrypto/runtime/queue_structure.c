// queue_structure.c: copies the structure of the error queue, after a comparison with what
// libcrypto's functions return. Only a deprecated function returns the structure.

#define OPENSSL_SUPPRESS_DEPRECATED
#include "queue.h"

#ifndef JOSE_QUEUE_BY_ENTRIES

#include <openssl/crypto.h>
#include <string.h>

// Whether the structure and libcrypto's functions have the same first entry.
static bool is_as_declared(const ERR_STATE *queue)
{
    const char *file = "", *function = "", *data = "";
    int line = 0, flags = 0;
    const unsigned long first = ERR_peek_error_all(&file, &line, &function, &data, &flags);
    // The host's first entry may have the code 0, after ERR_new alone.
    if (first == 0 && queue->top == queue->bottom) return true;
    if (queue->top < 0 || queue->top >= ERR_NUM_ERRORS || queue->bottom < 0 ||
        queue->bottom >= ERR_NUM_ERRORS)
        return false;
    const int index = (queue->bottom + 1) % ERR_NUM_ERRORS;
    return queue->err_buffer[index] == first && queue->err_line[index] == line &&
           (queue->err_file[index] == file || *file == 0) &&
           (queue->err_func[index] == function || *function == 0) &&
           (queue->err_data[index] == data || *data == 0);
}

jose_status jose_queue_check(void)
{
    // jose_queue_save moves the host's entries away, unless the layout differs from the headers.
    if (ERR_peek_error() != 0) return JOSE_UNSUPPORTED;
    const ERR_STATE *queue = ERR_get_state();
    if (queue == NULL) return JOSE_INTERNAL;
    ERR_raise(ERR_LIB_USER, 1);
    const bool known = queue->top != queue->bottom && is_as_declared(queue);
    ERR_clear_error();
    return known ? JOSE_OK : JOSE_UNSUPPORTED;
}

// Used instead of a queue whose layout differs from the headers: that queue is never written, and
// nothing else of such a libcrypto is used (library.c).
static ERR_STATE unknown_queue;

void jose_queue_save(jose_queue *saved)
{
    saved->queue = ERR_get_state();
    saved->has_saved = saved->queue != NULL && saved->queue->top != saved->queue->bottom;
    if (saved->has_saved && !is_as_declared(saved->queue)) {
        saved->queue = &unknown_queue;
        saved->has_saved = false;
    }
    if (saved->has_saved) {
        saved->saved = *saved->queue;
        memset(saved->queue, 0, sizeof *saved->queue);
    }
}

void jose_queue_restore(jose_queue *saved)
{
    ERR_STATE *queue = saved->queue;
    if (queue == NULL) {  // there was no memory for a queue; one may exist now
        ERR_clear_error();
        return;
    }
    // The entries of the call, also those that were read, own strings that would leak below.
    if (saved->has_saved || queue->top != queue->bottom) ERR_clear_error();
    if (!saved->has_saved) return;
    // A cleared entry keeps the buffer of its string, which would leak too.
    for (int i = 0; i < ERR_NUM_ERRORS; i++)
        if (queue->err_data_flags[i] & ERR_TXT_MALLOCED) OPENSSL_free(queue->err_data[i]);
    *queue = saved->saved;
}

#endif
