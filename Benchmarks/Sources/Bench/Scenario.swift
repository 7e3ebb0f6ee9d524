// What is measured: a scenario, its floor, its bound, and what it may allocate.

/// Runs the work a number of times on one of the scenario's threads.
typealias Work = (_ iterations: Int, _ thread: Int) throws -> Void

/// A promise about time that `./dev bench` prints and `./dev bench-check` holds.
enum Bound {
    /// At most so many times the floor's time.
    case ratio(Double)
    /// At most so many nanoseconds.
    case nanoseconds(Double)
    /// At least so many times one thread's throughput; the floor is the same work on one thread.
    case scaling(Double)
}

/// One piece of work with a name such as `verify/payload`; the part before the slash is its group.
struct Scenario {
    let name: String
    var floor: String?
    var bound: Bound?
    /// Bytes of payload that one iteration handles.
    var bytes = 0
    var threads = 1
    /// Whether `./dev bench-check` holds it: fast enough for callgrind, and the same on every run.
    var gated = true
    /// Whether a call takes another time than the one before, so that the best time says nothing: the median of long runs does.
    var varies = false
    /// Makes everything that is not timed, and gives the work.
    let prepare: () throws -> Work

    init(
        _ name: String, floor: String? = nil, bound: Bound? = nil, bytes: Int = 0, threads: Int = 1,
        gated: Bool = true, varies: Bool = false, prepare: @escaping () throws -> Work
    ) {
        self.name = name
        self.floor = floor
        self.bound = bound
        self.bytes = bytes
        self.threads = threads
        self.gated = gated
        self.varies = varies
        self.prepare = prepare
    }

    var group: Substring { name.prefix { $0 != "/" } }
}

/// Work whose cost is fitted against a size, such as the number of keys in a set.
struct Growth {
    let name: String
    let unit: String
    let sizes: [Int]
    /// The largest fit that still counts as kept, such as `O(N)`.
    let expected: String
    let prepare: (_ size: Int) throws -> Work
}

/// A scenario's preparation or work that did not do what it must.
struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Stops a scenario whose work went wrong: a fast failure must not look like a fast success.
@inline(__always)
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw BenchmarkFailure(message()) }
}
