// fetch.c: the options of one request, the limits of its response, and its end.
#include "fetch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static bool append(jose_buffer *buffer, const char *bytes, size_t len)
{
    if (len > buffer->limit - buffer->len) return false;
    if (len > buffer->capacity - buffer->len) {
        size_t capacity = buffer->capacity ? buffer->capacity : 4096;
        while (capacity - buffer->len < len) capacity *= 2;
        uint8_t *moved = realloc(buffer->bytes, capacity);
        if (moved == NULL) return false;
        buffer->bytes = moved;
        buffer->capacity = capacity;
    }
    memcpy(buffer->bytes + buffer->len, bytes, len);
    buffer->len += len;
    return true;
}

// libcurl calls this for each piece of the body.
static size_t on_body(char *bytes, size_t one, size_t len, void *context)
{
    jose_fetch *fetch = context;
    if (one != 1 || !append(&fetch->body, bytes, len)) {
        fetch->too_large = true;
        return CURL_WRITEFUNC_ERROR;
    }
    return len;
}

// libcurl calls this for each header line, also of interim responses (1xx) and of trailers.
static size_t on_header(char *bytes, size_t one, size_t len, void *context)
{
    jose_fetch *fetch = context;
    if (one != 1) return 0;
    if (len >= 5 && memcmp(bytes, "HTTP/", 5) == 0) {
        fetch->header.len = 0;
        fetch->header_ended = false;
    }
    if (fetch->header_ended) return len;  // trailers are ignored
    fetch->header_ended = len == 2 && bytes[0] == '\r';
    if (!append(&fetch->header, bytes, len)) {
        fetch->too_large = true;
        return 0;
    }
    return len;
}

// libcurl calls this with the address that it connects to next. So other addresses that the name
// resolves to, before or later, cannot bypass the check.
static curl_socket_t on_socket(void *context, curlsocktype purpose, struct curl_sockaddr *to)
{
    jose_fetch *fetch = context;
    if (purpose != CURLSOCKTYPE_IPCXN ||
        !jose_socket_is_allowed(&to->addr, to->addrlen, fetch->addresses)) {
        fetch->forbidden = true;
        return CURL_SOCKET_BAD;
    }
#ifdef SOCK_CLOEXEC
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
#else
    const curl_socket_t made = socket(to->family, to->socktype, to->protocol);
    if (made != CURL_SOCKET_BAD) fcntl(made, F_SETFD, FD_CLOEXEC);
    return made;
#endif
}

static struct curl_slist *make_lines(const jose_fetch_request *request)
{
    // An empty value keeps libcurl from waiting for "100 Continue" before it sends a body.
    struct curl_slist *lines = curl_slist_append(NULL, "Expect:");
    for (size_t at = 0; lines != NULL && at < request->line_count; at++) {
        struct curl_slist *longer = curl_slist_append(lines, request->lines[at]);
        if (longer == NULL) curl_slist_free_all(lines);
        lines = longer;
    }
    return lines;
}

#define SET(option, value) ok = ok && curl_easy_setopt(easy, option, value) == CURLE_OK

