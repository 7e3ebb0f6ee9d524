// What one run of the program has: its scenarios, and the way of computing that is measured.

/// The scenarios of one run, and the way of computing.
@_spi(Bench) public struct Session {
    /// The way of computing, such as `portable`.
    public let way: String
    private let make: () throws -> [Scenario]

    init(way: String, _ make: @escaping () throws -> [Scenario]) {
        (self.way, self.make) = (way, make)
    }

    /// The scenarios, which are what a list must be: some, with names of their own, whose floors are there.
    public func scenarios() throws -> [Scenario] { try Self.judged(try make()) }

    static func judged(_ all: [Scenario]) throws -> [Scenario] {
        try require(!all.isEmpty, "there is no scenario")
        var names: Set<String> = []
        for scenario in all {
            let name = scenario.name
            try require(
                !name.isEmpty && !name.hasPrefix("#")
                    && !name.contains { $0.isNewline || $0 == "\t" },
                "a scenario's name is empty, or has a tab, a line feed or a # before it")
            try require(names.insert(name).inserted, "two scenarios are called \(name)")
        }
        for scenario in all {
            try judge(scenario.bound, of: scenario)
            guard let floor = scenario.floor else { continue }
            try require(
                names.contains(floor), "\(scenario.name): no scenario \(floor) for its floor")
            try require(floor != scenario.name, "\(floor): it is its own floor")
        }
        return all
    }

    /// A promise that nothing would hold is none.
    private static func judge(_ bound: Bound?, of scenario: Scenario) throws {
        let limit: Double
        switch bound {
        case nil: return
        case .nanoseconds(let most): limit = most
        case .ratio(let number):
            limit = number
            try require(
                scenario.floor != nil,
                "\(scenario.name): its bound is one over a floor, and it has none")
        }
        try require(
            limit.isFinite && limit > 0, "\(scenario.name): its bound is no number above 0")
        try require(
            !scenario.isFloor, "\(scenario.name): a floor is held by nothing, and has a bound")
    }
}
