// cjoseredis.h: a connection to a Redis server by hiredis, on its own thread. This header is the
// whole contract of the C target CJOSERedis. It sends commands and receives replies without
// interpreting them.
#ifndef CJOSEREDIS_H
#define CJOSEREDIS_H

#include <stddef.h>
#include <stdint.h>

// The result of a request or a connection. An error reply of the server is JOSE_REDIS_OK too.
typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_REDIS_OK = 0,
    JOSE_REDIS_UNREACHABLE = 1,  // no DNS address or no connection
    JOSE_REDIS_LOST = 2,         // the connection broke, or the server is silent
    JOSE_REDIS_TIMED_OUT = 3,    // the time limit passed; the server may have executed the request
    JOSE_REDIS_BROKEN = 4,       // protocol error: arrays, too much data, an unexpected reply
    JOSE_REDIS_CLOSED = 5,       // the caller ended the connection
    JOSE_REDIS_BUSY = 6,         // too many waiting requests
    JOSE_REDIS_INTERNAL = 7      // memory, threads
} jose_redis_status;

// The kinds of replies. Arrays and the types that RESP3 adds are rejected.
typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_REPLY_NOTHING = 0,
    JOSE_REPLY_STATUS = 1,
    JOSE_REPLY_ERROR = 2,
    JOSE_REPLY_BYTES = 3,
    JOSE_REPLY_INTEGER = 4
} jose_reply_kind;

// One reply. Statuses, errors and byte strings have bytes.
typedef struct {
    jose_reply_kind kind;
    long long integer;
    size_t len;
    const uint8_t *bytes;
} jose_reply;

#define JOSE_REDIS_MAX_REPLIES 4      // replies of one request
#define JOSE_REDIS_MAX_WAITING 65536  // waiting requests of one connection
#define JOSE_REDIS_MAX_BYTES 262144   // bytes of a reply that is not complete yet

// A connection: one thread and the requests that wait for it.
typedef struct jose_redis jose_redis;

// Called once for each accepted request, on the connection's thread. Must not block. With
// JOSE_REDIS_OK reply_count is the one that jose_redis_send got, otherwise 0. The replies are valid
// until the callback returns.
typedef void (*jose_redis_done)(void *context, jose_redis_status status,
                                const jose_reply *const *replies, size_t reply_count);

// Called once for each connection, after its last request ended. `why` is why the connection ended.
typedef void (*jose_redis_ended)(void *context, jose_redis_status why);

// jose_redis_open starts a connection to a host and port. If port is 0, `host` is the path of a
// Unix socket. The string is copied. Returns at once; requests wait until the server accepts.
// `ended` must not be NULL, and `context` must live until `ended` has returned. Returns NULL,
// without a call of `ended`, if memory or the thread fails. Free it with jose_redis_free.
jose_redis *jose_redis_open(const char *host, int port, jose_redis_ended ended, void *context);

// jose_redis_end ends the connection and returns at once. Waiting requests end with
// JOSE_REDIS_CLOSED on the connection's thread. May be called from a callback, and more than once.
void jose_redis_end(jose_redis *redis);

// jose_redis_free ends the connection as jose_redis_end does, and invalidates the handle. Callbacks
// of waiting requests and `ended` may still run after it returned: their contexts must live until
// then. May be called from a callback. NULL is allowed.
void jose_redis_free(jose_redis *redis);

// jose_redis_send queues a request and returns at once. The bytes, which are copied, are one or
// more commands in Redis's protocol. reply_count is the number of commands, 1 to
// JOSE_REDIS_MAX_REPLIES, and time_limit_ms is at least 1, else JOSE_REDIS_INTERNAL. Returns
// JOSE_REDIS_OK if `done` will be called, once; `context` must live until then. Otherwise returns
// the reason, and nothing is sent. After the time limit the request ends with JOSE_REDIS_TIMED_OUT.
// If its replies have not arrived after twice the time limit, the connection ends. Any thread may
// call jose_redis_send.
jose_redis_status jose_redis_send(jose_redis *redis, jose_redis_done done, void *context,
                                  const uint8_t *bytes, size_t len, size_t reply_count,
                                  long time_limit_ms);

#endif
