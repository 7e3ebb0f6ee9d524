// A shared value with a check of its own against overlapping changes, cheaper than the runtime's.

/// A value that several holders change one after the other.
///
/// A class's stored property would be checked by the runtime at every change, at the cost of about
/// 150 instructions; this takes three. Not `Sendable`: all holders are on one thread. It is `public`
/// because only public code is inlined into other modules.
public final class Exclusive<Value> {
    @usableFromInline @exclusivity(unchecked) var value: Value
    @usableFromInline @exclusivity(unchecked) var isLent = false

    /// Begins with a value that is lent to nobody.
    @inlinable
    public init(_ value: consuming Value) { unsafe self.value = value }

    /// Lends the value to `body`, which must not lend it again (that stops the program).
    @inlinable
    @inline(__always)
    public func lend<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        // Safe: the flag keeps every other change out while `body` runs.
        precondition(unsafe !isLent, "a value lent twice")
        unsafe isLent = true
        defer { unsafe isLent = false }
        return try unsafe body(&value)
    }
}
