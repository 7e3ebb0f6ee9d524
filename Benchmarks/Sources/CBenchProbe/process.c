// What the kernel knows about this process: its memory, its children.

#include "bench_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static uint64_t status_kilobytes(const char *field)
{
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

void process_reset_peak(void)
{
    int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    (void)!write(file, "5", 1);
    close(file);
}

uint64_t process_peak_bytes(void)
{
    return status_kilobytes("VmHWM") * 1024;
}

uint64_t process_resident_bytes(void)
{
    return status_kilobytes("VmRSS") * 1024;
}

static uint64_t wall_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return 0;
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t nanoseconds(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

process_times process_spawn(const char *path)
{
    char *const arguments[] = {(char *)path, NULL};
    const process_times failed = {0, 0};
    pid_t child;
    int status;
    struct rusage used;
    const uint64_t start = wall_ns();
    if (posix_spawn(&child, path, NULL, NULL, arguments, environ) != 0) return failed;
    if (wait4(child, &status, 0, &used) != child) return failed;
    const uint64_t end = wall_ns();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return failed;
    return (process_times){end - start, nanoseconds(used.ru_utime) + nanoseconds(used.ru_stime)};
}
