// Runs scenarios under Google Benchmark and gathers every single run.

@_spi(Bench) import JOSEBenchmark
import CBenchHarness

/// The single runs of one scenario, in nanoseconds an iteration.
struct Timing {
    var wall: [Double] = []
    var cpu: [Double] = []
}

/// A fitted cost such as 12 ns x N.
struct Fit {
    var shape = ""
    var coefficient = 0.0
    var misfit = 0.0
}

final class Harness {
    private(set) var timings: [String: Timing] = [:]
    private(set) var fits: [String: Fit] = [:]
    private(set) var failures: [String] = []
    private var boxes: [Box] = []

    /// What the C side holds: work by size, and by 0 where there is no size.
    private final class Box {
        let works: [Int: Work]
        init(_ works: [Int: Work]) { self.works = works }
    }

    func add(
        _ scenario: Scenario, work: @escaping Work, seconds: Double, allocations: Allocations?
    ) {
        register(
            name: scenario.name, box: Box([0: work]), seconds: seconds, threads: scenario.threads,
            bytes: scenario.bytes, sizes: [], allocations: allocations)
    }

    func add(_ growth: Growth, seconds: Double) throws {
        var works: [Int: Work] = [:]
        for size in growth.sizes { works[size] = try growth.prepare(size) }
        register(
            name: growth.name, box: Box(works), seconds: seconds, threads: 1, bytes: 0,
            sizes: growth.sizes, allocations: nil)
    }

    private func register(
        name: String, box: Box, seconds: Double, threads: Int, bytes: Int, sizes: [Int],
        allocations: Allocations?
    ) {
        boxes.append(box)
        let sizes = sizes.map { Int64($0) }
        name.withCString { name in
            sizes.withUnsafeBufferPointer { sizes in
                var scenario = bench_scenario(
                    name: name, seconds: seconds, threads: Int32(threads), bytes: Int64(bytes),
                    sizes: sizes.isEmpty ? nil : sizes.baseAddress, size_count: Int32(sizes.count),
                    allocations: allocations?.ours ?? -1,
                    crypto_allocations: allocations?.crypto ?? -1)
                bench_register(&scenario, Unmanaged.passUnretained(box).toOpaque()) {
                    context, iterations, thread, size in
                    guard let context else { return 1 }
                    let box = Unmanaged<Box>.fromOpaque(context).takeUnretainedValue()
                    guard let work = box.works[Int(size)] else { return 1 }
                    do {
                        try work(Int(iterations), Int(thread))
                        return 0
                    } catch {
                        return 1
                    }
                }
            }
        }
    }

    /// Runs everything that was added, `repetitions` times each, in random order.
    func run(repetitions: Int, jsonPath: String?) throws {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let report: bench_report = { context, result in
            guard let context, let result else { return }
            let harness = Unmanaged<Harness>.fromOpaque(context).takeUnretainedValue()
            harness.take(result.pointee)
        }
        let status =
            if let jsonPath {
                jsonPath.withCString { bench_run(Int32(repetitions), $0, report, context) }
            } else {
                bench_run(Int32(repetitions), nil, report, context)
            }
        try require(status == 0, "nothing ran")
        try require(failures.isEmpty, "failed: " + failures.joined(separator: ", "))
    }

    private func take(_ result: bench_result) {
        let base = String(cString: result.name)
        let name = result.size > 0 ? "\(base)/\(result.size)" : base
        switch result.kind {
        case BENCH_RUN:
            timings[name, default: Timing()].wall.append(result.wall_ns)
            timings[name, default: Timing()].cpu.append(result.cpu_ns)
        case BENCH_FIT:
            let text = String(cString: result.text)
            if text.isEmpty {
                fits[base, default: Fit()].misfit = result.rms
            } else {
                fits[base, default: Fit()].shape = text
                fits[base, default: Fit()].coefficient = result.cpu_ns
            }
        default:
            failures.append(name)
        }
    }
}
