// Names that the library knows, with what it knows of them.

import JOSE

/// A fixed table by names: whoever asks is compared with the names of its own length alone, and hashed for none of them.
struct NameTable<Value: Sendable>: Sendable {
    private struct Row: Sendable {
        let name: StaticString
        let value: Value
    }

    /// The shortest names first.
    private let rows: [Row]
    /// Where the names of each length begin, up to the one behind the longest.
    private let starts: [Int]

    /// - Parameter groups: Names that mean the same, none of them twice.
    init(_ groups: [(names: [StaticString], value: Value)]) {
        var rows: [Row] = []
        for group in groups { rows += group.names.map { Row(name: $0, value: group.value) } }
        rows.sort { $0.name.utf8CodeUnitCount < $1.name.utf8CodeUnitCount }
        self.rows = rows
        let longest = rows.last?.name.utf8CodeUnitCount ?? 0
        starts = (0...longest + 1).map { length in
            rows.count { $0.name.utf8CodeUnitCount < length }
        }
    }

    /// What is known of a name; nil for one that is not there.
    subscript(name: String) -> Value? {
        let length = name.utf8.count
        guard length < starts.count - 1 else { return nil }
        for place in starts[length]..<starts[length + 1] where name.isExactly(rows[place].name) {
            return rows[place].value
        }
        return nil
    }
}
