// What the kernel and valgrind know about this process: memory, clocks, children, profiles.

#include "bench_probe.h"

#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

extern char **environ;

bool probe_under_valgrind(void) { return RUNNING_ON_VALGRIND != 0; }

void probe_collect_start(void) {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

void probe_collect_stop(const char *label) {
    CALLGRIND_DUMP_STATS_AT(label);
    CALLGRIND_STOP_INSTRUMENTATION;
}

static uint64_t status_kilobytes(const char *field) {
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL) return 0;
    char line[256];
    unsigned long long found = 0;
    while (fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, field, strlen(field)) == 0) {
            (void)sscanf(line + strlen(field), ": %llu", &found);
            break;
        }
    }
    fclose(status);
    return found;
}

void probe_keep_heap(bool keep) {
    enum { KEPT = 64 << 20, LARGE = 32 << 20, USUAL = 128 << 10 };
    (void)mallopt(M_TRIM_THRESHOLD, keep ? KEPT : USUAL);
    (void)mallopt(M_MMAP_THRESHOLD, keep ? LARGE : USUAL);
    if (!keep) (void)malloc_trim(0);
}

void probe_reset_peak(void) {
    int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    (void)!write(file, "5", 1);
    close(file);
}

uint64_t probe_peak_bytes(void) { return status_kilobytes("VmHWM") * 1024; }

uint64_t probe_resident_bytes(void) { return status_kilobytes("VmRSS") * 1024; }

static uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t probe_thread_ns(void) { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

uint64_t probe_process_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

uint64_t probe_wall_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

static uint64_t nanoseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

probe_times probe_spawn(const char *path) {
    char *const arguments[] = {(char *)path, NULL};
    const probe_times failed = {0, 0};
    pid_t child;
    int status;
    struct rusage used;
    const uint64_t start = probe_wall_ns();
    if (posix_spawn(&child, path, NULL, NULL, arguments, environ) != 0) return failed;
    if (wait4(child, &status, 0, &used) != child) return failed;
    const uint64_t end = probe_wall_ns();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return failed;
    return (probe_times){end - start, nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime)};
}
