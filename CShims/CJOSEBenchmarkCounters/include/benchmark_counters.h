// benchmark_counters.h: in a program that links this target, glibc's malloc and its siblings count their calls. Nothing to
// call; probe_counts_malloc of CJOSEBenchmark says whether it is so.
#ifndef BENCHMARK_COUNTERS_H
#define BENCHMARK_COUNTERS_H
#endif
