// host.h: keeps the host's OpenSSL state as it was, and sees what the host changed in libcrypto.
#ifndef JOSE_HOST_H
#define JOSE_HOST_H

#include "cjosecrypto.h"

#include <openssl/err.h>
#include <stdbool.h>

// The error queue of this thread as a call found it.
typedef struct {
    ERR_STATE *queue;
    bool has_saved;        // the host had entries: they wait in saved
    ERR_STATE saved;  // only then written
} jose_host;

// jose_host_enter gives the call an empty error queue. Mark and pop would not do: the queue has
// sixteen places, and new entries push out the host's oldest ones.
void jose_host_enter(jose_host *host);

// jose_host_leave drops what the call left and puts back what the host had.
void jose_host_leave(jose_host *host);

// JOSE_HOST_SCOPE enters, and leaves wherever the block ends: after what a return computes.
#define JOSE_HOST_SCOPE                                       \
    __attribute__((cleanup(jose_host_leave))) jose_host host; \
    jose_host_enter(&host)

// jose_host_check_queue tells whether the error queue of the libcrypto that runs lies in memory as in the headers: no
// function counts or saves it, so the two above read and write its public structure. JOSE_UNSUPPORTED if it does not,
// JOSE_INTERNAL without memory for one. The queue is empty before and after, or it holds the host's entries where
// jose_host_enter did not know it.
jose_status jose_host_check_queue(void);

// jose_take_host_failure empties the queue and tells whether an entry speaks of memory or of the machine
// rather than of the data.
bool jose_take_host_failure(void);

// jose_host_lacks empties the queue and tells whether it says that libcrypto does not have what was asked for, and
// nothing of memory or of the machine.
bool jose_host_lacks(void);

// jose_host_first_library returns which part of libcrypto wrote the first entry (ERR_LIB_RSA and so on); 0 where
// there is none, which is how some of its parts fail without memory.
int jose_host_first_library(void);

// jose_host_first_is tells whether the first entry is this part's and has this reason.
bool jose_host_first_is(int library, int reason);

// Some systems leave openssl/engine.h out and have engines all the same, others have neither. What counts is the
// libcrypto that runs: where it has no such function, no engine stands in for anything.
extern ENGINE *ENGINE_get_default_RSA(void) __attribute__((weak));
extern ENGINE *ENGINE_get_default_EC(void) __attribute__((weak));
extern int ENGINE_finish(ENGINE *engine) __attribute__((weak));

// jose_host_replaced_rsa tells whether the host put an engine or a method of its own in the place
// of libcrypto's RSA, which OpenSSL 3.0 then uses in every context, ours too.
bool jose_host_replaced_rsa(void);

// jose_host_replaced_ec: the same for EC.
bool jose_host_replaced_ec(void);

// jose_host_replaced_random: the same for random numbers.
bool jose_host_replaced_random(void);

#endif
