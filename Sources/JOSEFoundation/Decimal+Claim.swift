// Decimal numbers as claims: converted exactly, or rejected.

public import Foundation
public import JOSE

extension Decimal: JOSEClaimValue {
    /// Reads a JSON number that 38 digits represent exactly.
    public init(claim: JSONValue) throws {
        guard let text = claim.numberText, let digits = ExactDigits(text),
            let value = Decimal(string: text, locale: nil), value.isFinite,
            ExactDigits(value.description) == digits
        else { throw InconvertibleClaim() }
        self = value
    }

    /// Writes a JSON number with all digits. Throws for NaN.
    public func claim() throws -> JSONValue {
        guard isFinite, let value = JSONValue(number: description) else {
            throw InconvertibleClaim()
        }
        return value
    }
}

/// The digits of a number and the power of ten of the last digit. Two values are equal if they are
/// the same number, whatever their texts.
private struct ExactDigits: Equatable {
    var isNegative: Bool
    var digits: [UInt8]
    var exponent: Int

    init?(_ text: String) {
        let parts = text.utf8.split(omittingEmptySubsequences: false) {
            $0 | 0x20 == UInt8(ascii: "e")
        }
        guard let mantissa = parts.first else { return nil }
        exponent = 0
        if parts.count > 1 {
            guard let power = Int32(Substring(parts[1])) else { return nil }
            exponent = Int(power)
        }
        isNegative = mantissa.first == UInt8(ascii: "-")
        digits = mantissa.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        if let point = mantissa.firstIndex(of: UInt8(ascii: ".")) {
            exponent -= mantissa.distance(from: point, to: mantissa.endIndex) - 1
        }
        digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { (isNegative, exponent) = (false, 0) }
    }
}
