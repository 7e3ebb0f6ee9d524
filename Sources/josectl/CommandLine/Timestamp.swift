// Times as people write them: RFC 3339, or seconds since 1970.

import JOSE

enum Timestamp {
    /// A time in either form; nil if it is in neither or outside 1970 to 9999.
    static func read(_ text: String) -> NumericDate? {
        if let seconds = Int64(text) { return NumericDate(exactly: seconds) }
        return readRFC3339(Array(text.utf8))
    }

    /// The time in UTC, to the second.
    static func write(_ date: NumericDate) -> String { date.utc }

    /// Reads `2026-01-31T12:00:00Z`, or the same with an offset such as `+02:00`. A fraction of a
    /// second is dropped.
    private static func readRFC3339(_ text: [UInt8]) -> NumericDate? {
        guard text.count >= 20, text.count <= 40,
            let year = number(text, 0..<4), text[4] == UInt8(ascii: "-"),
            let month = number(text, 5..<7), text[7] == UInt8(ascii: "-"),
            let day = number(text, 8..<10), text[10] | 0x20 == UInt8(ascii: "t"),
            let hour = number(text, 11..<13), text[13] == UInt8(ascii: ":"),
            let minute = number(text, 14..<16), text[16] == UInt8(ascii: ":"),
            let second = number(text, 17..<19),
            1...12 ~= month, 1...daysIn(month, year) ~= day, hour < 24, minute < 60, second < 60
        else { return nil }
        var at = 19
        if text[at] == UInt8(ascii: ".") {
            let start = at + 1
            at = start
            while at < text.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[at] { at += 1 }
            guard at > start else { return nil }
        }
        guard let offset = offset(text[at...]) else { return nil }
        let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return NumericDate(exactly: Int64(seconds))
    }

    /// The offset from UTC in seconds.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        let text = Array(text)
        if text.count == 1, text[0] | 0x20 == UInt8(ascii: "z") { return 0 }
        guard text.count == 6, text[3] == UInt8(ascii: ":"),
            let hours = number(text, 1..<3), let minutes = number(text, 4..<6),
            hours < 24, minutes < 60
        else { return nil }
        switch text[0] {
        case UInt8(ascii: "+"): return hours * 3_600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3_600 + minutes * 60)
        default: return nil
        }
    }

    private static func number(_ text: [UInt8], _ range: Range<Int>) -> Int? {
        var value = 0
        for byte in text[range] {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }

    private static func daysIn(_ month: Int, _ year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    /// Days since 1970-01-01.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }
}
