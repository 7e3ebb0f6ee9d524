// Dates and durations in messages.

import JOSEBytes

extension NumericDate {
    /// The time in UTC without the fraction, such as `2026-09-21T14:13:30Z`.
    package var utc: String {
        let date = CivilDate(daysSince1970: Int(seconds / 86_400))
        let rest = Int(seconds % 86_400)
        return NumericDate.digits(date.year, 4) + "-" + NumericDate.digits(date.month, 2) + "-"
            + NumericDate.digits(date.day, 2) + "T" + NumericDate.digits(rest / 3_600, 2) + ":"
            + NumericDate.digits(rest / 60 % 60, 2) + ":" + NumericDate.digits(rest % 60, 2) + "Z"
    }

    private static func digits(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    /// Returns a duration in its largest unit and the next smaller one, such as `2 days 3 hours`.
    package static func durationText(_ seconds: UInt64) -> String {
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
