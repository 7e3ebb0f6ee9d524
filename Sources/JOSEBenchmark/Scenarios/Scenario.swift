// What is measured: a scenario, its baseline and its bound.

/// Runs the measured code `iterations` times. `thread` is the thread's index: 0 if only one runs.
///
/// The closure has the loop, so that no call comes between two iterations. An error ends the
/// program: a fast failure must not look like a fast success.
public typealias Work = (_ iterations: Int, _ thread: Int) throws -> Void

/// An upper limit on the time of a scenario.
public enum Bound: Sendable {
    /// At most this many times the baseline's time. `check` fails above it, with a tolerance of
    /// 5 %, if the scenario is `gated`.
    case ratio(Double)
    /// At most this many nanoseconds. `run` marks slower scenarios. `check` ignores the bound,
    /// since processors differ.
    case nanoseconds(Double)
}

/// A named piece of code to measure, such as `orders/read`.
public struct Scenario {
    /// The name in baseline files and reports; the part before the slash is the group.
    ///
    /// Scenarios whose name ends in `baseline` are only for ratios of others: `check` skips them.
    public let name: String
    /// The name of the scenario whose time the ratio divides by.
    public var baseline: String?
    /// The upper limit on its time.
    public var bound: Bound?
    /// The payload bytes of one iteration; 0 if they do not matter.
    @_spi(Bench) public var bytes = 0
    /// How many threads run the work at once.
    @_spi(Bench) public var threads = 1
    /// Whether `check` compares it. If so, it must be fast under callgrind and repeat exactly.
    public var gated = true
    /// Whether calls take different times, as with ML-DSA. Then the median of long runs is used
    /// instead of the best time.
    public var varies = false
    /// Measures the share of its core that this thread gets; nil unless a neighbour on the core
    /// slows the work but not its baseline.
    @_spi(Bench) public var coreShare: (() -> Double)?
    /// Prepares keys and data, which is not timed, and returns the work.
    public let prepare: () throws -> Work

    /// Creates a scenario.
    ///
    /// - Parameters:
    ///   - name: A unique name such as `orders/read`, without tabs and line feeds.
    ///   - baseline: The name of the scenario to compare with, such as one made by
    ///     ``baseline(_:verifying:with:)``.
    ///   - bound: The upper limit on its time.
    ///   - gated: Whether `check` compares it.
    ///   - varies: Whether calls take different times, as signatures with ML-DSA do.
    ///   - prepare: Prepares keys and data, which is not timed, and returns the work.
    public init(
        _ name: String, baseline: String? = nil, bound: Bound? = nil, gated: Bool = true,
        varies: Bool = false, prepare: @escaping () throws -> Work
    ) {
        self.name = name
        self.baseline = baseline
        self.bound = bound
        self.gated = gated
        self.varies = varies
        self.prepare = prepare
    }

    /// The part of the name before the slash.
    @_spi(Bench) public var group: Substring { name.prefix { $0 != "/" } }

    /// Whether it is only measured for others.
    @_spi(Bench) public var isBaseline: Bool { name.hasSuffix("baseline") }

    /// Whether `check` compares it.
    @_spi(Bench) public var isChecked: Bool { gated && threads == 1 && !isBaseline }
}
