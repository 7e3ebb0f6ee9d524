// host.h: preserves the OpenSSL state of the host, the program that loads this library, and detects
// what the host changed in libcrypto.
#ifndef JOSE_HOST_H
#define JOSE_HOST_H

#include "queue.h"

// The host's state that a call changes and restores.
typedef struct {
    jose_queue queue;
} jose_host;

// jose_host_enter empties the error queue for a call. Mark and pop are not enough: the queue holds
// fifteen entries, and new ones would push out the host's.
void jose_host_enter(jose_host *host);

// jose_host_leave drops the entries of the call and restores the host's entries.
void jose_host_leave(jose_host *host);

// JOSE_HOST_SCOPE calls jose_host_enter now, and jose_host_leave at the end of the block.
#define JOSE_HOST_SCOPE                                       \
    __attribute__((cleanup(jose_host_leave))) jose_host host; \
    jose_host_enter(&host)

// A system failure is an error that the data did not cause: memory ran out, or the operating system
// or libcrypto itself failed (ERR_SYSTEM_ERROR, ERR_FATAL_ERROR).

// jose_take_system_failure empties the queue and returns whether an entry is a system failure.
bool jose_take_system_failure(void);

// jose_take_unsupported empties the queue. Returns whether an entry means that libcrypto lacks what
// was requested, and no entry is a system failure.
bool jose_take_unsupported(void);

// jose_host_first_library returns the part of libcrypto that wrote the first entry (ERR_LIB_RSA and
// so on), or 0 if there is none. Some parts fail without an entry if memory runs out.
int jose_host_first_library(void);

// jose_host_first_is returns whether the first entry has this library and reason.
bool jose_host_first_is(int library, int reason);

// Weak declarations: some systems lack openssl/engine.h, others lack engines. Without these
// functions no engine can replace anything. From 4.0 on libcrypto has no engines, and a weak name
// could resolve to a libcrypto.so.3 in the same process.
#if OPENSSL_VERSION_MAJOR < 4
#define JOSE_HAS_ENGINES
extern ENGINE *ENGINE_get_default_RSA(void) __attribute__((weak));
extern ENGINE *ENGINE_get_default_EC(void) __attribute__((weak));
extern int ENGINE_finish(ENGINE *engine) __attribute__((weak));
#endif

// jose_host_replaced_rsa returns whether the host replaced libcrypto's RSA by an engine or a
// method. OpenSSL 3.0 then uses the replacement in every library context, also in ours.
bool jose_host_replaced_rsa(void);

// jose_host_replaced_ec does the same for EC.
bool jose_host_replaced_ec(void);

// jose_host_replaced_random does the same for random numbers.
bool jose_host_replaced_random(void);

#endif
