// Many threads at the same work.

#include "campaigns.h"

#include <pthread.h>
#include <stddef.h>

enum { MOST_THREADS = 64 };

typedef struct {
    pthread_barrier_t *start;
    thread_work work;
    const void *context;
    int32_t number;
} task;

static void *run(void *given)
{
    const task *mine = given;
    pthread_barrier_wait(mine->start);
    mine->work(mine->context, mine->number);
    return NULL;
}

bool run_threads(int32_t count, const void *context, thread_work work)
{
    if (count < 1 || count > MOST_THREADS) return false;
    pthread_barrier_t start;
    pthread_t threads[MOST_THREADS];
    task tasks[MOST_THREADS];
    if (pthread_barrier_init(&start, NULL, (unsigned)count) != 0) return false;
    for (int32_t i = 0; i < count; i++) {
        tasks[i] = (task){&start, work, context, i};
        // A thread that does not start would leave the others at the barrier for ever.
        if (pthread_create(&threads[i], NULL, run, &tasks[i]) != 0) return false;
    }
    for (int32_t i = 0; i < count; i++) (void)pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    return true;
}
