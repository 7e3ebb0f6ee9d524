// A shared value with its own check for exclusive access, cheaper than the runtime's.

/// A value that several owners change, one at a time.
///
/// The runtime's exclusivity check of a class property costs about 150 instructions at every
/// change; this one costs three. Not `Sendable`: all owners are on one thread. It is `public` since
/// only public code is inlined into other modules.
public final class Exclusive<Value> {
    @usableFromInline @exclusivity(unchecked) var value: Value
    @usableFromInline @exclusivity(unchecked) var isBorrowed = false

    /// Creates a value that is not borrowed.
    @inlinable
    public init(_ value: consuming Value) { unsafe self.value = value }

    /// Calls `body` with the value; a nested call traps.
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
