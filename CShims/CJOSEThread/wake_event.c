// wake_event.c: an event that one thread waits for, and the process ID.
#include "cjosethread.h"

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
    // After the unlock: otherwise the thread would wake and wait for the lock.
    pthread_cond_signal(&event->signalled);
}

void jose_wake_event_wait(jose_wake_event *event)
{
    pthread_mutex_lock(&event->lock);
    while (!event->is_signalled) pthread_cond_wait(&event->signalled, &event->lock);
    event->is_signalled = false;
    pthread_mutex_unlock(&event->lock);
}

int jose_process_identifier(void)
{
    return (int)getpid();
}
