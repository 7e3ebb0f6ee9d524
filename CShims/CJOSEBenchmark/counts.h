// counts.h: what the calling thread asked of the heap.
#ifndef JOSE_BENCHMARK_COUNTS_H
#define JOSE_BENCHMARK_COUNTS_H

#include "include/benchmark_probe.h"

extern __thread probe_allocations probe_counts;

#endif
