// An HTTPS client with libcurl, without redirects and proxies.
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "web.h"

enum { body_limit = 1024 * 1024 };

struct response {
    web_sink *header;
    web_sink *body;
    void *context;
    size_t count;
};

static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
    struct response *response = context;
    response->header(response->context, bytes, size * count);
    return size * count;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct response *response = context;
    response->count += size * count;
    if (response->count > body_limit)
        return 0;
    response->body(response->context, bytes, size * count);
    return size * count;
}

// Opens a socket to this machine only: a resolver may map localhost to any address.
static curl_socket_t on_loopback_socket(void *context, curlsocktype purpose,
                                        struct curl_sockaddr *to)
{
    (void)context;
    (void)purpose;
    bool is_loopback = false;
    if (to->family == AF_INET && to->addrlen >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in address;
        memcpy(&address, &to->addr, sizeof address);
        is_loopback = ntohl(address.sin_addr.s_addr) >> 24 == 127;
    } else if (to->family == AF_INET6 && to->addrlen >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 address;
        memcpy(&address, &to->addr, sizeof address);
        is_loopback = IN6_IS_ADDR_LOOPBACK(&address.sin6_addr);
    }
    return is_loopback ? socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol)
                       : CURL_SOCKET_BAD;
}

long web_send(const char *url, const char *form, const char *const *headers,
              const char *authorities, web_sink *header, web_sink *body, void *context)
{
    struct response response = {header, body, context, 0};
    struct curl_slist *lines = NULL;
    long status = 0;
    CURL *easy = curl_easy_init();
    if (easy == NULL)
        return 0;
    for (; *headers != NULL; headers++)
        lines = curl_slist_append(lines, *headers);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    // http only for a local provider: ProviderMetadata accepts no other http URL.
    const bool is_local = strncmp(url, "http://", 7) == 0;
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, is_local ? "http" : "https");
    if (is_local) curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_loopback_socket);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (authorities != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, authorities);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);  // else the system's CAs are trusted too
    }
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT, 10L);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, lines);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &response);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &response);
    if (form != NULL)
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, form);
    if (curl_easy_perform(easy) == CURLE_OK)
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(lines);
    curl_easy_cleanup(easy);
    return status;
}
