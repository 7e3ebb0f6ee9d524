// Several threads at the same work, started together.

#include "bench_process.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

enum { MOST_THREADS = 16 };

// Where threads wait until all have come, or one could not be started. (macOS has no barriers of
// POSIX.)
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    int32_t missing;
    bool abandoned;
} gate;

typedef struct {
    gate *start;
    bench_work work;
    const void *context;
    int64_t iterations;
    int32_t number;
    uint64_t began, ended, cpu;
} task;

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t bench_process_ns(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t bench_wall_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

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
    const uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    mine->began = clock_ns(CLOCK_MONOTONIC);
    mine->work(mine->context, mine->iterations, mine->number);
    mine->ended = clock_ns(CLOCK_MONOTONIC);
    mine->cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
    return NULL;
}

bench_times bench_threads(int32_t count, int64_t iterations, const void *context, bench_work work)
{
    if (count < 1 || count > MOST_THREADS) return (bench_times){0, 0};
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
    return started == count ? (bench_times){ended - began, cpu} : (bench_times){0, 0};
}
