// HTTPS for the two programs: a server over libmicrohttpd, a client over libcurl. Nothing here is about OpenID.
#pragma once

#include <stddef.h>
#include <stdint.h>

// A request that came in. It lives until web_answer has been called for it, once, from any thread.
typedef struct web_exchange web_exchange;

// web_handler is called for each request on the server's thread, while the texts of the exchange can be read. It
// must not block, and it must lead to one web_answer.
typedef void web_handler(void *context, web_exchange *exchange);

// web_serve answers on the loopback address until the process ends. Returns 0, the errno of a port that cannot be had,
// or WEB_NO_TLS if the two PEM texts are no certificates and their key.
enum { WEB_NO_TLS = -1 };
int web_serve(uint16_t port, const char *certificates, const char *key, web_handler *handler, void *context);

// web_method and web_target lend the first line: the target is as it came, with its query.
const char *web_method(const web_exchange *exchange);
const char *web_target(const web_exchange *exchange);

// web_body lends the body, NUL behind it. Sets count.
const char *web_body(const web_exchange *exchange, size_t *count);

// web_each_header lends every header line, one that came twice twice.
void web_each_header(const web_exchange *exchange, void (*each)(void *, const char *, const char *), void *context);

// web_answer copies the answer. headers are names and values by turns, NULL at the end.
void web_answer(web_exchange *exchange, unsigned status, const char *const *headers, const void *body, size_t count);

// web_sink is lent one header line or a part of a body.
typedef void web_sink(void *context, const void *bytes, size_t count);

// web_send sends a GET, or a POST where there is a form, and follows no redirect. headers are whole lines, NULL at the
// end; authorities is the PEM file of the only CAs to trust, NULL for those of the system. Blocks for 10 seconds at the
// most. Returns the status, or 0 where there is no answer.
long web_send(const char *url, const char *form, const char *const *headers, const char *authorities, web_sink *header,
              web_sink *body, void *context);
