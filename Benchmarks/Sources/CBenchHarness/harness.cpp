// The only C++ of the project: hands batches of iterations from Google Benchmark to a C function.

#include "bench_harness.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace {

const char *name_of(benchmark::BigO fit) {
    switch (fit) {
    case benchmark::o1: return "O(1)";
    case benchmark::oN: return "O(N)";
    case benchmark::oNSquared: return "O(N^2)";
    case benchmark::oNCubed: return "O(N^3)";
    case benchmark::oLogN: return "O(log N)";
    case benchmark::oNLogN: return "O(N log N)";
    default: return "O(?)";
    }
}

// Why a run did not end, null where it did: from 1.8 on the members that tell it have other names.
template <typename R> auto failure(const R &run, int) -> decltype(run.skip_message.c_str()) {
    return run.skipped ? run.skip_message.c_str() : nullptr;
}
template <typename R> auto failure(const R &run, long) -> decltype(run.error_message.c_str()) {
    return run.error_occurred ? run.error_message.c_str() : nullptr;
}

// Gives single runs and fits to the caller; means and deviations are left to the one who prints.
class Forwarder : public benchmark::BenchmarkReporter {
public:
    Forwarder(bench_report report, void *context) : report_(report), context_(context) {}

    bool ReportContext(const Context &) override { return true; }

    void ReportRuns(const std::vector<Run> &runs) override {
        for (const Run &run : runs) {
            const std::string &name = run.run_name.function_name;
            bench_result out = {};
            out.name = name.c_str();
            out.iterations = run.iterations;
            out.size = run.complexity_n;
            out.text = "";
            if (const char *why = failure(run, 0)) {
                out.kind = BENCH_FAILED;
                out.text = why;
            } else if (run.report_big_o) {
                out.kind = BENCH_FIT;
                out.text = name_of(run.complexity);
                out.wall_ns = run.GetAdjustedRealTime();
                out.cpu_ns = run.GetAdjustedCPUTime();
            } else if (run.report_rms) {
                out.kind = BENCH_FIT;
                out.rms = run.GetAdjustedCPUTime();
            } else if (run.run_type == Run::RT_Iteration) {
                out.kind = BENCH_RUN;
                out.wall_ns = run.GetAdjustedRealTime();
                out.cpu_ns = run.GetAdjustedCPUTime();
            } else {
                continue;
            }
            report_(context_, &out);
        }
    }

private:
    bench_report report_;
    void *context_;
};

}  // namespace

void bench_register(const bench_scenario *scenario, const void *context, bench_body body) {
    const double allocations = scenario->allocations;
    const double crypto = scenario->crypto_allocations;
    const int64_t bytes = scenario->bytes;
    const bool family = scenario->sizes != nullptr;
    auto *added = benchmark::RegisterBenchmark(
        scenario->name, [=](benchmark::State &state) {
            const int64_t size = family ? state.range(0) : 0;
            while (state.KeepRunningBatch(state.max_iterations)) {
                if (body(context, state.max_iterations, state.thread_index(), size) != 0) {
                    state.SkipWithError("the work failed");
                    break;
                }
            }
            if (family) state.SetComplexityN(size);
            if (bytes > 0) state.SetBytesProcessed(state.iterations() * bytes);
            // A plain counter is summed over threads; the average is what one thread saw.
            if (allocations >= 0) {
                state.counters["allocations"] =
                    benchmark::Counter(allocations, benchmark::Counter::kAvgThreads);
                state.counters["crypto_allocations"] =
                    benchmark::Counter(crypto, benchmark::Counter::kAvgThreads);
            }
        });
    added->MinTime(scenario->seconds)->Unit(benchmark::kNanosecond);
    if (scenario->threads > 1) added->Threads(scenario->threads)->UseRealTime();
    for (int32_t i = 0; family && i < scenario->size_count; i++) added->Arg(scenario->sizes[i]);
    if (family) added->Complexity();
}

int bench_run(int32_t repetitions, const char *json_path, bench_report report, void *context) {
    std::vector<std::string> words = {
        "bench", "--benchmark_repetitions=" + std::to_string(repetitions),
        "--benchmark_enable_random_interleaving=true"};
    if (json_path != nullptr) {
        words.push_back(std::string("--benchmark_out=") + json_path);
        words.push_back("--benchmark_out_format=json");
    }
    std::vector<char *> arguments;
    for (std::string &word : words) arguments.push_back(word.data());
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    Forwarder forwarder(report, context);
    const size_t ran = benchmark::RunSpecifiedBenchmarks(&forwarder);
    benchmark::Shutdown();
    return ran > 0 ? 0 : 1;
}