static bool set_options(jose_fetch *fetch, const jose_fetch_request *request, const char *ca_file)
{
    CURL *easy = fetch->easy;
    bool ok = true;
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_HTTPGET, 1L);
    if (request->body != NULL) {
        SET(CURLOPT_POST, 1L);
        SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_len);
        SET(CURLOPT_COPYPOSTFIELDS, request->body);
    }
    SET(CURLOPT_HTTPHEADER, fetch->lines);
    SET(CURLOPT_USERAGENT, "swift-jose");
    SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(CURLOPT_PRIVATE, fetch);
    SET(CURLOPT_NOSIGNAL, 1L);
    // Redirects, which could change scheme and host, are off. Plain http never leaves this machine.
    SET(CURLOPT_PROTOCOLS_STR,
        request->addresses == JOSE_ADDRESSES_LOOPBACK ? "http,https" : "https");
    SET(CURLOPT_REDIR_PROTOCOLS_STR, "https");
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    SET(CURLOPT_PROXY, "");  // no proxy, whatever the environment contains
    SET(CURLOPT_NOPROXY, "*");
    SET(CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    if (request->addresses != JOSE_ADDRESSES_ANY) {
        SET(CURLOPT_OPENSOCKETFUNCTION, on_socket);
        SET(CURLOPT_OPENSOCKETDATA, fetch);
        SET(CURLOPT_FRESH_CONNECT, 1L);  // on_socket checks every connection
    }
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(CURLOPT_FORBID_REUSE, 1L);  // each request has a connection of its own
    if (ca_file != NULL) {
        SET(CURLOPT_CAINFO, ca_file);
        SET(CURLOPT_CAPATH, NULL);
    }
    // A DNS server that never responds must not block the thread that all requests share.
#if LIBCURL_VERSION_NUM >= 0x075700
    SET(CURLOPT_QUICK_EXIT, 1L);
#endif
    SET(CURLOPT_TIMEOUT_MS, request->time_limit_ms);
    SET(CURLOPT_CONNECTTIMEOUT_MS, request->time_limit_ms);
    SET(CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)request->body_limit);
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, fetch);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, fetch);
    return ok;
}

jose_fetch *jose_fetch_make(const jose_fetch_request *request, const char *ca_file,
                            jose_fetch_done done, void *context)
{
    jose_fetch *fetch = calloc(1, sizeof *fetch);
    if (fetch == NULL) return NULL;
    fetch->done = done;
    fetch->context = context;
    fetch->addresses = request->addresses;
    fetch->header.limit = request->header_limit;
    fetch->body.limit = request->body_limit;
    fetch->easy = curl_easy_init();
    fetch->lines = make_lines(request);
    if (fetch->easy != NULL && fetch->lines != NULL && set_options(fetch, request, ca_file)) {
        return fetch;
    }
    jose_fetch_free(fetch);
    return NULL;
}

void jose_fetch_finish(jose_fetch *fetch, jose_fetch_status status)
{
    jose_fetch_response response = {.status = status};
    if (status == JOSE_FETCH_OK) {
        curl_easy_getinfo(fetch->easy, CURLINFO_RESPONSE_CODE, &response.http_status);
        response.header = fetch->header.bytes;
        response.header_len = fetch->header.len;
        response.body = fetch->body.bytes;
        response.body_len = fetch->body.len;
    }
    fetch->done(fetch->context, &response);
    jose_fetch_free(fetch);
}

void jose_fetch_free(jose_fetch *fetch)
{
    curl_easy_cleanup(fetch->easy);
    curl_slist_free_all(fetch->lines);
    free(fetch->header.bytes);
    free(fetch->body.bytes);
    free(fetch);
}

jose_fetch_status jose_fetch_status_of(const jose_fetch *fetch, CURLcode code)
{
    if (fetch->too_large) return JOSE_FETCH_TOO_LARGE;
    // A host name for loopback must have no other address, even if the connection went to loopback.
    if (fetch->forbidden &&
        (code == CURLE_COULDNT_CONNECT || fetch->addresses == JOSE_ADDRESSES_LOOPBACK)) {
        return JOSE_FETCH_FORBIDDEN;
    }
    switch (code) {
    case CURLE_OK: return JOSE_FETCH_OK;
    case CURLE_OPERATION_TIMEDOUT: return JOSE_FETCH_TIMED_OUT;
    case CURLE_FILESIZE_EXCEEDED: return JOSE_FETCH_TOO_LARGE;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT: return JOSE_FETCH_UNREACHABLE;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS: return JOSE_FETCH_UNTRUSTED;
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT:
    case CURLE_UNKNOWN_OPTION:
    case CURLE_NOT_BUILT_IN: return JOSE_FETCH_INTERNAL;
    default: return JOSE_FETCH_BROKEN;
    }
}
