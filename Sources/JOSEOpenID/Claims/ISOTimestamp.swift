// Parses ISO 8601 dates and times like 2017-04-01T19:43:37+0000, without Foundation.

package import JOSE
import JOSEBytes

package enum ISOTimestamp {
    /// Returns the time; nil for other formats, and for times outside 1970 to 9999 in UTC. A date
    /// without a time is midnight in UTC. A time has hours, minutes, seconds and the offset from
    /// UTC: `Z`, or like `+0200` or `-05:30`. A fraction of one to nine digits is ignored.
    package static func read(_ text: String) -> NumericDate? {
        var reader = DateReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2),
            reader.skip("-"), let day = reader.number(2), 1...12 ~= month,
            1...CivilDate.days(in: month, of: year) ~= day
        else { return nil }
        let midnight = CivilDate.daysSince1970(year, month, day) * 86_400
        if reader.isAtEnd { return NumericDate(exactly: Int64(midnight)) }
        guard reader.skip("T"), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2),
            hour < 24, minute < 60, second < 60, reader.skipFraction(),
            let offset = reader.zone(), reader.isAtEnd
        else { return nil }
        let seconds = midnight + hour * 3_600 + minute * 60 + second - offset
        return NumericDate(exactly: Int64(seconds))
    }
}

struct DateReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Skips an optional fraction. Returns false if it does not have one to nine digits.
    mutating func skipFraction() -> Bool {
        guard skip(".") else { return true }
        let digits = rest.prefix { 0x30...0x39 ~= $0 }.count
        rest = rest.dropFirst(digits)
        return 1...9 ~= digits
    }

    /// Reads the offset from UTC, in seconds.
    mutating func zone() -> Int? {
        if skip("Z") { return 0 }
        let isEast = skip("+")
        guard isEast || skip("-"), let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60)
    }
}
