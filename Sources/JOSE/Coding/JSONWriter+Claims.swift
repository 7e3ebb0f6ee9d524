// Writes claim values for which JSONWriter has no method.

import JOSEBytes

/// The value has no JSON form, or its `encode(to:)` uses containers in an invalid order.
struct UnwritableValue: Error {}

extension JSONWriter {
    @inline(__always)
    mutating func integer<T: FixedWidthInteger>(of value: T) {
        if let value = Int64(exactly: value) {
            integer(value)
        } else {
            raw(String(value).utf8.span)
        }
    }

    /// Writes a finite number with the fewest digits that read back as the same value.
    @inline(__always)
    mutating func float<T: BinaryFloatingPoint & LosslessStringConvertible>(of value: T) throws {
        guard value.isFinite else { throw UnwritableValue() }
        if let value = value as? Double {
            try double(value)
        } else {
            raw(value.description.utf8.span)
        }
    }

    mutating func date(_ value: NumericDate) {
        if value.attoseconds == 0 {
            integer(value.seconds)
        } else {
            raw(value.description.utf8.span)
        }
    }

    mutating func strings(_ values: [String]) {
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    mutating func integers(_ values: [Int]) {
        beginArray()
        for value in values { integer(Int64(value)) }
        endArray()
    }
}
