// cjoseremote.h: HTTPS by libcurl on its own thread. This header is the whole contract of the C
// target CJOSERemote. It interprets neither headers nor bodies.
#ifndef CJOSEREMOTE_H
#define CJOSEREMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The result of a fetch. Any HTTP status is JOSE_FETCH_OK.
typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_FETCH_OK = 0,
    JOSE_FETCH_UNREACHABLE = 1,  // no DNS address or no connection
    JOSE_FETCH_UNTRUSTED = 2,    // TLS failed: certificate, name, version, CA file
    JOSE_FETCH_TIMED_OUT = 3,    // the time limit passed
    JOSE_FETCH_TOO_LARGE = 4,    // the body or the header is over its limit
    JOSE_FETCH_BROKEN = 5,       // anything else on the wire
    JOSE_FETCH_INTERNAL = 6,     // memory, threads, libcurl, or the client was closed
    JOSE_FETCH_FORBIDDEN = 7     // the name has an address that is not allowed
} jose_fetch_status;

// A client: one thread and the requests that wait for it.
typedef struct jose_client jose_client;

// The addresses that a request may connect to.
typedef enum __attribute__((enum_extensibility(closed))) {
    JOSE_ADDRESSES_ANY = 0,
    JOSE_ADDRESSES_PUBLIC = 1,   // those that jose_address_is_public accepts
    JOSE_ADDRESSES_LOOPBACK = 2  // those that jose_address_is_loopback accepts; http is allowed
} jose_addresses;

// A request: a POST if there is a body, else a GET. Everything is copied; strings end with NUL.
typedef struct {
    const char *url;
    const char *const *lines;  // the header lines, each "Name: value" without a line break
    size_t line_count;
    const uint8_t *body;  // NULL for none
    size_t body_len;
    long time_limit_ms;  // for everything, from DNS to the last byte
    size_t body_limit;
    size_t header_limit;
    jose_addresses addresses;
} jose_fetch_request;

// The response. Its memory belongs to the client and is valid until the callback returns.
typedef struct {
    jose_fetch_status status;
    long http_status;       // 0 unless status is JOSE_FETCH_OK
    const uint8_t *header;  // header lines of the response, as received
    size_t header_len;
    const uint8_t *body;
    size_t body_len;
} jose_fetch_response;

// Called once for each accepted request, on the client's thread. Must not block.
typedef void (*jose_fetch_done)(void *context, const jose_fetch_response *response);

// jose_client_open starts a client that trusts only the CAs of ca_file (PEM), or those of the
// system if ca_file is NULL. Returns NULL if memory, the thread or libcurl fails. Close it with
// jose_client_close.
jose_client *jose_client_open(const char *ca_file);

// jose_client_close stops the client and returns at once. The handle is then invalid: no other
// thread may use it during or after this call. Waiting requests end with JOSE_FETCH_INTERNAL on the
// client's thread, perhaps after this function returned; their contexts must live until then. May
// be called from a callback. NULL is allowed.
void jose_client_close(jose_client *client);

// jose_client_fetch starts a request and returns at once. It uses https only; with
// JOSE_ADDRESSES_LOOPBACK http too. It checks the certificate and the host name. It follows no
// redirects, and ignores proxies, netrc, cookies and environment variables. Returns JOSE_FETCH_OK
// if `done` will be called, else JOSE_FETCH_INTERNAL. Any thread may call this function.
jose_fetch_status jose_client_fetch(jose_client *client, const jose_fetch_request *request,
                                    jose_fetch_done done, void *context);

// jose_address_is_public returns whether an IP address belongs to the public Internet. The address
// is in network order and has 4 or 16 bytes; returns false for other lengths. Not public are
// loopback, link-local, private, unique-local, multicast, unspecified, reserved and documentation
// addresses, also inside an IPv6 address, and all addresses of tunnels (6to4, Teredo).
bool jose_address_is_public(const uint8_t *address, size_t len);

// jose_address_is_loopback returns whether such an address is in 127.0.0.0/8 or is ::1.
bool jose_address_is_loopback(const uint8_t *address, size_t len);

#endif
