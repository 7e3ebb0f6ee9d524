// An HTTPS server on one libmicrohttpd thread. Requests are suspended until their response.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <microhttpd.h>

#include "web.h"

enum { body_limit = 256 * 1024 };

struct server {
    web_handler *handler;
    void *context;
};

struct web_exchange {
    struct MHD_Connection *connection;
    struct MHD_Response *response;
    unsigned status;
    int is_begun;
    int is_too_large;
    char *method;
    char *target;
    char *body;
    size_t count;
};

static void *begin(void *context, const char *target, struct MHD_Connection *connection)
{
    (void)context;
    web_exchange *exchange = calloc(1, sizeof *exchange);
    if (exchange == NULL)
        return NULL;
    exchange->connection = connection;
    exchange->target = strdup(target);
    exchange->body = calloc(1, 1);
    return exchange;
}

static void end(void *context, struct MHD_Connection *connection, void **state,
                enum MHD_RequestTerminationCode code)
{
    (void)context;
    (void)connection;
    (void)code;
    web_exchange *exchange = *state;
    if (exchange == NULL)
        return;
    if (exchange->response != NULL)
        MHD_destroy_response(exchange->response);
    free(exchange->method);
    free(exchange->target);
    free(exchange->body);
    free(exchange);
    *state = NULL;
}

static void append(web_exchange *exchange, const char *bytes, size_t count)
{
    char *grown = NULL;
    if (count <= body_limit - exchange->count)
        grown = realloc(exchange->body, exchange->count + count + 1);
    if (grown == NULL) {
        exchange->is_too_large = 1;
        return;
    }
    memcpy(grown + exchange->count, bytes, count);
    exchange->body = grown;
    exchange->count += count;
    grown[exchange->count] = 0;
}

// Called after the header, for each part of the body, at its end, and again with the response.
static enum MHD_Result access_handler(void *context, struct MHD_Connection *connection,
                                      const char *path, const char *method, const char *version,
                                      const char *bytes, size_t *count, void **state)
{
    (void)path;
    (void)version;
    struct server *server = context;
    web_exchange *exchange = *state;
    if (exchange == NULL || exchange->target == NULL || exchange->body == NULL)
        return MHD_NO;
    if (exchange->response != NULL)
        return MHD_queue_response(connection, exchange->status, exchange->response);
    if (!exchange->is_begun) {
        exchange->is_begun = 1;
        exchange->method = strdup(method);
        return exchange->method == NULL ? MHD_NO : MHD_YES;
    }
    if (*count > 0) {
        append(exchange, bytes, *count);
        *count = 0;
        return MHD_YES;
    }
    if (exchange->is_too_large) {
        struct MHD_Response *response =
            MHD_create_response_from_buffer(0, "", MHD_RESPMEM_PERSISTENT);
        enum MHD_Result queued =
            MHD_queue_response(connection, MHD_HTTP_CONTENT_TOO_LARGE, response);
        MHD_destroy_response(response);
        return queued;
    }
    MHD_suspend_connection(connection);
    server->handler(server->context, exchange);
    return MHD_YES;
}

// Returns a socket that listens on the loopback address, or -1 with errno.
static int listening(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int yes = 1;
    int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0)
        return -1;
    if (setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(file, (struct sockaddr *)&address, sizeof address) == 0 &&
        listen(file, SOMAXCONN) == 0)
        return file;
    int error = errno;
    close(file);
    errno = error;
    return -1;
}

int web_serve(uint16_t port, const char *certificates, const char *key, web_handler *handler,
              void *context)
{
    struct server *server = malloc(sizeof *server);
    if (server == NULL)
        return ENOMEM;
    *server = (struct server){handler, context};
    signal(SIGPIPE, SIG_IGN);
    int file = listening(port);
    if (file < 0) {
        int error = errno;
        free(server);
        return error;
    }
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_TLS | MHD_ALLOW_SUSPEND_RESUME, port, NULL, NULL,
        access_handler, server, MHD_OPTION_HTTPS_MEM_CERT, certificates, MHD_OPTION_HTTPS_MEM_KEY,
        key, MHD_OPTION_HTTPS_PRIORITIES, "SECURE128:-VERS-TLS1.0:-VERS-TLS1.1",
        MHD_OPTION_LISTEN_SOCKET, file, MHD_OPTION_CONNECTION_TIMEOUT, 30u,
        MHD_OPTION_URI_LOG_CALLBACK, begin, NULL, MHD_OPTION_NOTIFY_COMPLETED, end, NULL,
        MHD_OPTION_END);
    if (daemon != NULL)
        return 0;
    close(file);
    free(server);
    return WEB_NO_TLS;
}

const char *web_method(const web_exchange *exchange)
{
    return exchange->method;
}

const char *web_target(const web_exchange *exchange)
{
    return exchange->target;
}

const char *web_body(const web_exchange *exchange, size_t *count)
{
    *count = exchange->count;
    return exchange->body;
}

struct visit {
    void (*each)(void *, const char *, const char *);
    void *context;
};

static enum MHD_Result visit_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    (void)kind;
    struct visit *visit = context;
    visit->each(visit->context, name, value == NULL ? "" : value);
    return MHD_YES;
}

void web_each_header(const web_exchange *exchange,
                     void (*each)(void *, const char *, const char *), void *context)
{
    struct visit visit = {each, context};
    MHD_get_connection_values(exchange->connection, MHD_HEADER_KIND, visit_header, &visit);
}

void web_respond(web_exchange *exchange, unsigned status, const char *const *headers,
                 const void *body, size_t count)
{
    // libmicrohttpd copies the buffer and does not change it.
    exchange->response =
        MHD_create_response_from_buffer(count, (void *)body, MHD_RESPMEM_MUST_COPY);
    exchange->status = status;
    for (; exchange->response != NULL && headers[0] != NULL; headers += 2)
        MHD_add_response_header(exchange->response, headers[0], headers[1]);
    MHD_resume_connection(exchange->connection);
}
