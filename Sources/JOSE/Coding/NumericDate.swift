// NumericDate: seconds since 1970 with an exact fraction, without Foundation.

import JOSEBytes
import JOSECrypto

/// A NumericDate (RFC 7519 section 2): seconds since 1970-01-01T00:00:00Z without leap seconds.
///
/// The range is the years 1970 to 9999. The fraction is exact, with up to 18 digits.
public struct NumericDate: Sendable, Hashable, Comparable {
    /// Whole seconds since 1970, 0 to 253402300799.
    public let seconds: Int64
    /// The fraction of a second, in units of 10^-18 s.
    public let attoseconds: Int64

    static let lastSecond: Int64 = 253_402_300_799
    static let attosecondsPerSecond: Int64 = 1_000_000_000_000_000_000

    /// The earliest NumericDate, 1970-01-01T00:00:00Z.
    public static let earliest = NumericDate(unchecked: 0, 0)
    /// The latest NumericDate, 9999-12-31T23:59:59Z.
    public static let latest = NumericDate(unchecked: lastSecond, 0)

    private init(unchecked seconds: Int64, _ attoseconds: Int64) {
        self.seconds = seconds
        self.attoseconds = attoseconds
    }

    /// Creates a NumericDate; nil if a part is out of range.
    ///
    /// - Parameters:
    ///   - seconds: Whole seconds since 1970, 0 to 253402300799.
    ///   - attoseconds: The fraction in units of 10^-18 s, 0 to 10^18 - 1; in the last second 0.
    public init?(exactly seconds: Int64, attoseconds: Int64 = 0) {
        guard 0...NumericDate.lastSecond ~= seconds,
            0..<NumericDate.attosecondsPerSecond ~= attoseconds,
            seconds < NumericDate.lastSecond || attoseconds == 0
        else { return nil }
        self.init(unchecked: seconds, attoseconds)
    }

    /// Creates a NumericDate of whole seconds.
    ///
    /// - Parameter seconds: Seconds since 1970, 0 to 253402300799.
    /// - Throws: `misuse` if `seconds` is out of range.
    public init(seconds: Int64) throws(JOSEError) {
        guard let date = NumericDate(exactly: seconds) else {
            throw .misuse("a NumericDate must be in 0...253402300799")
        }
        self = date
    }

    /// Returns this time plus `duration`, clamped to the years 1970 to 9999.
    public func advanced(by duration: Duration) -> NumericDate {
        // `components` traps for a Duration whose seconds do not fit an Int64.
        if duration > .seconds(NumericDate.lastSecond) { return .latest }
        if duration < .seconds(-NumericDate.lastSecond - 1) { return .earliest }
        let (whole, fraction) = duration.components
        var attoseconds = attoseconds + fraction
        var carry: Int64 = 0
        if attoseconds < 0 {
            attoseconds += NumericDate.attosecondsPerSecond
            carry = -1
        } else if attoseconds >= NumericDate.attosecondsPerSecond {
            attoseconds -= NumericDate.attosecondsPerSecond
            carry = 1
        }
        let sum = seconds + carry + whole
        if sum < 0 { return .earliest }
        return NumericDate(exactly: sum, attoseconds: attoseconds) ?? .latest
    }

    /// Returns this time plus `count` seconds, clamped to the years 1970 to 9999.
    package func later(bySeconds count: Int) -> NumericDate {
        let (sum, isOver) = seconds.addingReportingOverflow(Int64(count))
        // `seconds` is not negative, so the sum can overflow only upwards.
        if isOver { return .latest }
        if sum < 0 { return .earliest }
        return NumericDate(exactly: sum, attoseconds: attoseconds) ?? .latest
    }

    /// The valid lifetimes in seconds.
    package static let lifetimes: ClosedRange<Int> = 1...253_402_300_799

    /// Returns the end of a lifetime in seconds that begins at this date.
    ///
    /// - Throws: `misuse` if it is not in `lifetimes` or ends after the year 9999.
    package func end(ofLifetime lifetime: Int) throws(JOSEError) -> NumericDate {
        guard NumericDate.lifetimes ~= lifetime,
            let end = NumericDate(exactly: seconds + Int64(lifetime), attoseconds: attoseconds)
        else { throw .misuse("a lifetime must be at least 1 s and end before the year 10000") }
        return end
    }

