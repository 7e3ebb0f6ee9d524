// Times as people write them: RFC 3339, or seconds since 1970.

import JOSE
import JOSEOpenID

enum Timestamp {
    /// A time in either form; nil if it is in neither or outside 1970 to 9999. A fraction of a
    /// second is dropped.
    static func read(_ text: String) -> NumericDate? {
        if let seconds = Int64(text) { return NumericDate(exactly: seconds) }
        // RFC 3339 has a time, letters in either case, and a colon in the offset.
        guard text.utf8.count >= 20 else { return nil }
        let capitals = text.utf8.map { 0x61...0x7a ~= $0 ? $0 & 0xdf : $0 }
        guard capitals.last == UInt8(ascii: "Z") || capitals.suffix(3).first == UInt8(ascii: ":")
        else { return nil }
        return ISOTimestamp.read(String(decoding: capitals, as: UTF8.self))
    }

    /// The time in UTC, to the second.
    static func write(_ date: NumericDate) -> String { date.utc }
}
