// A key service with one RSA key behind a Unix socket and a configurable latency. It stands for
// your key service.
//
// Usage: key-service SOCKET KEY-FILE [LATENCY-MS]. The first start creates KEY-FILE and
// KEY-FILE.pub.

#define _GNU_SOURCE
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CALLERS = 64,
       BODY = 1024,
       HEAD = 9 };  // number and type

// A delayed response. All have the same latency, so the oldest is the next.
typedef struct response {
    struct response *next;
    int64_t due;
    int caller;
    uint64_t connection;  // the slot may have a newer connection when the response is due
    size_t size;
    uint8_t bytes[HEAD + BODY];
} response;

typedef struct caller {
    int descriptor;
    uint64_t connection;
} caller;

static caller callers[CALLERS];
static response *first, **last = &first;
static EVP_PKEY *key;
static int64_t latency;
static uint64_t connections;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *reject(const char *subject, const char *reason)
{
    fprintf(stderr, "key-service: %s: %s\n", subject, reason);
    return NULL;
}

// MARK: The key

static EVP_PKEY_CTX *prepared(int (*init)(EVP_PKEY_CTX *), int padding)
{
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new(key, NULL);
    if (context != NULL && init(context) == 1 &&
        EVP_PKEY_CTX_set_rsa_padding(context, padding) == 1) return context;
    EVP_PKEY_CTX_free(context);
    return NULL;
}

static int sign(uint8_t *out, size_t *size, const uint8_t *in, size_t in_size, int padding)
{
    EVP_PKEY_CTX *context = prepared(EVP_PKEY_sign_init, padding);
    int ok = context != NULL && EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1 &&
             (padding != RSA_PKCS1_PSS_PADDING ||
              EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1) &&
             EVP_PKEY_sign(context, out, size, in, in_size) == 1;
    EVP_PKEY_CTX_free(context);
    return ok;
}

static int unwrap(uint8_t *out, size_t *size, const uint8_t *in, size_t in_size)
{
    EVP_PKEY_CTX *context = prepared(EVP_PKEY_decrypt_init, RSA_PKCS1_OAEP_PADDING);
    int ok = context != NULL && EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1 &&
             EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1 &&
             EVP_PKEY_decrypt(context, out, size, in, in_size) == 1;
    EVP_PKEY_CTX_free(context);
    return ok;
}

// Writes the public key, then the private key to a new file that only this user can read.
static int store(EVP_PKEY *made, const char *path, const char *public_path)
{
    const mode_t had = umask(0077);
    FILE *public = fopen(public_path, "w"), *private = public == NULL ? NULL : fopen(path, "wx");
    umask(had);
    const int ok = private != NULL && PEM_write_PUBKEY(public, made) == 1 &&
                   PEM_write_PrivateKey(private, made, NULL, NULL, 0, NULL, NULL) == 1;
    const int public_ok = public != NULL && fclose(public) == 0;
    const int private_ok = private != NULL && fclose(private) == 0;
    return ok && public_ok && private_ok;
}

// Reads the key, or creates one if there is no file. A file that cannot be read is not changed.
static EVP_PKEY *read_or_make(const char *path)
{
    char public_path[4096];
    if (snprintf(public_path, sizeof public_path, "%s.pub", path) >= (int)sizeof public_path)
        return reject(path, "is too long a path");
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        EVP_PKEY *found = PEM_read_PrivateKey(file, NULL, NULL, NULL);
        fclose(file);
        return found != NULL ? found : reject(path, "holds no private key in PEM");
    }
    if (errno != ENOENT) return reject(path, strerror(errno));
    EVP_PKEY *made = EVP_RSA_gen(2048);
    if (made != NULL && store(made, path, public_path)) return made;
    return reject(path, "cannot write a new key");
}

// MARK: Requests and responses

