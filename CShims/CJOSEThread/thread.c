// thread.c: starts a detached thread with all signals blocked.
#include "cjosethread.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

// Private operations need up to 128 KiB (docs/kernels.md). The default stack size is the stack
// limit at the start of the process (ulimit -s), and may be less.
enum { MIN_STACK_BYTES = 512 * 1024 };

static bool has_stack(pthread_attr_t *attributes)
{
    size_t size;
    return pthread_attr_getstacksize(attributes, &size) == 0 &&
           (size >= MIN_STACK_BYTES || pthread_attr_setstacksize(attributes, MIN_STACK_BYTES) == 0);
}

bool jose_thread_start(void *(*run)(void *), void *argument)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes) != 0) return false;
    sigfillset(&all);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    // The new thread inherits the mask.
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started =
        has_stack(&attributes) && pthread_create(&thread, &attributes, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}
