// counts.h: the counters of the calling thread's heap requests.
#ifndef JOSE_BENCHMARK_COUNTS_H
#define JOSE_BENCHMARK_COUNTS_H

#include "include/benchmark_probe.h"

extern __thread probe_allocations probe_counts;

#endif
