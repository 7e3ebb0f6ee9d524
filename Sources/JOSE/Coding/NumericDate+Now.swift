// The current time as a NumericDate.

import JOSECrypto

extension NumericDate {
    /// The current second of the system clock; a clock outside 1970 to 9999 gives the nearest end.
    public static var now: NumericDate {
        let now = SystemClock.now()
        if let date = NumericDate(exactly: now.seconds) { return date }
        return now.seconds < 0 ? .earliest : .latest
    }
}
