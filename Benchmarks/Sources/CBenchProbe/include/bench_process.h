// bench_process.h reads the process's memory and clocks, starts programs, runs work on threads.

#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stdint.h>

// process_reset_peak sets the peak of resident memory to what is resident now.
void process_reset_peak(void);

// process_peak_bytes and process_resident_bytes read /proc/self/status; 0 if it cannot be read.
uint64_t process_peak_bytes(void);
uint64_t process_resident_bytes(void);

typedef struct {
    uint64_t wall_ns;
    uint64_t cpu_ns;
} process_times;

// process_spawn starts the program at `path` and waits for its end. All zero if it could not be
// started or did not end with status 0.
process_times process_spawn(const char *path);

typedef struct {
    uint64_t wall_ns;
    uint64_t cpu_ns;  // of all threads together
} bench_times;

// bench_threads runs the work on `count` threads that start together, until the last is done.
// All zero if a thread could not be started. At most 16 threads.
typedef void (*bench_work)(const void *context, int64_t iterations, int32_t thread);
bench_times bench_threads(int32_t count, int64_t iterations, const void *context, bench_work work);

// bench_process_ns is the CPU time of all threads, bench_wall_ns a monotonic clock.
uint64_t bench_process_ns(void);
uint64_t bench_wall_ns(void);

// bench_vector_share measures for 0.2 ms how much of what a core can begin in a cycle the calling
// thread gets: 1 alone, less next to a neighbour on the same core; 1 too where there are no fused
// products.
double bench_vector_share(void);

#endif
