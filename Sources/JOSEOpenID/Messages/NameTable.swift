// A fixed table from names to values, without hashing.

import JOSE

/// A lookup compares only names of the same length.
struct NameTable<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let name: StaticString
        let value: Value
    }

    /// Sorted by the length of the names.
    private let entries: [Entry]
    /// For each length up to the maximum plus one: the number of shorter names.
    private let starts: [Int]

    /// - Parameter groups: Names with the same value. Each name must appear once.
    init(_ groups: [(names: [StaticString], value: Value)]) {
        var entries: [Entry] = []
        for group in groups { entries += group.names.map { Entry(name: $0, value: group.value) } }
        entries.sort { $0.name.utf8CodeUnitCount < $1.name.utf8CodeUnitCount }
        self.entries = entries
        let maxLength = entries.last?.name.utf8CodeUnitCount ?? 0
        starts = (0...maxLength + 1).map { length in
            entries.count { $0.name.utf8CodeUnitCount < length }
        }
    }

    subscript(name: String) -> Value? {
        let length = name.utf8.count
        guard length < starts.count - 1 else { return nil }
        for index in starts[length]..<starts[length + 1]
        where name.isExactly(entries[index].name) {
            return entries[index].value
        }
        return nil
    }
}
