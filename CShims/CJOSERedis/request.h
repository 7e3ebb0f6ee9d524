// request.h: a request with its replies, and queues of requests.
#ifndef JOSE_REQUEST_H
#define JOSE_REQUEST_H

#include "cjoseredis.h"

#include <hiredis/hiredis.h>
#include <stdbool.h>

typedef struct jose_request {
    struct jose_request *next;
    int64_t deadline;      // in ms of the monotonic clock
    int64_t give_up;       // if replies are missing then, the connection ends
    jose_redis_done done;  // NULL once called
    void *context;
    size_t reply_count;
    size_t have;
    jose_reply *replies[JOSE_REDIS_MAX_REPLIES];
    size_t len;
    uint8_t bytes[];
} jose_request;

typedef struct {
    jose_request *first;
    jose_request *last;
} jose_requests;

// jose_requests_add appends a request.
void jose_requests_add(jose_requests *list, jose_request *request);

// jose_requests_take removes and returns the first request, or NULL.
jose_request *jose_requests_take(jose_requests *list);

// jose_request_make copies a request. Returns NULL if memory runs out.
jose_request *jose_request_make(jose_redis_done done, void *context, const uint8_t *bytes,
                                size_t len, size_t reply_count, long time_limit_ms);

// jose_request_report calls `done`, unless it was called before.
void jose_request_report(jose_request *request, jose_redis_status status);

// jose_request_finish does the same and frees the request.
void jose_request_finish(jose_request *request, jose_redis_status status);

// jose_now returns the monotonic clock in ms.
int64_t jose_now(void);

// The functions with which a hiredis reader makes jose_reply objects. They reject arrays, doubles
// and Booleans.
extern redisReplyObjectFunctions jose_reply_functions;

#endif
