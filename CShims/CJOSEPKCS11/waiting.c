// waiting.c: functions that Swift lacks: an event to wait for, and reading a file into memory that
// the caller can wipe.
#include "cjosepkcs11.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct jose_wake_event {
    pthread_mutex_t lock;
    pthread_cond_t signalled;
    bool is_signalled;
};

jose_wake_event *jose_wake_event_make(void)
{
    jose_wake_event *event = calloc(1, sizeof *event);
    if (event == NULL) return NULL;
    if (pthread_mutex_init(&event->lock, NULL) == 0) {
        if (pthread_cond_init(&event->signalled, NULL) == 0) return event;
        pthread_mutex_destroy(&event->lock);
    }
    free(event);
    return NULL;
}

void jose_wake_event_free(jose_wake_event *event)
{
    if (event == NULL) return;
    pthread_cond_destroy(&event->signalled);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

void jose_wake_event_signal(jose_wake_event *event)
{
    pthread_mutex_lock(&event->lock);
    event->is_signalled = true;
    pthread_mutex_unlock(&event->lock);
    // Signals after the unlock. Otherwise the thread would wake and wait for the lock.
    pthread_cond_signal(&event->signalled);
}

void jose_wake_event_wait(jose_wake_event *event)
{
    pthread_mutex_lock(&event->lock);
    while (!event->is_signalled) pthread_cond_wait(&event->signalled, &event->lock);
    event->is_signalled = false;
    pthread_mutex_unlock(&event->lock);
}

jose_p11_status jose_p11_read_line(uint8_t *out, size_t capacity, size_t *len, const char *path)
{
    *len = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (file < 0) return JOSE_P11_ABSENT;
    size_t have = 0;
    jose_p11_status status = JOSE_P11_OK;
    for (;;) {
        // If the buffer is full, one more byte is read to detect an excess.
        uint8_t beyond;
        ssize_t got =
            have < capacity ? read(file, out + have, capacity - have) : read(file, &beyond, 1);
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
