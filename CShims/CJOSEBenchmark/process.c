// process.c: a clock, the heap and callgrind's profiles of this process.

#include "include/benchmark_probe.h"

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

bool probe_has_marks(void)
{
    return true;
}

bool probe_under_valgrind(void)
{
    return RUNNING_ON_VALGRIND != 0;
}

void probe_collect_start(void)
{
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

void probe_collect_stop(const char *label)
{
    CALLGRIND_DUMP_STATS_AT(label);
    CALLGRIND_STOP_INSTRUMENTATION;
}
#else
bool probe_has_marks(void)
{
    return false;
}

bool probe_under_valgrind(void)
{
    return false;
}

void probe_collect_start(void)
{
}

void probe_collect_stop(const char *label)
{
    (void)label;
}
#endif

void probe_keep_heap(bool keep)
{
#ifdef __GLIBC__
    enum { KEPT = 64 << 20,
           LARGE = 32 << 20,
           USUAL = 128 << 10 };
    (void)mallopt(M_TRIM_THRESHOLD, keep ? KEPT : USUAL);
    (void)mallopt(M_MMAP_THRESHOLD, keep ? LARGE : USUAL);
    if (!keep) (void)malloc_trim(0);
#else
    (void)keep;
#endif
}

uint64_t probe_wall_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
