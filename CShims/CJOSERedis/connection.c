// connection.c: the thread that owns the connection, and the queue in front of it.
#include "request.h"

#include <cjosethread.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct jose_redis {
    pthread_mutex_t lock;  // guards queued, closing, ended, owners
    jose_requests queued;
    bool closing;
    jose_redis_status ended;  // JOSE_REDIS_OK while the connection is open
    int owners;               // the caller and the thread
    atomic_size_t waiting;    // accepted requests that are not freed yet
    int wake[2];              // a byte in this pipe wakes the thread
    char *host;
    int port;
    jose_redis_ended on_end;
    void *context;
    // Used by the thread only.
    redisContext *wire;
    jose_requests sent;
    int64_t next_check;  // no sent request times out before this time
    bool is_connected;
    bool has_output;
};

static void release(jose_redis *redis)
{
    pthread_mutex_lock(&redis->lock);
    bool is_last = --redis->owners == 0;
    pthread_mutex_unlock(&redis->lock);
    if (!is_last) return;
    close(redis->wake[0]);
    close(redis->wake[1]);
    pthread_mutex_destroy(&redis->lock);
    free(redis->host);
    free(redis);
}

static void finish(jose_redis *redis, jose_request *request, jose_redis_status status)
{
    atomic_fetch_sub(&redis->waiting, 1);
    jose_request_finish(request, status);
}

static void wake(jose_redis *redis)
{
    // A full pipe wakes the thread too. EINTR is impossible, as the pipe never blocks.
    ssize_t written = write(redis->wake[1], "", 1);
    (void)written;
}

static void set_flags(int fd, bool nonblocking)
{
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (nonblocking) fcntl(fd, F_SETFL, O_NONBLOCK);
}

static jose_redis_status connect_wire(jose_redis *redis)
{
    redis->wire = redis->port == 0 ? redisConnectUnixNonBlock(redis->host)
                                   : redisConnectNonBlock(redis->host, redis->port);
    if (redis->wire == NULL) return JOSE_REDIS_INTERNAL;
    if (redis->wire->err != 0) return JOSE_REDIS_UNREACHABLE;
    redis->wire->reader->fn = &jose_reply_functions;
    set_flags(redis->wire->fd, true);
    return JOSE_REDIS_OK;
}

static jose_redis_status wire_failure(const jose_redis *redis)
{
    switch (redis->wire->err) {
    case REDIS_ERR_PROTOCOL: return JOSE_REDIS_BROKEN;
    case REDIS_ERR_OOM: return JOSE_REDIS_BROKEN;  // how hiredis reports rejected kinds of replies
    default: return redis->is_connected ? JOSE_REDIS_LOST : JOSE_REDIS_UNREACHABLE;
    }
}

// Moves queued requests to hiredis's buffer.
static jose_redis_status take_queued(jose_redis *redis)
{
    pthread_mutex_lock(&redis->lock);
    jose_requests queued = redis->queued;
    redis->queued = (jose_requests){NULL, NULL};
    bool closing = redis->closing;
    pthread_mutex_unlock(&redis->lock);
    jose_redis_status status = closing ? JOSE_REDIS_CLOSED : JOSE_REDIS_OK;
    for (jose_request *request; (request = jose_requests_take(&queued)) != NULL;) {
        jose_requests_add(&redis->sent, request);
        if (status != JOSE_REDIS_OK) continue;
        const char *bytes = (const char *)request->bytes;
        if (redisAppendFormattedCommand(redis->wire, bytes, request->len) != REDIS_OK) {
            status = JOSE_REDIS_INTERNAL;
            continue;
        }
        redis->has_output = true;
        if (request->deadline < redis->next_check) redis->next_check = request->deadline;
    }
    return status;
}

static jose_redis_status write_some(jose_redis *redis)
{
    int done = 0;
    if (redisBufferWrite(redis->wire, &done) != REDIS_OK) return wire_failure(redis);
    redis->has_output = done == 0;
    return JOSE_REDIS_OK;
}

// Gives each reply to the oldest request that waits for one.
static jose_redis_status read_some(jose_redis *redis)
{
    redisContext *wire = redis->wire;
    if (redisBufferRead(wire) != REDIS_OK) return wire_failure(redis);
    for (;;) {
        void *reply = NULL;
        if (redisGetReplyFromReader(wire, &reply) != REDIS_OK) return wire_failure(redis);
        if (reply == NULL) break;
        jose_request *request = redis->sent.first;
        if (request == NULL) {
            free(reply);
            return JOSE_REDIS_BROKEN;
        }
        request->replies[request->have++] = reply;
        if (request->have < request->reply_count) continue;
        finish(redis, jose_requests_take(&redis->sent), JOSE_REDIS_OK);
    }
    bool is_too_long = wire->reader->len - wire->reader->pos > JOSE_REDIS_MAX_BYTES;
    return is_too_long ? JOSE_REDIS_BROKEN : JOSE_REDIS_OK;
}

// Reports timed-out requests. They stay in `sent`: otherwise later requests get their replies.
static jose_redis_status check_time(jose_redis *redis)
{
    int64_t now = jose_now();
    if (now < redis->next_check) return JOSE_REDIS_OK;
    redis->next_check = INT64_MAX;
    for (jose_request *request = redis->sent.first; request != NULL; request = request->next) {
        if (now >= request->give_up) {
            return redis->is_connected ? JOSE_REDIS_LOST : JOSE_REDIS_UNREACHABLE;
        }
        if (now >= request->deadline) jose_request_report(request, JOSE_REDIS_TIMED_OUT);
        int64_t next = now >= request->deadline ? request->give_up : request->deadline;
        if (next < redis->next_check) redis->next_check = next;
    }
    return JOSE_REDIS_OK;
}

