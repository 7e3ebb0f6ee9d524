// waiting.c: what Swift has no word for: a thread that waits for work, and a file that is read into wiped memory.
#include "cjosepkcs11.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct jose_bell {
    pthread_mutex_t lock;
    pthread_cond_t rung;
    bool is_rung;
};

jose_bell *jose_bell_make(void)
{
    jose_bell *bell = calloc(1, sizeof *bell);
    if (bell == NULL) return NULL;
    if (pthread_mutex_init(&bell->lock, NULL) == 0) {
        if (pthread_cond_init(&bell->rung, NULL) == 0) return bell;
        pthread_mutex_destroy(&bell->lock);
    }
    free(bell);
    return NULL;
}

void jose_bell_free(jose_bell *bell)
{
    if (bell == NULL) return;
    pthread_cond_destroy(&bell->rung);
    pthread_mutex_destroy(&bell->lock);
    free(bell);
}

void jose_bell_ring(jose_bell *bell)
{
    pthread_mutex_lock(&bell->lock);
    bell->is_rung = true;
    pthread_mutex_unlock(&bell->lock);
    // Behind the lock, or the thread wakes to wait for it.
    pthread_cond_signal(&bell->rung);
}

void jose_bell_wait(jose_bell *bell)
{
    pthread_mutex_lock(&bell->lock);
    while (!bell->is_rung) pthread_cond_wait(&bell->rung, &bell->lock);
    bell->is_rung = false;
    pthread_mutex_unlock(&bell->lock);
}

jose_p11_status jose_p11_read_line(uint8_t *out, size_t capacity, size_t *len, const char *path)
{
    *len = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return JOSE_P11_ABSENT;
    size_t have = 0;
    jose_p11_status status = JOSE_P11_OK;
    for (;;) {
        // A full buffer is asked for one byte more, to know.
        uint8_t beyond;
        ssize_t got = have < capacity ? read(file, out + have, capacity - have) : read(file, &beyond, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = JOSE_P11_ABSENT;
        if (got > 0 && have == capacity) status = JOSE_P11_TOO_LONG;
        if (got <= 0 || status != JOSE_P11_OK) break;
        have += (size_t)got;
    }
    close(file);
    if (have > 0 && out[have - 1] == '\n') {
        have--;
        if (have > 0 && out[have - 1] == '\r') have--;
    }
    *len = status == JOSE_P11_OK ? have : 0;
    return status;
}
