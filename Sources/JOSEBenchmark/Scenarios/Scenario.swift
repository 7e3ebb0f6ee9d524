// What is measured: a scenario, its floor, its bound, and what it may allocate.

/// Runs the work a number of times; the thread is 0.
///
/// The loop is the work's own, so that nothing stands between two iterations. A work that throws ends the program: a fast
/// failure must not look like a fast success.
public typealias Work = (_ iterations: Int, _ thread: Int) throws -> Void

/// A promise about time.
public enum Bound: Sendable {
    /// At most so many times the floor's time; `check` holds it, with 5 % for the machine, where it holds the scenario.
    case ratio(Double)
    /// At most so many nanoseconds; `run` marks what is over it, and `check` leaves it alone, since processors differ.
    case nanoseconds(Double)
}

/// One piece of work with a name such as `orders/read`.
public struct Scenario {
    /// The name by which baselines, histories and reports know it; the part before the slash is its group. A name that ends in
    /// `floor` is that of a floor: it is measured beside others, and held by nothing.
    public let name: String
    /// The name of the scenario that it is compared with.
    public var floor: String?
    /// What is promised of its time.
    public var bound: Bound?
    /// Bytes of payload that one iteration handles, 0 where that says nothing.
    @_spi(Bench) public var bytes = 0
    /// On how many threads the work runs at once; more than one is measured by the program itself.
    @_spi(Bench) public var threads = 1
    /// Whether the gate holds it: fast enough for callgrind, and the same on every run.
    public var gated = true
    /// Whether a call takes another time than the one before, so that the best time says nothing: the median of long runs does.
    public var varies = false
    /// How much of its core this thread gets, where a neighbour on the same core slows the work and
    /// not its floor.
    @_spi(Bench) public var coreShare: (() -> Double)?
    /// Makes everything that is not timed, and gives the work.
    public let prepare: () throws -> Work

    /// A scenario with its name, its promise and its work.
    ///
    /// - Parameters:
    ///   - name: Such as `orders/read`, without tabs and line feeds; no two scenarios have one name.
    ///   - floor: The name of the scenario that it is compared with, such as one of ``floor(_:verifying:with:)``.
    ///   - bound: What is promised of its time.
    ///   - gated: Whether the gate holds it.
    ///   - varies: Whether each call takes another time, as a signature with ML-DSA does.
    ///   - prepare: Makes everything that is not timed, and gives the work.
    public init(
        _ name: String, floor: String? = nil, bound: Bound? = nil, gated: Bool = true,
        varies: Bool = false, prepare: @escaping () throws -> Work
    ) {
        self.name = name
        self.floor = floor
        self.bound = bound
        self.gated = gated
        self.varies = varies
        self.prepare = prepare
    }

    /// The part of the name before the slash.
    @_spi(Bench) public var group: Substring { name.prefix { $0 != "/" } }

    /// Measured beside others, and held by nothing.
    @_spi(Bench) public var isFloor: Bool { name.hasSuffix("floor") }

    /// Held by the gate: its own numbers repeat, and it is no floor.
    @_spi(Bench) public var isExternal: Bool { gated && threads == 1 && !isFloor }
}