static int sleep_limit(const jose_redis *redis)
{
    if (redis->next_check == INT64_MAX) return -1;
    int64_t left = redis->next_check - jose_now();
    return left < 0 ? 0 : left > 60000 ? 60000
                                       : (int)left;
}

// Waits for an event and handles it. Returns JOSE_REDIS_OK if the connection goes on.
static jose_redis_status run_once(jose_redis *redis)
{
    jose_redis_status status = take_queued(redis);
    if (status == JOSE_REDIS_OK && redis->is_connected && redis->has_output) {
        status = write_some(redis);
    }
    if (status != JOSE_REDIS_OK) return status;
    bool writes = redis->has_output || !redis->is_connected;
    struct pollfd fds[2] = {
        {.fd = redis->wire->fd, .events = (short)(POLLIN | (writes ? POLLOUT : 0))},
        {.fd = redis->wake[0], .events = POLLIN},
    };
    if (poll(fds, 2, sleep_limit(redis)) < 0) return errno == EINTR ? status : JOSE_REDIS_INTERNAL;
    char drained[64];
    while (fds[1].revents != 0 && read(redis->wake[0], drained, sizeof drained) > 0) continue;
    short events = fds[0].revents;
    if ((events & POLLOUT) != 0) {
        status = write_some(redis);
        if ((events & (POLLERR | POLLHUP)) == 0 && status == JOSE_REDIS_OK) {
            redis->is_connected = true;
        }
    }
    if (status == JOSE_REDIS_OK && (events & (POLLIN | POLLERR | POLLHUP)) != 0) {
        status = read_some(redis);
    }
    return status == JOSE_REDIS_OK ? check_time(redis) : status;
}

static void *run(void *context)
{
    jose_redis *redis = context;
    jose_redis_status status = connect_wire(redis);
    while (status == JOSE_REDIS_OK) status = run_once(redis);
    pthread_mutex_lock(&redis->lock);
    if (redis->closing) status = JOSE_REDIS_CLOSED;
    redis->ended = status;
    jose_requests queued = redis->queued;
    redis->queued = (jose_requests){NULL, NULL};
    pthread_mutex_unlock(&redis->lock);
    for (jose_request *request; (request = jose_requests_take(&redis->sent)) != NULL;) {
        finish(redis, request, status);
    }
    for (jose_request *request; (request = jose_requests_take(&queued)) != NULL;) {
        finish(redis, request, status);
    }
    if (redis->wire != NULL) redisFree(redis->wire);
    redis->on_end(redis->context, status);
    release(redis);
    return NULL;
}

jose_redis *jose_redis_open(const char *host, int port, jose_redis_ended ended, void *context)
{
    jose_redis *redis = calloc(1, sizeof *redis);
    if (redis == NULL) return NULL;
    if (pthread_mutex_init(&redis->lock, NULL) != 0) {
        free(redis);
        return NULL;
    }
    redis->owners = 1;
    redis->port = port;
    redis->on_end = ended;
    redis->context = context;
    redis->next_check = INT64_MAX;
    redis->wake[0] = redis->wake[1] = -1;
    redis->host = strdup(host);
    bool is_whole = redis->host != NULL && pipe(redis->wake) == 0;
    if (is_whole) {
        set_flags(redis->wake[0], true);
        set_flags(redis->wake[1], true);
        redis->owners = 2;
        if (jose_thread_start(run, redis)) return redis;
        redis->owners = 1;
    }
    release(redis);
    return NULL;
}

void jose_redis_end(jose_redis *redis)
{
    pthread_mutex_lock(&redis->lock);
    redis->closing = true;
    wake(redis);
    pthread_mutex_unlock(&redis->lock);
}

void jose_redis_free(jose_redis *redis)
{
    if (redis == NULL) return;
    jose_redis_end(redis);
    release(redis);
}

jose_redis_status jose_redis_send(jose_redis *redis, jose_redis_done done, void *context,
                                  const uint8_t *bytes, size_t len, size_t reply_count,
                                  long time_limit_ms)
{
    if (reply_count < 1 || reply_count > JOSE_REDIS_MAX_REPLIES || time_limit_ms < 1) {
        return JOSE_REDIS_INTERNAL;
    }
    if (atomic_fetch_add(&redis->waiting, 1) >= JOSE_REDIS_MAX_WAITING) {
        atomic_fetch_sub(&redis->waiting, 1);
        return JOSE_REDIS_BUSY;
    }
    jose_request *request =
        jose_request_make(done, context, bytes, len, reply_count, time_limit_ms);
    pthread_mutex_lock(&redis->lock);
    jose_redis_status status = redis->ended;
    if (status == JOSE_REDIS_OK && redis->closing) status = JOSE_REDIS_CLOSED;
    if (status == JOSE_REDIS_OK && request == NULL) status = JOSE_REDIS_INTERNAL;
    if (status == JOSE_REDIS_OK) {
        if (redis->queued.first == NULL) wake(redis);
        jose_requests_add(&redis->queued, request);
    }
    pthread_mutex_unlock(&redis->lock);
    if (status == JOSE_REDIS_OK) return status;
    if (request != NULL) {
        request->done = NULL;
        jose_request_finish(request, status);
    }
    atomic_fetch_sub(&redis->waiting, 1);
    return status;
}
