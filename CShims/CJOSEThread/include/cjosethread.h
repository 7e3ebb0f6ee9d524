// cjosethread.h: threads of the network clients.
#ifndef CJOSETHREAD_H
#define CJOSETHREAD_H

#include <stdbool.h>

// jose_thread_start runs run(argument) on a new detached thread with all signals blocked, since
// signals belong to the host's threads. Returns false if no thread can be created; nothing runs
// then.
bool jose_thread_start(void *(*run)(void *), void *argument);

#endif
