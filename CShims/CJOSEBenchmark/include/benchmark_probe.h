// benchmark_probe.h: counts malloc calls, marks sections for callgrind, and reads a clock.
#ifndef BENCHMARK_PROBE_H
#define BENCHMARK_PROBE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t ours;    // malloc, calloc, realloc, aligned forms: Swift's runtime, C, libc
    uint64_t crypto;  // by libcrypto
} probe_allocations;

// probe_install counts libcrypto's allocations separately. Call it before anything makes libcrypto
// allocate. Returns false if libcrypto has allocated before; its calls then count as `ours`.
bool probe_install(void);

// probe_counts_malloc returns whether calls of malloc are counted: the program links
// CJOSEBenchmarkCounters, its libc is glibc, and no sanitizer or other allocator comes before it.
bool probe_counts_malloc(void);

// probe_allocations_now returns the counts of the calling thread since its start.
probe_allocations probe_allocations_now(void);

// probe_has_marks returns whether this was compiled with valgrind's header, which marking needs.
bool probe_has_marks(void);

// probe_collect_start and probe_collect_stop delimit what callgrind counts. probe_collect_stop
// writes the profile under `label`. Outside valgrind, both cost a few instructions.
void probe_collect_start(void);
void probe_collect_stop(const char *label);

// probe_under_valgrind returns whether valgrind runs this process.
bool probe_under_valgrind(void);

// probe_cpu_level limits the kernels to the CPU level in JOSE_TEST_CPU, or without it to the
// processor's best. Returns the level's name, or NULL if the processor lacks the level. Call it
// right after probe_install, before the library does anything.
const char *probe_cpu_level(void);

// probe_keep_heap(true) makes malloc keep freed memory, as it does by itself after a large block
// was freed. Otherwise the pages of a 64 KB operation may go back to the kernel after each
// operation, depending on the heap. probe_keep_heap(false) returns all free memory to the kernel.
void probe_keep_heap(bool keep);

// probe_wall_ns reads a monotonic clock.
uint64_t probe_wall_ns(void);

#endif
