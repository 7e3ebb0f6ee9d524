// cjosethread.h: starts threads that may block, and events that wake them.
#ifndef CJOSETHREAD_H
#define CJOSETHREAD_H

#include <stdbool.h>

// jose_thread_start runs run(argument) on a new detached thread with a stack of at least 512 KiB.
// All signals are blocked there: they belong to the host's threads. Returns false if no thread can
// be created; nothing runs then.
bool jose_thread_start(void *(*run)(void *), void *argument);

// An event that one thread waits for, until another thread calls jose_wake_event_signal.
typedef struct jose_wake_event jose_wake_event;

// jose_wake_event_make returns an event, or NULL if memory runs out. Free it when no thread signals
// it or waits for it any more.
jose_wake_event *jose_wake_event_make(void);

// jose_wake_event_free frees an event. NULL is allowed.
void jose_wake_event_free(jose_wake_event *event);

// jose_wake_event_signal ends one wait. Two signals before a wait count as one. Any thread may call
// this function.
void jose_wake_event_signal(jose_wake_event *event);

// jose_wake_event_wait blocks until the event is signalled, or returns at once if it was.
void jose_wake_event_wait(jose_wake_event *event);

// jose_process_identifier returns the ID of this process; a child of fork has another one.
int jose_process_identifier(void);

#endif
