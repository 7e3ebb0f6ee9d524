// What goes wrong, in one sentence.

/// A scenario's preparation or work that did not do what it must, or a command line or file that says nothing.
public struct BenchmarkFailure: Error, CustomStringConvertible {
    /// What went wrong, in one sentence.
    public let description: String

    /// A failure in one sentence, such as `the token should have expired`.
    public init(_ description: String) { self.description = description }
}

/// Stops a scenario whose work went wrong.
@_spi(Bench) @inlinable @inline(__always)
public func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    if !condition { throw BenchmarkFailure(message()) }
}
