// bench_harness.h is a plain C face of Google Benchmark for Swift: register, run, get each run
// back.

#ifndef BENCH_HARNESS_H
#define BENCH_HARNESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// bench_body runs the work `iterations` times on thread number `thread` and returns 0,
// or anything else when the work failed: the scenario is then reported as failed.
// `size` is the argument of the family member that runs, or 0.
typedef int (*bench_body)(const void *context, int64_t iterations, int32_t thread, int64_t size);

typedef struct {
    const char *name;
    double seconds;        // shortest time of one repetition
    int32_t threads;       // 1 or more; more than 1 is timed by the wall clock
    int64_t bytes;         // payload per iteration, 0 for none
    const int64_t *sizes;  // members of a family whose growth is fitted, or NULL
    int32_t size_count;
    double allocations;  // carried into the report as counters; negative for unknown
    double crypto_allocations;
} bench_scenario;

typedef enum { BENCH_RUN,
               BENCH_FIT,
               BENCH_FAILED } bench_kind;

typedef struct {
    bench_kind kind;
    const char *name;  // as registered
    double wall_ns;    // per iteration, all threads together; BENCH_FIT: the coefficient
    double cpu_ns;
    int64_t iterations;
    int64_t size;
    const char *text;  // BENCH_FIT: such as "O(N)"; BENCH_FAILED: why
    double rms;        // BENCH_FIT: relative misfit
} bench_result;

typedef void (*bench_report)(void *context, const bench_result *result);

// bench_register adds a scenario. `context` must live until bench_run returns.
void bench_register(const bench_scenario *scenario, const void *context, bench_body body);

// bench_run runs all that is registered, `repetitions` times each, in random order, and hands
// every single run to `report`. Writes Google Benchmark's JSON to `json_path` unless NULL.
// Returns 0, or 1 if nothing ran.
int bench_run(int32_t repetitions, const char *json_path, bench_report report, void *context);

#ifdef __cplusplus
}
#endif
#endif
