// sameTypeCast: a cast between types that are known to be the same.

/// Returns the value as `type`; traps if that is not `T`. A dynamic cast would look up the types.
@inlinable
@inline(__always)
package func sameTypeCast<T, U>(_ value: T, to type: U.Type) -> U {
    precondition(T.self == U.self, "cast between different types")
    // Safe: the types are the same.
    return unsafe unsafeBitCast(value, to: U.self)
}
