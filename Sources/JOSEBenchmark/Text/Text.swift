// Numbers and columns as text.

import Foundation

/// Formats a number with this many digits after the point.
@_spi(Bench) public func number(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
}

/// Formats a count, with two digits after the point if it is not whole.
@_spi(Bench) public func count(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : number(value, 2)
}

/// Pads a text to `width` columns: right-aligned, or left-aligned if `width` is negative.
@_spi(Bench) public func pad(_ text: some StringProtocol, _ width: Int) -> String {
    let blank = String(repeating: " ", count: max(width < 0 ? 1 : 0, abs(width) - text.count))
    return width < 0 ? text + blank : blank + text
}

func percent(_ change: Double) -> String {
    let text = number(change * 100, 1)
    return text == "-0.0" || text == "0.0" ? "0.0 %" : (change > 0 ? "+" : "") + text + " %"
}

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
