// Reads number nodes as integers, doubles or fixed point, without traps.

extension JSON {
    /// Returns the number as an `Int64`; nil if it has a fraction or does not fit.
    package static func integer(_ node: JSONNode, in bytes: Span<UInt8>) -> Int64? {
        if let small = smallInteger(node, in: bytes) { return Int64(small) }
        guard let decimal = Decimal(node, in: bytes), let magnitude = decimal.integer else {
            return nil
        }
        if decimal.isNegative {
            return magnitude <= UInt64(Int64.max) + 1
                ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
        }
        return Int64(exactly: magnitude)
    }

    /// Returns the nearest `Double`; nil if the number is out of range.
    package static func double(_ node: JSONNode, in bytes: Span<UInt8>) -> Double? {
        guard let decimal = Decimal(node, in: bytes) else { return nil }
        // Rounded once and correctly: both operands are exact, below 2^53 and at most 10^22.
        if decimal.hasAllDigits, decimal.digits < 1 << 53, (-22...22).contains(decimal.exponent) {
            let digits = Double(decimal.digits)
            let value =
                decimal.exponent < 0
                ? digits / powersOfTen[-decimal.exponent] : digits * powersOfTen[decimal.exponent]
            return decimal.isNegative ? -value : value
        }
        guard let value = Double(string(node, in: bytes)), value.isFinite else { return nil }
        return value
    }

    /// Returns a number in fixed point: the whole part, rounded down, and the rest in units of
    /// 10^-18 (attoseconds of a date). Lower digits are cut. Nil from 10^15 + 1 in magnitude.
    package static func fixedPoint(
        _ node: JSONNode, in bytes: Span<UInt8>
    ) -> (whole: Int64, attos: Int64)? {
        if let small = smallInteger(node, in: bytes), small <= 1_000_000_000_000_000 {
            return (Int64(small), 0)
        }
        guard let parts = Decimal.split(node, in: bytes, fractionDigits: 18),
            parts.whole <= 1_000_000_000_000_000
        else { return nil }
        let whole = Int64(parts.whole)
        let attos = Int64(parts.fraction)
        guard parts.isNegative else { return (whole, attos) }
        return attos == 0 ? (-whole, 0) : (-whole - 1, 1_000_000_000_000_000_000 - attos)
    }

    /// Reads an unsigned integer of up to 18 digits, as nearly all numbers in tokens are.
    @inline(__always)
    private static func smallInteger(_ node: JSONNode, in bytes: Span<UInt8>) -> UInt64? {
        guard node.kind == .number, node.end &- node.start <= 18 else { return nil }
        var value: UInt64 = 0
        var at = node.start
        while at &+ 8 <= node.end {
            let word = bytes.word(at: at)
            guard isDigits(word) else { return nil }
            value = value &* 100_000_000 &+ eightDigits(word)
            at &+= 8
        }
        for at in at..<node.end {
            let digit = bytes[at] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value &* 10 &+ UInt64(digit)
        }
        return value
    }

    /// Whether all eight bytes are digits: the high half of each is 3, the low half at most 9.
    @inline(__always)
    static func isDigits(_ word: UInt64) -> Bool {
        let upper: UInt64 = 0xf0f0_f0f0_f0f0_f0f0
        let withSix = (word &+ 0x0606_0606_0606_0606) & upper
        return word & upper | withSix >> 4 == 0x3333_3333_3333_3333
    }

    /// Converts eight digits, the first in the lowest byte: to pairs, then fours, then all.
    @inline(__always)
    private static func eightDigits(_ word: UInt64) -> UInt64 {
        let pairs = ((word & 0x0f0f_0f0f_0f0f_0f0f) &* (10 << 8 + 1)) >> 8 & 0x00ff_00ff_00ff_00ff
        let fours = (pairs &* (100 << 16 + 1)) >> 16 & 0x0000_ffff_0000_ffff
        return (fours &* (10_000 << 32 + 1)) >> 32
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}

/// A valid JSON number as `digits` times ten to the power of `exponent`.
private struct Decimal {
    var isNegative = false
    /// The digits without leading and trailing zeros; `hasAllDigits` is false if they do not fit.
    var digits: UInt64 = 0
    var hasAllDigits = true
    var exponent = 0

