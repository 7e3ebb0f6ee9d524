// Several threads at the same work, started together.

#include "include/benchmark_probe.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { MOST_THREADS = 16 };

// Where threads wait until all have come, or one could not be started. (macOS has no barriers of POSIX.)
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    int32_t missing;
    bool abandoned;
} gate;

typedef struct {
    gate *start;
    probe_work work;
    const void *context;
    int64_t iterations;
    int32_t number;
    uint64_t began, ended, cpu;
} task;

static bool pass(gate *start)
{
    pthread_mutex_lock(&start->lock);
    start->missing--;
    if (start->missing == 0) pthread_cond_broadcast(&start->opened);
    while (start->missing > 0 && !start->abandoned) pthread_cond_wait(&start->opened, &start->lock);
    const bool all = !start->abandoned;
    pthread_mutex_unlock(&start->lock);
    return all;
}

static void abandon(gate *start)
{
    pthread_mutex_lock(&start->lock);
    start->abandoned = true;
    pthread_cond_broadcast(&start->opened);
    pthread_mutex_unlock(&start->lock);
}

static void *run(void *given)
{
    task *mine = given;
    if (!pass(mine->start)) return NULL;
    const uint64_t cpu = probe_thread_ns();
    mine->began = probe_wall_ns();
    mine->work(mine->context, mine->iterations, mine->number);
    mine->ended = probe_wall_ns();
    mine->cpu = probe_thread_ns() - cpu;
    return NULL;
}

probe_times probe_threads(int32_t count, int64_t iterations, const void *context, probe_work work)
{
    if (count < 1 || count > MOST_THREADS) return (probe_times){0, 0};
    gate start = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, count, false};
    pthread_t threads[MOST_THREADS];
    task tasks[MOST_THREADS];
    int32_t started = 0;
    while (started < count) {
        tasks[started] = (task){&start, work, context, iterations, started, 0, 0, 0};
        if (pthread_create(&threads[started], NULL, run, &tasks[started]) != 0) break;
        started++;
    }
    if (started < count) abandon(&start);
    uint64_t began = UINT64_MAX, ended = 0, cpu = 0;
    for (int32_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        if (tasks[i].began < began) began = tasks[i].began;
        if (tasks[i].ended > ended) ended = tasks[i].ended;
        cpu += tasks[i].cpu;
    }
    pthread_cond_destroy(&start.opened);
    pthread_mutex_destroy(&start.lock);
    return started == count ? (probe_times){ended - began, cpu} : (probe_times){0, 0};
}
