// Numbers and columns as text.

import Foundation

/// A number with so many digits behind the point.
@_spi(Bench) public func number(_ value: Double, _ digits: Int) -> String {
    String(format: "%.\(digits)f", value)
}

/// A count that is whole as a rule.
@_spi(Bench) public func count(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : number(value, 2)
}

/// Right-aligned in `width` columns, left-aligned in a negative one; never shorter than its text.
@_spi(Bench) public func pad(_ text: some StringProtocol, _ width: Int) -> String {
    let blank = String(repeating: " ", count: max(width < 0 ? 1 : 0, abs(width) - text.count))
    return width < 0 ? text + blank : blank + text
}

/// A change in per cent with its sign.
func percent(_ change: Double) -> String {
    let text = number(change * 100, 1)
    return text == "-0.0" || text == "0.0" ? "0.0 %" : (change > 0 ? "+" : "") + text + " %"
}
