// Giving a value the type that it is known to have, where generic code cannot see it.

/// The same value under the name of its own type.
///
/// For generic code that has compared the types: a dynamic cast would look the types up again.
/// Types that differ stop the program.
@inlinable
@inline(__always)
package func recast<T, U>(_ value: T, to type: U.Type) -> U {
    precondition(T.self == U.self, "recast to another type")
    // Safe: the types are the same.
    return unsafe unsafeBitCast(value, to: U.self)
}
