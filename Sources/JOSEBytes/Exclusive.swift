// Exclusive: a shared value with a cheap check for exclusive access.

/// A value that several owners change, one at a time. All owners are on one thread.
///
/// The runtime's exclusivity check of a class property costs about 150 instructions at each change.
/// This check costs three. Public, since only public code is inlined into other modules.
public final class Exclusive<Value> {
    @usableFromInline @exclusivity(unchecked) var value: Value
    @usableFromInline @exclusivity(unchecked) var isBorrowed = false

    /// Creates a value that is not in use.
    @inlinable
    public init(_ value: consuming Value) { unsafe self.value = value }

    /// Calls `body` with the value. A nested call traps.
    @inlinable
    @inline(__always)
    public func withValue<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        // Safe: the flag prevents any other access while `body` runs.
        precondition(unsafe !isBorrowed, "nested access to an exclusive value")
        unsafe isBorrowed = true
        defer { unsafe isBorrowed = false }
        return try unsafe body(&value)
    }
}
