// cjosethread.h: the threads that network clients own.
#ifndef CJOSETHREAD_H
#define CJOSETHREAD_H

#include <stdbool.h>

// jose_thread_start runs `run(argument)` on a thread of its own, detached and deaf to signals, which
// belong to the host's threads. False where no thread can be had: then nothing runs.
bool jose_thread_start(void *(*run)(void *), void *argument);

#endif
