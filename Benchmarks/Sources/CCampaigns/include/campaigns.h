// campaigns.h counts what a call takes from the heap, reads the thread's clock, and runs work in a
// child that may make no system calls but those for memory, locks, random numbers and the clock.

#ifndef CAMPAIGNS_H
#define CAMPAIGNS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t requests;  // malloc, calloc, realloc and the aligned forms
    int64_t most;       // the most bytes held at once, over those held at the start
} heap_use;

// heap_counts says whether this build counts; under a sanitizer malloc is the sanitizer's.
bool heap_counts(void);

// heap_begin starts counting for the calling thread; heap_end returns what was counted since.
void heap_begin(void);
heap_use heap_end(void);

// thread_nanoseconds is the processor time of the calling thread.
uint64_t thread_nanoseconds(void);

typedef struct {
    bool ended;    // the work came to its end
    int32_t step;  // the last number given to quiet_step
    int32_t call;  // the number of the forbidden system call; -1 where there was none
} quiet_result;

// quiet_run forks, forbids system calls in the child and calls work there; with `warm` it calls
// work once before that too. Work that fails calls quiet_fail. Returns false if there is no child
// or no filter.
typedef void (*quiet_work)(const void *context);
bool quiet_run(bool warm, quiet_work work, const void *context, quiet_result *result);

// quiet_step notes in memory that the parent sees which step of the work begins.
void quiet_step(int32_t step);

// quiet_fail ends the child: the step did not do what it should.
void quiet_fail(void);

// quiet_provoke makes a system call that is forbidden, to show that it is noticed.
void quiet_provoke(void);

// run_threads runs the work on so many threads and returns when the last is done; false if one does
// not start.
typedef void (*thread_work)(const void *context, int32_t thread);
bool run_threads(int32_t count, const void *context, thread_work work);

#endif
