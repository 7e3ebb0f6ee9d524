// Dates and durations for messages.

extension NumericDate {
    /// The time in UTC, to the second: `2026-09-21T14:13:30Z`.
    package var utc: String {
        let days = Int(seconds / 86_400)
        let rest = Int(seconds % 86_400)
        // Civil date from days: years begin in March, so that the leap day is the last.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return NumericDate.digits(year, 4) + "-" + NumericDate.digits(month, 2) + "-"
            + NumericDate.digits(day, 2) + "T" + NumericDate.digits(rest / 3_600, 2) + ":"
            + NumericDate.digits(rest / 60 % 60, 2) + ":" + NumericDate.digits(rest % 60, 2) + "Z"
    }

    private static func digits(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    /// A duration in its two largest units, such as `2 days 3 hours`.
    package static func span(_ seconds: UInt64) -> String {
        let units: [(UInt64, String)] = [
            (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"),
        ]
        for (index, (size, name)) in units.enumerated() where seconds >= size {
            let first = plural(seconds / size, name)
            guard index + 1 < units.count else { return first }
            let (smaller, other) = units[index + 1]
            let rest = seconds % size / smaller
            return rest == 0 ? first : "\(first) \(plural(rest, other))"
        }
        return "0 seconds"
    }

    private static func plural(_ count: UInt64, _ name: String) -> String {
        "\(count) \(name)\(count == 1 ? "" : "s")"
    }
}