static void respond(int index, const uint8_t *head, const uint8_t *body, size_t body_size)
{
    response *made = calloc(1, sizeof *made);
    if (made == NULL) exit(1);
    size_t size = BODY;
    uint8_t *out = made->bytes + HEAD;
    int ok = 0;
    switch (head[8]) {
    case 's': ok = sign(out, &size, body, body_size, RSA_PKCS1_PADDING); break;
    case 'p': ok = sign(out, &size, body, body_size, RSA_PKCS1_PSS_PADDING); break;
    case 'u': ok = unwrap(out, &size, body, body_size); break;
    default: break;
    }
    memcpy(made->bytes, head, 8);
    made->bytes[8] = ok ? 0 : 1;
    made->size = HEAD + (ok ? size : 0);
    made->due = now() + latency;
    made->caller = index;
    made->connection = callers[index].connection;
    *last = made;
    last = &made->next;
}

static void disconnect(int index)
{
    close(callers[index].descriptor);
    callers[index].descriptor = -1;
}

static void receive(int index)
{
    uint8_t request[HEAD + BODY];
    const ssize_t size = recv(callers[index].descriptor, request, sizeof request, 0);
    if (size < HEAD) {
        disconnect(index);
        return;
    }
    respond(index, request, request + HEAD, (size_t)size - HEAD);
}

static void send_due(void)
{
    while (first != NULL && first->due <= now()) {
        response *due = first;
        first = due->next;
        if (first == NULL) last = &first;
        const caller *c = &callers[due->caller];
        if (c->descriptor >= 0 && c->connection == due->connection &&
            send(c->descriptor, due->bytes, due->size, MSG_NOSIGNAL) != (ssize_t)due->size)
            disconnect(due->caller);
        OPENSSL_cleanse(due, sizeof *due);
        free(due);
    }
}

static int listening(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        reject(path, "is too long for a socket, which has 107 bytes");
        return -1;
    }
    strcpy(address.sun_path, path);
    // Remove the socket of a killed service, and nothing else.
    struct stat old;
    if (lstat(path, &old) == 0 && S_ISSOCK(old.st_mode)) unlink(path);
    const int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const mode_t had = umask(0177);  // only this user may connect
    const int ok =
        bind(made, (struct sockaddr *)&address, sizeof address) == 0 && listen(made, 16) == 0;
    umask(had);
    if (!ok) reject(path, strerror(errno));
    return ok ? made : -1;
}

static void accept_caller(int listener)
{
    const int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    // Disconnect a caller that does not read its responses, so that others get theirs.
    const struct timeval timeout = {.tv_sec = 1};
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    for (int i = 0; i < CALLERS && descriptor >= 0; i++) {
        if (callers[i].descriptor >= 0) continue;
        callers[i] = (caller){.descriptor = descriptor, .connection = ++connections};
        return;
    }
    if (descriptor >= 0) close(descriptor);
}

int main(int count, char **arguments)
{
    if (count < 3 || count > 4) {
        fprintf(stderr, "usage: key-service SOCKET KEY-FILE [LATENCY-MS]\n");
        return 2;
    }
    latency = count > 3 ? atoi(arguments[3]) : 0;
    key = read_or_make(arguments[2]);
    for (int i = 0; i < CALLERS; i++) callers[i].descriptor = -1;
    const int listener = key == NULL ? -1 : listening(arguments[1]);
    if (listener < 0) return 1;
    printf("key service: %s\n", arguments[1]);
    fflush(stdout);
    for (;;) {
        struct pollfd polled[CALLERS + 1] = {{.fd = listener, .events = POLLIN}};
        for (int i = 0; i < CALLERS; i++)  // poll ignores negative descriptors
            polled[i + 1] = (struct pollfd){.fd = callers[i].descriptor, .events = POLLIN};
        const int64_t wait = first == NULL ? -1 : first->due - now();
        if (poll(polled, CALLERS + 1, first == NULL ? -1 : wait < 0 ? 0
                                                                    : (int)wait) < 0 &&
            errno != EINTR)
            return 1;
        for (int i = 0; i < CALLERS; i++)
            if (polled[i + 1].revents != 0) receive(i);
        if (polled[0].revents != 0) accept_caller(listener);
        send_due();
    }
}
