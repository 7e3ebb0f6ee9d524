// A point in time as tokens write it: seconds since 1970 with an exact fraction, without Foundation.

import JOSEBytes

/// The NumericDate of RFC 7519 section 2: seconds since 1970-01-01T00:00:00Z, leap seconds ignored.
///
/// The range is the years 1970 to 9999. The fraction is kept exactly, to 18 digits. In claims it is
/// a JSON number; other coders see an integer, or a `Double` where there is a fraction.
public struct NumericDate: Sendable, Hashable, Comparable {
    /// Whole seconds since 1970, 0 to 253402300799.
    public let seconds: Int64
    /// What comes on top of them, in units of 10^-18 s.
    public let attoseconds: Int64

    /// The last second of the year 9999.
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

    /// Makes a NumericDate, or nil where the parts are out of range.
    ///
    /// - Parameters:
    ///   - seconds: whole seconds since 1970, 0 to 253402300799.
    ///   - attoseconds: the fraction in units of 10^-18 s, 0 to 10^18 - 1; only 0 in the last second.
    public init?(exactly seconds: Int64, attoseconds: Int64 = 0) {
        guard 0...NumericDate.lastSecond ~= seconds,
            0..<NumericDate.attosecondsPerSecond ~= attoseconds,
            seconds < NumericDate.lastSecond || attoseconds == 0
        else { return nil }
        self.init(unchecked: seconds, attoseconds)
    }

    /// Makes a NumericDate of whole seconds.
    ///
    /// - Parameter seconds: seconds since 1970, 0 to 253402300799.
    /// - Throws: `misuse` where it is out of range.
    public init(seconds: Int64) throws(JOSEError) {
        guard let date = NumericDate(exactly: seconds) else {
            throw .misuse("a NumericDate must be in 0...253402300799")
        }
        self = date
    }

    /// The time that is `duration` later (or earlier, if negative), kept within the range.
    public func advanced(by duration: Duration) -> NumericDate {
        // A Duration may be longer than its components can tell.
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

    /// The time so many seconds later (or earlier, if negative), kept within the range.
    package func later(bySeconds count: Int) -> NumericDate {
        let (sum, isOver) = seconds.addingReportingOverflow(Int64(count))
        // Seconds are not negative: only upwards is there an overflow.
        if isOver { return .latest }
        if sum < 0 { return .earliest }
        return NumericDate(exactly: sum, attoseconds: attoseconds) ?? .latest
    }

    /// The lengths of time that claims can tell, in seconds: from a second to the whole range.
    package static let lives: ClosedRange<Int> = 1...253_402_300_799

    /// The end of something that begins now and lives so long.
    ///
    /// - Parameter life: in seconds; a caller's number.
    /// - Throws: `misuse` unless it is in `lives` and ends by the year 9999.
    package func end(ofLife life: Int) throws(JOSEError) -> NumericDate {
        guard NumericDate.lives ~= life,
            let end = NumericDate(exactly: seconds + Int64(life), attoseconds: attoseconds)
        else { throw .misuse("a lifetime is at least a second and ends before the year 10000") }
        return end
    }

    /// How much later this is than `other`; negative where it is earlier.
    public func duration(since other: NumericDate) -> Duration {
        // Each part fits: seconds differ by less than 2^38.
        Duration(
            secondsComponent: seconds - other.seconds,
            attosecondsComponent: attoseconds - other.attoseconds)
    }

    /// Earlier is less.
    public static func < (a: NumericDate, b: NumericDate) -> Bool {
        (a.seconds, a.attoseconds) < (b.seconds, b.attoseconds)
    }
}

extension NumericDate: CustomStringConvertible {
    /// The JSON number: whole seconds, and a fraction where there is one, without trailing zeros.
    public var description: String {
        guard attoseconds != 0 else { return String(seconds) }
        let digits = String(attoseconds + NumericDate.attosecondsPerSecond).dropFirst()
        let used = digits.reversed().drop { $0 == "0" }.reversed()
        return "\(seconds)." + String(used)
    }
}

extension NumericDate: Codable {
    /// Reads a number; through this library's coder exactly, through others by way of `Double`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if decoder is ValueDecoder {
            // Asked by another type's own code; the container reads all digits.
            self = try container.decode(NumericDate.self)
            return
        }
        if let seconds = try? container.decode(Int64.self) {
            guard let date = NumericDate(exactly: seconds) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "a NumericDate out of range")
            }
            self = date
            return
        }
        let value = try container.decode(Double.self)
        guard let date = NumericDate(nearest: value) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a NumericDate out of range")
        }
        self = date
    }

    /// Writes a number; other coders than this library's get a `Double` where there is a fraction.
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

    /// Seconds since 1970 as the nearest `Double`, good to a microsecond for centuries.
    package var doubleValue: Double { Double(seconds) + Double(attoseconds) * 1e-18 }

    /// The NumericDate nearest to a `Double`, to the microsecond; nil where it is out of range.
    package init?(nearest value: Double) {
        guard value >= 0, value <= Double(NumericDate.lastSecond) else { return nil }
        // Finer digits of a Double of this size are noise.
        let whole = value.rounded(.down)
        let microseconds = Int64(((value - whole) * 1e6).rounded())
        let carry = microseconds / 1_000_000
        self.init(
            exactly: Int64(whole) + carry, attoseconds: microseconds % 1_000_000 * 1_000_000_000_000
        )
    }
}

extension NumericDate {
    /// The NumericDate that a JSON number tells, exactly; nil for other values and out of range.
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
    /// The JSON number of a NumericDate, exactly.
    public init(_ date: NumericDate) {
        self = JSONValue(number: date.description) ?? .integer(date.seconds)
    }
}

extension ClaimsSource {
    /// The exact NumericDate at `node`.
    func date(at node: Int) throws -> NumericDate {
        guard document.nodes[node].kind == .number else {
            throw mismatch(NumericDate.self, at: node)
        }
        guard let date = document.date(at: node) else { throw unfit(node) }
        return date
    }
}

extension JSONDocument {
    /// The exact NumericDate at `node`; nil where there is no number or none in range.
    package func date(at node: Int) -> NumericDate? {
        guard nodes[node].kind == .number,
            let parts = JSON.fixedPoint(nodes[node], in: bytes.span)
        else { return nil }
        return NumericDate(exactly: parts.whole, attoseconds: parts.attos)
    }
}
