// request.c: queues of requests, their end, and the replies that hiredis's reader makes.
#ifdef __APPLE__
#define __STDC_WANT_LIB_EXT1__ 1  // memset_s, instead of explicit_bzero
#endif
#include "request.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t jose_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void jose_requests_add(jose_requests *list, jose_request *request)
{
    request->next = NULL;
    if (list->first == NULL) {
        list->first = request;
    } else {
        list->last->next = request;
    }
    list->last = request;
}

jose_request *jose_requests_take(jose_requests *list)
{
    jose_request *first = list->first;
    if (first != NULL) list->first = first->next;
    return first;
}

jose_request *jose_request_make(jose_redis_done done, void *context, const uint8_t *bytes,
                                size_t len, size_t reply_count, long time_limit_ms)
{
    jose_request *request = calloc(1, sizeof *request + len);
    if (request == NULL) return NULL;
    request->done = done;
    request->context = context;
    request->deadline = jose_now() + time_limit_ms;
    request->give_up = request->deadline + time_limit_ms;
    request->reply_count = reply_count;
    request->len = len;
    memcpy(request->bytes, bytes, len);
    return request;
}

void jose_request_report(jose_request *request, jose_redis_status status)
{
    jose_redis_done done = request->done;
    request->done = NULL;
    if (done == NULL) return;
    bool is_ok = status == JOSE_REDIS_OK;
    done(request->context, status, (const jose_reply *const *)request->replies,
         is_ok ? request->have : 0);
}

// A request may contain a password.
static void wipe(uint8_t *bytes, size_t len)
{
#ifdef __APPLE__
    memset_s(bytes, len, 0, len);
#else
    explicit_bzero(bytes, len);
#endif
}

void jose_request_finish(jose_request *request, jose_redis_status status)
{
    jose_request_report(request, status);
    for (size_t index = 0; index < request->have; index++) free(request->replies[index]);
    wipe(request->bytes, request->len);
    free(request);
}

// MARK: replies

static jose_reply *make_reply(jose_reply_kind kind, const char *bytes, size_t len)
{
    jose_reply *reply = calloc(1, sizeof *reply + len);
    if (reply == NULL) return NULL;
    uint8_t *copy = (uint8_t *)(reply + 1);
    if (len > 0) memcpy(copy, bytes, len);
    *reply = (jose_reply){.kind = kind, .len = len, .bytes = copy};
    return reply;
}

static void *make_string(const redisReadTask *task, char *bytes, size_t len)
{
    switch (task->type) {
    case REDIS_REPLY_STATUS: return make_reply(JOSE_REPLY_STATUS, bytes, len);
    case REDIS_REPLY_ERROR: return make_reply(JOSE_REPLY_ERROR, bytes, len);
    case REDIS_REPLY_STRING: return make_reply(JOSE_REPLY_BYTES, bytes, len);
    default: return NULL;
    }
}

static void *make_integer(const redisReadTask *task, long long value)
{
    if (task->type != REDIS_REPLY_INTEGER) return NULL;
    jose_reply *reply = make_reply(JOSE_REPLY_INTEGER, NULL, 0);
    if (reply != NULL) reply->integer = value;
    return reply;
}

static void *make_nothing(const redisReadTask *task)
{
    (void)task;
    return make_reply(JOSE_REPLY_NOTHING, NULL, 0);
}

// NULL ends the connection. No command that is sent has an array, a double or a Boolean as reply.
#if HIREDIS_MAJOR >= 1
static void *reject_array(const redisReadTask *task, size_t count)
{
    (void)task, (void)count;
    return NULL;
}

static void *reject_double(const redisReadTask *task, double value, char *text, size_t len)
{
    (void)task, (void)value, (void)text, (void)len;
    return NULL;
}

static void *reject_bool(const redisReadTask *task, int value)
{
    (void)task, (void)value;
    return NULL;
}
#else
static void *reject_array(const redisReadTask *task, int count)
{
    (void)task, (void)count;
    return NULL;
}
#endif

redisReplyObjectFunctions jose_reply_functions = {
    .createString = make_string,
    .createArray = reject_array,
    .createInteger = make_integer,
    .createNil = make_nothing,
#if HIREDIS_MAJOR >= 1
    .createDouble = reject_double,
    .createBool = reject_bool,
#endif
    .freeObject = free,
};
