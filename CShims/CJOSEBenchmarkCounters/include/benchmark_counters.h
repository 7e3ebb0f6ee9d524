// benchmark_counters.h: programs that link this target count the calls of glibc's malloc and its
// siblings. There is no function to call: see probe_counts_malloc of CJOSEBenchmark.
#ifndef BENCHMARK_COUNTERS_H
#define BENCHMARK_COUNTERS_H
#endif