    /// Returns the time from `other` to this; negative if this is earlier.
    public func duration(since other: NumericDate) -> Duration {
        // No overflow: seconds differ by less than 2^38.
        Duration(
            secondsComponent: seconds - other.seconds,
            attosecondsComponent: attoseconds - other.attoseconds)
    }

    /// Whether `a` is earlier than `b`.
    public static func < (a: NumericDate, b: NumericDate) -> Bool {
        (a.seconds, a.attoseconds) < (b.seconds, b.attoseconds)
    }
}

extension NumericDate: CustomStringConvertible {
    /// The JSON number: whole seconds, then the fraction, if any, without trailing zeros.
    public var description: String {
        guard attoseconds != 0 else { return String(seconds) }
        let digits = String(attoseconds + NumericDate.attosecondsPerSecond).dropFirst()
        let used = digits.reversed().drop { $0 == "0" }.reversed()
        return "\(seconds)." + String(used)
    }
}

extension NumericDate: Codable {
    /// Decodes a number. This library's decoder reads it exactly. Other decoders, such as
    /// `JSONDecoder`, read a number with a fraction as a `Double`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if decoder is ValueDecoder {
            // Another type's `init(from:)` calls this initialiser. The container reads all digits.
            self = try container.decode(NumericDate.self)
            return
        }
        let date =
            if let seconds = try? container.decode(Int64.self) {
                NumericDate(exactly: seconds)
            } else {
                NumericDate(nearest: try container.decode(Double.self))
            }
        guard let date else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a NumericDate out of range")
        }
        self = date
    }

    /// Encodes a number. This library's encoder writes it exactly. Other encoders, such as
    /// `JSONEncoder`, write an integer, or a `Double` if there is a fraction.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if encoder is ValueEncoder {
            try container.encode(self)
        } else if attoseconds == 0 {
            try container.encode(seconds)
        } else {
            try container.encode(doubleValue)
        }
    }

    /// Seconds since 1970 as the nearest `Double`, exact to a microsecond until about 2514.
    package var doubleValue: Double { Double(seconds) + Double(attoseconds) * 1e-18 }

    /// Creates the date nearest to a `Double`, in whole microseconds; nil if it is out of range.
    package init?(nearest value: Double) {
        guard value >= 0, value <= Double(NumericDate.lastSecond) else { return nil }
        // Today's dates as Double are 0.24 us apart. Further digits are not what the sender wrote.
        let whole = value.rounded(.down)
        let microseconds = Int64(((value - whole) * 1e6).rounded())
        let carry = microseconds / 1_000_000
        self.init(
            exactly: Int64(whole) + carry, attoseconds: microseconds % 1_000_000 * 1_000_000_000_000
        )
    }
}

extension NumericDate {
    /// Creates the exact NumericDate of a JSON number; nil if out of range or not a number.
    public init?(_ value: JSONValue) {
        if let seconds = value.integer {
            self.init(exactly: seconds)
        } else {
            guard let text = value.numberText,
                let document = try? JSONDocument(Array(text.utf8), maxDepth: 1),
                let date = document.date(at: 0)
            else { return nil }
            self = date
        }
    }
}

extension JSONValue {
    /// Creates the exact JSON number of a NumericDate.
    public init(_ date: NumericDate) {
        self = JSONValue(number: date.description) ?? .integer(date.seconds)
    }
}

extension ClaimsSource {
    func date(at node: Int) throws -> NumericDate {
        guard document.nodes[node].kind == .number else {
            throw mismatch(NumericDate.self, at: node)
        }
        guard let date = document.date(at: node) else { throw unfit(node) }
        return date
    }
}

extension JSONDocument {
    /// Returns the exact NumericDate at `node`; nil if it is out of range or not a number.
    package func date(at node: Int) -> NumericDate? {
        guard nodes[node].kind == .number,
            let parts = JSON.fixedPoint(nodes[node], in: bytes.span)
        else { return nil }
        return NumericDate(exactly: parts.whole, attoseconds: parts.attos)
    }
}

extension NumericDate {
    /// The system clock's second, clamped to the years 1970 to 9999.
    public static var now: NumericDate {
        let now = SystemClock.now()
        if let date = NumericDate(exactly: now.seconds) { return date }
        return now.seconds < 0 ? .earliest : .latest
    }
}
