// The arguments of a command: `--name value` options, flags, and positional arguments.

/// The arguments that a command accepts.
@_spi(Bench) public struct KnownOptions {
    let values: Set<String>
    let flags: Set<String>
    let words: Int

    /// - Parameters:
    ///   - values: Names of options that take a value.
    ///   - flags: Names of options without a value.
    ///   - words: How many positional arguments there may be.
    public init(_ values: Set<String> = [], flags: Set<String> = [], words: Int = 0) {
        (self.values, self.flags, self.words) = (values, flags, words)
    }
}

/// The parsed arguments of a command.
@_spi(Bench) public struct Options {
    private var values: [String: String] = [:]
    /// The positional arguments.
    public private(set) var words: [String] = []

    init(_ arguments: some Sequence<String>, known: KnownOptions) throws {
        var rest = Array(arguments)[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                try require(words.count < known.words, "unexpected argument '\(word)'")
                words.append(word)
                continue
            }
            let name = String(word.dropFirst(2))
            try require(values[name] == nil, "--\(name) may be given only once")
            if known.flags.contains(name) {
                values[name] = ""
            } else if !known.values.contains(name) {
                throw BenchmarkFailure("unknown option --\(name)")
            } else if let value = rest.popFirst() {
                values[name] = value
            } else {
                throw BenchmarkFailure("--\(name) needs a value")
            }
        }
    }

    /// The value of an option.
    public subscript(_ name: String) -> String? { values[name] }

    /// Whether an option or flag is given.
    public func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of a required option.
    public func needed(_ name: String) throws -> String {
        guard let value = values[name] else { throw BenchmarkFailure("--\(name) is missing") }
        return value
    }

    /// The number of an option.
    public func number(_ name: String, or standard: Double) throws -> Double {
        guard let text = values[name] else { return standard }
        guard let number = Double(text) else { throw BenchmarkFailure("--\(name): not a number") }
        return number
    }

    /// The whole number of an option, at least `least`.
    func count(_ name: String, or standard: Int, least: Int) throws -> Int {
        guard let text = values[name] else { return standard }
        guard let number = Int(text), number >= least, number <= 1_000_000 else {
            throw BenchmarkFailure("--\(name) is a whole number from \(least) on")
        }
        return number
    }

    /// `--only a,b`: the scenarios whose names start with these, and their baselines.
    public func chosen(_ all: [Scenario]) throws -> [Scenario] {
        guard let only = values["only"] else { return all }
        let starts = only.split(separator: ",")
        let wanted = all.filter { scenario in starts.contains { scenario.name.hasPrefix($0) } }
        try require(!wanted.isEmpty, "no scenario's name starts with '\(only)'")
        let names = Set(wanted.map(\.name)).union(wanted.compactMap(\.baseline))
        return all.filter { names.contains($0.name) }
    }
}
