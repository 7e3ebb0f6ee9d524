// HTTPS server (libmicrohttpd) and client (libcurl) of the two programs.
#pragma once

#include <stddef.h>
#include <stdint.h>

// A received request. It is valid until web_respond is called for it, once, from any thread.
typedef struct web_exchange web_exchange;

// web_handler is called for each request on the server's thread. It may read the exchange. It must
// not block, and web_respond must be called later.
typedef void web_handler(void *context, web_exchange *exchange);

// web_serve starts the server on the loopback address, until the process ends. Returns 0, the errno
// of a port that cannot be opened, or WEB_NO_TLS if the PEM texts are not certificates and their
// key.
enum { WEB_NO_TLS = -1 };
int web_serve(uint16_t port, const char *certificates, const char *key, web_handler *handler,
              void *context);

// web_method and web_target return the method and the target with its query. The exchange owns
// them.
const char *web_method(const web_exchange *exchange);
const char *web_target(const web_exchange *exchange);

// web_body returns the body with a NUL after it, and sets count. The exchange owns it.
const char *web_body(const web_exchange *exchange, size_t *count);

// web_each_header calls each with name and value of every header line, repeated ones too.
void web_each_header(const web_exchange *exchange,
                     void (*each)(void *, const char *, const char *), void *context);

// web_respond copies and sends the response. headers alternates names and values, NULL at the end.
void web_respond(web_exchange *exchange, unsigned status, const char *const *headers,
                 const void *body, size_t count);

// web_sink receives a header line or a part of a body, valid during the call.
typedef void web_sink(void *context, const void *bytes, size_t count);

// web_send sends a GET, or a POST if form is not NULL, and follows no redirect. headers are whole
// lines, NULL at the end. authorities is a PEM file with the only trusted CAs, NULL for the
// system's. Blocks for at most 10 seconds. Returns the status, or 0 without a response.
long web_send(const char *url, const char *form, const char *const *headers,
              const char *authorities, web_sink *header, web_sink *body, void *context);
