// bench_process.h reads the process's memory, and starts programs.

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

#endif
