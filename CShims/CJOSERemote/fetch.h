// fetch.h: one HTTP request, from its options to its response.
#ifndef JOSE_FETCH_H
#define JOSE_FETCH_H

#include "cjoseremote.h"

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

typedef struct {
    uint8_t *bytes;
    size_t len;
    size_t capacity;
    size_t limit;
} jose_buffer;

typedef struct jose_fetch {
    struct jose_fetch *next;
    CURL *easy;
    struct curl_slist *lines;
    jose_buffer header;
    jose_buffer body;
    bool too_large;
    jose_addresses addresses;
    bool header_ended;
    bool forbidden;  // libcurl tried an address that is not allowed
    jose_fetch_done done;
    void *context;
} jose_fetch;

// jose_fetch_make prepares a request. Returns NULL if memory or libcurl fails. Free it with
// jose_fetch_finish or jose_fetch_free.
jose_fetch *jose_fetch_make(const jose_fetch_request *request, const char *ca_file,
                            jose_fetch_done done, void *context);

// jose_fetch_finish calls `done` with the result and frees the request.
void jose_fetch_finish(jose_fetch *fetch, jose_fetch_status status);

// jose_fetch_free frees a request without calling `done`.
void jose_fetch_free(jose_fetch *fetch);

// jose_fetch_status_of maps the result of libcurl for a request to a status.
jose_fetch_status jose_fetch_status_of(const jose_fetch *fetch, CURLcode code);

// jose_socket_is_allowed returns whether the rule allows a socket's address. Returns false for
// address families other than IPv4 and IPv6.
bool jose_socket_is_allowed(const struct sockaddr *to, size_t len, jose_addresses rule);

#endif
