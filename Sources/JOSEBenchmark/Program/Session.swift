// One run of the program: its scenarios and the CPU level.

/// The scenarios of one run, and the CPU level.
@_spi(Bench) public struct Session {
    /// The CPU level, such as `portable`.
    public let cpuLevel: String
    private let make: () throws -> [Scenario]

    init(cpuLevel: String, _ make: @escaping () throws -> [Scenario]) {
        (self.cpuLevel, self.make) = (cpuLevel, make)
    }

    /// The scenarios, validated: at least one, with unique names, and with existing baselines.
    public func scenarios() throws -> [Scenario] { try Self.validated(try make()) }

    static func validated(_ all: [Scenario]) throws -> [Scenario] {
        try require(!all.isEmpty, "there is no scenario")
        var names: Set<String> = []
        for scenario in all {
            let name = scenario.name
            try require(
                !name.isEmpty && !name.hasPrefix("#")
                    && !name.contains { $0.isNewline || $0 == "\t" },
                "a scenario's name is empty, has a tab or line feed, or starts with #")
            try require(names.insert(name).inserted, "two scenarios are called \(name)")
        }
        for scenario in all {
            try validate(scenario.bound, of: scenario)
            guard let baseline = scenario.baseline else { continue }
            try require(
                names.contains(baseline),
                "\(scenario.name): no scenario \(baseline) for its baseline")
            try require(
                baseline != scenario.name, "\(baseline): a scenario cannot be its own baseline")
        }
        return all
    }

    /// Rejects a bound that `check` could not compare.
    private static func validate(_ bound: Bound?, of scenario: Scenario) throws {
        let limit: Double
        switch bound {
        case nil: return
        case .nanoseconds(let number): limit = number
        case .ratio(let number):
            limit = number
            try require(
                scenario.baseline != nil,
                "\(scenario.name): its bound is a ratio, but it has no baseline")
        }
        try require(
            limit.isFinite && limit > 0, "\(scenario.name): its bound is not a positive number")
        try require(
            !scenario.isBaseline, "\(scenario.name): a baseline cannot have a bound"
        )
    }
}
