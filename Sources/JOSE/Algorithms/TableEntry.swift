// Equality, hashing and description of the entries of tables.

/// An entry of a table, identified by its index. Public types conform to it; the members below are
/// public through the protocols that it refines.
package protocol TableEntry: Hashable, CustomStringConvertible, Sendable {
    var id: UInt8 { get }
    var name: String { get }
}

extension TableEntry {
    /// Whether both are the same entry.
    public static func == (a: Self, b: Self) -> Bool { a.id == b.id }
    /// Hashes the index.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    /// The name.
    public var description: String { name }
}
