// benchmark_probe.h counts calls of malloc, marks stretches for callgrind, reads a clock.
#ifndef BENCHMARK_PROBE_H
#define BENCHMARK_PROBE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t ours;    // malloc, calloc, realloc, aligned forms: Swift's runtime, C, libc
    uint64_t crypto;  // what libcrypto asked for
} probe_allocations;

// probe_install routes libcrypto's memory through counters of its own. It must come before anything that
// asks libcrypto for memory. Returns false if libcrypto had allocated before: its calls count as ours then.
bool probe_install(void);

// probe_counts_malloc tells whether calls of malloc are counted: the program links CJOSEBenchmarkCounters,
// its libc is glibc, and no sanitizer and no other allocator stands before it.
bool probe_counts_malloc(void);

// probe_allocations_now returns the counts of the calling thread since its start.
probe_allocations probe_allocations_now(void);

// probe_has_marks says whether this was compiled with valgrind's header: without it no stretch is marked.
bool probe_has_marks(void);

// probe_collect_start and probe_collect_stop bound what callgrind counts; probe_collect_stop writes
// the profile under `label`. Outside valgrind both cost a few instructions.
void probe_collect_start(void);
void probe_collect_stop(const char *label);

// probe_under_valgrind says whether valgrind runs this process.
bool probe_under_valgrind(void);

// probe_cpu_level takes the CPU level that JOSE_TEST_CPU names, or without it the processor's best, and
// returns its name, "portable" where there is no other; NULL if the processor lacks it. Call it right after
// probe_install, before the library does anything.
const char *probe_cpu_level(void);

// probe_keep_heap has malloc keep freed memory, as it does by itself in a process that once freed a
// large block. Without it the pages of a 64 KB operation go back to the kernel and are asked for
// again each time, or not, as the heap happens to lie. False gives back all that is free.
void probe_keep_heap(bool keep);

// probe_wall_ns is a monotonic clock.
uint64_t probe_wall_ns(void);

#endif
