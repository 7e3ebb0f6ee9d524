// queue.h: saves and restores the calling thread's error queue. Up to OpenSSL 3.x the queue's
// structure is public, and is copied (queue_structure.c): marks and strings stay, no memory is
// needed. From 4.0 on it is opaque: the entries are read and raised again (queue_entries.c). The
// headers decide, since a program built with those of 3.x loads libcrypto.so.3. See
// docs/decisions/0008-the-hosts-openssl.md.
#ifndef JOSE_QUEUE_H
#define JOSE_QUEUE_H

#include "cjosecrypto.h"

#include <openssl/err.h>
#include <stdbool.h>

// JOSE_QUEUE_BY_ENTRIES is also for tests with 3.2 and later, whose structure is still public.
#if OPENSSL_VERSION_MAJOR >= 4 && !defined(JOSE_QUEUE_BY_ENTRIES)
#define JOSE_QUEUE_BY_ENTRIES
#endif

#ifdef JOSE_QUEUE_BY_ENTRIES

// The entries that are saved; libcrypto keeps fifteen.
enum { JOSE_QUEUE_ENTRIES = 16 };

// An entry of the error queue. Strings are copies (NULL: memory ran out), except static `data`.
typedef struct {
    unsigned long code;
    const char *file, *function, *data;
    int line, flags;
    int marks;  // the host's calls of ERR_set_mark at this entry
} jose_queue_entry;

typedef struct {
    int count;
    char *strings;                                 // copies; not set without entries
    jose_queue_entry entries[JOSE_QUEUE_ENTRIES];  // only the first count are set
} jose_queue;

#else

typedef struct {
    ERR_STATE *queue;
    bool has_saved;   // the host's entries are in saved
    ERR_STATE saved;  // written only if has_saved
} jose_queue;

#endif

// jose_queue_save moves the host's entries out of the queue, which is empty then.
void jose_queue_save(jose_queue *queue);

// jose_queue_restore drops all entries of the queue and moves the saved ones back, with their
// marks. Where the structure is opaque, an entry's strings have new addresses afterwards. If memory
// ran out, the strings are lost, but not the codes.
void jose_queue_restore(jose_queue *queue);

// jose_queue_check checks that the queue of the running libcrypto has the structure of the headers.
// If the structure is opaque, checks that the queue keeps no more entries than are saved. Returns
// JOSE_UNSUPPORTED if not, JOSE_INTERNAL if memory runs out. Call it inside JOSE_HOST_SCOPE.
jose_status jose_queue_check(void);

#endif