    /// The magnitude of an integer; nil for a fraction or if it does not fit.
    var integer: UInt64? {
        guard hasAllDigits else { return nil }
        if digits == 0 { return 0 }
        // The last digit is not zero, so a negative exponent means a fraction.
        guard 0..<20 ~= exponent else { return nil }
        var value = digits
        var exponent = exponent
        while exponent > 0 {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            value = product
            exponent -= 1
        }
        return value
    }

    init?(_ node: JSONNode, in bytes: Span<UInt8>) {
        guard node.kind == .number else { return nil }
        let text = bytes.extracting(node.start..<node.end)
        var at = 0
        if text.byte(at: at) == UInt8(ascii: "-") {
            isNegative = true
            at += 1
        }
        var inFraction = false
        // Zeros are counted first, so that trailing zeros never overflow `digits`.
        var zeros = 0
        while at < text.count {
            let byte = text[at]
            if byte == UInt8(ascii: ".") {
                inFraction = true
            } else if byte &- UInt8(ascii: "0") < 10 {
                if inFraction { exponent -= 1 }
                if byte == UInt8(ascii: "0") {
                    if digits != 0 { zeros += 1 }
                } else {
                    push(UInt64(byte - UInt8(ascii: "0")), after: zeros)
                    zeros = 0
                }
            } else {
                break
            }
            at += 1
        }
        exponent += zeros
        if at < text.count {
            exponent = exponent.addingClamped(Self.readExponent(text, at + 1))
        }
    }

    private mutating func push(_ digit: UInt64, after zeros: Int) {
        guard hasAllDigits else { return }
        var value = digits
        for _ in 0...min(zeros, 20) {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            if overflow {
                hasAllDigits = false
                return
            }
            value = product
        }
        let (sum, overflow) = value.addingReportingOverflow(digit)
        if overflow { hasAllDigits = false } else { digits = sum }
    }

    /// Returns the exponent after the `e`, clamped so that nothing overflows.
    private static func readExponent(_ text: Span<UInt8>, _ start: Int) -> Int {
        var at = start
        let sign = text.byte(at: at)
        if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { at += 1 }
        var value = 0
        while at < text.count {
            value = min(value * 10 + Int(text[at] - UInt8(ascii: "0")), 1 << 40)
            at += 1
        }
        return sign == UInt8(ascii: "-") ? -value : value
    }

    /// Returns the digits before the decimal point, and `fractionDigits` digits after it; nil if
    /// the digits before it do not fit.
    static func split(
        _ node: JSONNode, in bytes: Span<UInt8>, fractionDigits: Int
    ) -> (isNegative: Bool, whole: UInt64, fraction: UInt64)? {
        guard node.kind == .number else { return nil }
        let text = bytes.extracting(node.start..<node.end)
        let isNegative = text.byte(at: 0) == UInt8(ascii: "-")
        // The indexes of the point (-1 without one) and of the end of the digits.
        var end = isNegative ? 1 : 0
        var point = -1
        while end < text.count, text[end] | 0x20 != UInt8(ascii: "e") {
            if text[end] == UInt8(ascii: ".") { point = end }
            end += 1
        }
        let shift = end < text.count ? readExponent(text, end + 1) : 0
        // The power of ten of the next digit.
        let first = isNegative ? 1 : 0
        var power = (point < 0 ? end : point) - first - 1 + shift
        var whole: UInt64 = 0
        var fraction: UInt64 = 0
        for at in first..<end where text[at] != UInt8(ascii: ".") {
            if power < -fractionDigits { break }
            let digit = UInt64(text[at] - UInt8(ascii: "0"))
            if digit != 0 {
                if power >= 19 { return nil }
                if power >= 0 {
                    // Each product fits, so only the sum is checked.
                    let (sum, overflow) = whole.addingReportingOverflow(digit &* tenTo(power))
                    if overflow { return nil }
                    whole = sum
                } else {
                    fraction += digit * tenTo(fractionDigits + power)
                }
            }
            power -= 1
        }
        return (isNegative, whole, fraction)
    }

    private static func tenTo(_ power: Int) -> UInt64 {
        var value: UInt64 = 1
        for _ in 0..<power { value &*= 10 }
        return value
    }
}

extension Int {
    fileprivate func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}
