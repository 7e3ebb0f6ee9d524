// TableEntry: what the entries of all tables share. AlgorithmStatus: how advisable they are.

/// An entry of a table, identified by its index. Public types inherit the public members below.
package protocol TableEntry: Hashable, CustomStringConvertible, Sendable {
    var id: UInt8 { get }
    var name: String { get }
}

extension TableEntry {
    /// Whether `a` and `b` are the same entry.
    public static func == (a: Self, b: Self) -> Bool { a.id == b.id }
    /// Hashes the index.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
    /// The name.
    public var description: String { name }
}

/// How advisable an algorithm is today.
public enum AlgorithmStatus: String, Sendable, Hashable {
    /// A good choice. A policy can allow all recommended algorithms as a group.
    case recommended
    /// Secure, for a peer that needs it; not in `recommended`.
    case acceptable
    /// For old peers only; needs a package trait. Not in `recommended`.
    case legacy
}
