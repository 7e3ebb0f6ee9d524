// Several threads at the same work, started together.

#include "include/benchmark_probe.h"

#include <pthread.h>
#include <stddef.h>

enum { MOST_THREADS = 16 };

typedef struct {
    pthread_barrier_t *start;
    probe_work work;
    const void *context;
    int64_t iterations;
    int32_t number;
    uint64_t began, ended, cpu;
} task;

static void *run(void *given)
{
    task *mine = given;
    pthread_barrier_wait(mine->start);
    const uint64_t cpu = probe_thread_ns();
    mine->began = probe_wall_ns();
    mine->work(mine->context, mine->iterations, mine->number);
    mine->ended = probe_wall_ns();
    mine->cpu = probe_thread_ns() - cpu;
    return NULL;
}

probe_times probe_threads(int32_t count, int64_t iterations, const void *context, probe_work work)
{
    const probe_times failed = {0, 0};
    if (count < 1 || count > MOST_THREADS) return failed;
    pthread_barrier_t start;
    pthread_t threads[MOST_THREADS];
    task tasks[MOST_THREADS];
    if (pthread_barrier_init(&start, NULL, (unsigned)count) != 0) return failed;
    for (int32_t i = 0; i < count; i++) {
        tasks[i] = (task){&start, work, context, iterations, i, 0, 0, 0};
        // A thread that does not start would leave the others at the barrier for ever.
        if (pthread_create(&threads[i], NULL, run, &tasks[i]) != 0) return failed;
    }
    uint64_t began = UINT64_MAX, ended = 0, cpu = 0;
    for (int32_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        if (tasks[i].began < began) began = tasks[i].began;
        if (tasks[i].ended > ended) ended = tasks[i].ended;
        cpu += tasks[i].cpu;
    }
    pthread_barrier_destroy(&start);
    return (probe_times){ended - began, cpu};
}
