// The words behind a command: `--name value` pairs, flags, and plain words.

struct Options {
    private var values: [String: String] = [:]
    private(set) var words: [String] = []

    /// Flags that take no value.
    private static let flags: Set<String> = ["update", "floors", "no-ratios"]

    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                words.append(word)
                continue
            }
            let name = String(word.dropFirst(2))
            if Self.flags.contains(name) {
                values[name] = ""
            } else if let value = rest.popFirst() {
                values[name] = value
            } else {
                throw BenchmarkFailure("--\(name) needs a value")
            }
        }
    }

    subscript(_ name: String) -> String? { values[name] }

    func has(_ name: String) -> Bool { values[name] != nil }

    func needed(_ name: String) throws -> String {
        guard let value = values[name] else { throw BenchmarkFailure("--\(name) is missing") }
        return value
    }

    func number(_ name: String, or standard: Double) throws -> Double {
        guard let text = values[name] else { return standard }
        guard let number = Double(text) else { throw BenchmarkFailure("--\(name): no number") }
        return number
    }

    /// `--only a,b`: names that start so; their floors come along. Without it all but the rows of the registry, of which
    /// there are more than a minute holds: `--only row-`.
    func chosen(_ all: [Scenario]) -> [Scenario] {
        let wanted = all.filter { wants($0.name) }
        guard has("only") else { return wanted }
        let floors = Set(wanted.compactMap(\.floor))
        let names = Set(wanted.map(\.name)).union(floors)
        return all.filter { names.contains($0.name) }
    }

    /// Whether the table of keys in tokens is wanted, and there is a module to ask.
    var wantsKeysElsewhere: Bool {
        guard values["token-module"] != nil else { return false }
        guard let only = values["only"] else { return true }
        return only.split(separator: ",").contains { $0.hasPrefix("keys-elsewhere") }
    }

    func wants(_ name: String) -> Bool {
        guard let only = values["only"] else { return !name.hasPrefix("row-") }
        return only.split(separator: ",").contains { name.hasPrefix($0) }
    }
}
