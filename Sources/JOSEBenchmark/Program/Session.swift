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
            try require((1...16).contains(scenario.threads), "\(name): 1 to 16 threads")
        }
        for scenario in all {
            guard let floor = scenario.floor else { continue }
            try require(
                names.contains(floor), "\(scenario.name): no scenario \(floor) for its floor")
        }
        return all
    }
}
