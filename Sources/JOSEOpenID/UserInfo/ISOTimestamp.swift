// Timestamps like 2017-04-01T19:43:37+0000, without Foundation.

import JOSE

enum ISOTimestamp {
    /// The time; nil for any other form, and outside 1970 to 9999. The zone is `Z`, `+0000` or `+00:00`.
    static func read(_ text: String) -> NumericDate? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20 else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard 0x30...0x39 ~= byte else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        let marks: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
        guard marks.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            1...12 ~= month, 1...days(month, year) ~= day, hour < 24, minute < 60, second < 60,
            let offset = zone(bytes[19...], number)
        else { return nil }
        let time = hour * 3_600 + minute * 60 + second
        return NumericDate(exactly: daysSince1970(year, month, day) * 86_400 + time - offset)
    }

    private static func zone(
        _ text: ArraySlice<UInt8>, _ number: (Range<Int>) -> Int64?
    ) -> Int64? {
        if text.count == 1, text.first == UInt8(ascii: "Z") { return 0 }
        let start = text.startIndex
        let hasColon = text.count == 6 && text[start + 3] == UInt8(ascii: ":")
        guard text.count == 5 || hasColon, let hours = number(start + 1..<start + 3),
            let minutes = number(text.endIndex - 2..<text.endIndex), hours < 24, minutes < 60
        else { return nil }
        let offset = hours * 3_600 + minutes * 60
        switch text[start] {
        case UInt8(ascii: "+"): return offset
        case UInt8(ascii: "-"): return -offset
        default: return nil
        }
    }

    private static func days(_ month: Int64, _ year: Int64) -> Int64 {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Years that begin in March have the leap day at their end.
        let shifted = month > 2 ? month - 3 : month + 9
        let years = month > 2 ? year : year - 1
        let dayOfYear = (153 * shifted + 2) / 5 + day - 1
        return years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
    }
}
