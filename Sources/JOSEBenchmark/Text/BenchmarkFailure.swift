// The error that ends a benchmark program.

/// A failed scenario, a wrong option or an unreadable file. It ends the program.
public struct BenchmarkFailure: Error, CustomStringConvertible {
    /// What failed, in one sentence.
    public let description: String

    /// Creates a failure with a description such as `the token should have expired`.
    public init(_ description: String) { self.description = description }
}

/// Throws `BenchmarkFailure` unless the condition holds.
@_spi(Bench) @inlinable @inline(__always)
public func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw BenchmarkFailure(message()) }
}
