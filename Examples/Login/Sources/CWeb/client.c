// An HTTPS client with libcurl, without redirects and proxies.
#include <curl/curl.h>
#include <string.h>

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
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR,
                     strncmp(url, "http://", 7) == 0 ? "http" : "https");
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
