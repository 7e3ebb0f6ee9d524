// cjoseredis.h is the whole contract of the C target CJOSERedis: one connection to a Redis server by
// hiredis, on a thread of its own. C moves commands and replies; it knows the meaning of none.
#ifndef CJOSEREDIS_H
#define CJOSEREDIS_H

#include <stddef.h>
#include <stdint.h>

// What a request or a connection can end in. An error reply of the server is JOSE_REDIS_OK.
typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_REDIS_OK = 0,
    JOSE_REDIS_UNREACHABLE = 1,  // no address, no connection
    JOSE_REDIS_LOST = 2,         // the connection broke, or the server is silent
    JOSE_REDIS_TIMED_OUT = 3,    // the request's time limit passed; the server may have done it
    JOSE_REDIS_BROKEN = 4,       // the server broke the protocol: arrays, too much, what nobody asked for
    JOSE_REDIS_CLOSED = 5,       // we ended the connection
    JOSE_REDIS_BUSY = 6,         // too many requests wait
    JOSE_REDIS_INTERNAL = 7      // memory, threads
} jose_redis_status;

// The kinds of replies; arrays and what RESP3 adds are rejected.
typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_REPLY_NOTHING = 0,
    JOSE_REPLY_STATUS = 1,
    JOSE_REPLY_ERROR = 2,
    JOSE_REPLY_BYTES = 3,
    JOSE_REPLY_INTEGER = 4
} jose_reply_kind;

// One reply, with its bytes: of a status, an error or a byte string.
typedef struct {
    jose_reply_kind kind;
    long long integer;
    size_t len;
    const uint8_t *bytes;
} jose_reply;

#define JOSE_REDIS_MAX_REPLIES 4      // of one request
#define JOSE_REDIS_MAX_WAITING 65536  // requests of one connection
#define JOSE_REDIS_MAX_BYTES 262144   // of a reply that is not whole yet

// A connection: one thread and the requests that wait for it.
typedef struct jose_redis jose_redis;

// Called once for each accepted request, on the connection's thread; must not block. There are as
// many replies as were announced with JOSE_REDIS_OK, else none; they are gone when it returns.
typedef void (*jose_redis_done)(void *context, jose_redis_status status,
                                const jose_reply *const *replies, size_t reply_count);

// Called once for each connection, after its last request ended, with why it ended.
typedef void (*jose_redis_ended)(void *context, jose_redis_status why);

// jose_redis_open starts a connection to a host and port, or to the socket at a path where port is
// 0. It returns at once; requests wait until the server accepts. Returns NULL if memory or the
// thread fails, and ended is never called then. To be freed once.
jose_redis *jose_redis_open(const char *host, int port, jose_redis_ended ended, void *context);

// jose_redis_end ends the connection and returns at once; requests that wait end with
// JOSE_REDIS_CLOSED on its thread. May be called from a callback, and more than once.
void jose_redis_end(jose_redis *redis);

// jose_redis_free ends the connection and gives up the caller's part in it. Does nothing with NULL.
void jose_redis_free(jose_redis *redis);

// jose_redis_send queues a request, the bytes of one or more commands as the protocol writes them, and
// returns at once. Returns JOSE_REDIS_OK if done will be called, else why not, and nothing was
// sent. A connection that owes a reply for twice the time limit ends. Any thread may call it.
jose_redis_status jose_redis_send(jose_redis *redis, jose_redis_done done, void *context,
                                  const uint8_t *bytes, size_t len, size_t reply_count,
                                  long time_limit_ms);

#endif
