// Parses ISO 8601 dates and times like 2017-04-01T19:43:37+0000, without Foundation.

import JOSE

enum ISOTimestamp {
    /// Returns the time; nil for other formats and for years outside 1970 to 9999.
    ///
    /// A date without a time is midnight in UTC. A time has `T`, hours, minutes, seconds, an
    /// ignored fraction of up to nine digits, and the zone: `Z`, `+0000` or `+00:00`.
    static func read(_ text: String) -> NumericDate? {
        var reader = DateReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2),
            reader.skip("-"), let day = reader.number(2), 1...12 ~= month,
            1...CivilDate.days(in: month, of: year) ~= day
        else { return nil }
        let midnight = CivilDate.daysSince1970(year, month, day) * 86_400
        if reader.isAtEnd { return NumericDate(exactly: midnight) }
        guard reader.skip("T"), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2),
            hour < 24, minute < 60, second < 60, reader.skipFraction(),
            let offset = reader.zone(), reader.isAtEnd
        else { return nil }
        return NumericDate(exactly: midnight + hour * 3_600 + minute * 60 + second - offset)
    }
}

/// The proleptic Gregorian calendar.
enum CivilDate {
    static func days(in month: Int64, of year: Int64) -> Int64 {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Count years from March, so that the leap day is the last day.
        let shifted = month > 2 ? month - 3 : month + 9
        let years = month > 2 ? year : year - 1
        let dayOfYear = (153 * shifted + 2) / 5 + day - 1
        return years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
    }
}

/// Reads a date from left to right.
struct DateReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Reads a number of exactly `count` digits.
    mutating func number(_ count: Int) -> Int64? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    /// Skips a character. Returns whether it was there.
    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: mark) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Skips a fraction if there is one. Returns false if it does not have one to nine digits.
    mutating func skipFraction() -> Bool {
        guard skip(".") else { return true }
        let digits = rest.prefix { 0x30...0x39 ~= $0 }.count
        rest = rest.dropFirst(digits)
        return 1...9 ~= digits
    }

    /// Reads the offset of a zone in seconds.
    mutating func zone() -> Int64? {
        if skip("Z") { return 0 }
        let isEast = skip("+")
        guard isEast || skip("-"), let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60)
    }
}
