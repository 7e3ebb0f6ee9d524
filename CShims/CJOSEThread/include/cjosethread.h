// cjosethread.h: threads that may block, and events that wake them.
#ifndef CJOSETHREAD_H
#define CJOSETHREAD_H

#include <stdbool.h>

// jose_thread_start runs run(argument) on a new detached thread with all signals blocked, since
// signals belong to the host's threads, and a stack of at least 512 KiB. Returns false if no thread
// can be created; nothing runs then.
bool jose_thread_start(void *(*run)(void *), void *argument);

// An event that one thread waits for. A signal ends one wait, now or later.
typedef struct jose_wake_event jose_wake_event;

// jose_wake_event_make returns an event, or NULL if memory runs out. Free it once no thread signals
// or waits.
jose_wake_event *jose_wake_event_make(void);

// jose_wake_event_free frees an event. NULL is allowed.
void jose_wake_event_free(jose_wake_event *event);

// jose_wake_event_signal ends one wait; two signals before a wait count as one. Any thread may call
// it.
void jose_wake_event_signal(jose_wake_event *event);

// jose_wake_event_wait blocks until the event is signalled, or returns at once if it was.
void jose_wake_event_wait(jose_wake_event *event);

// jose_process_identifier returns the number of this process, which a child of fork does not share.
int jose_process_identifier(void);

#endif
