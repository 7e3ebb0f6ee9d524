// Times on the command line and in requests: RFC 3339, or seconds since 1970.

import JOSE
import JOSEOpenID

enum Timestamp {
    /// Returns nil for other formats and outside 1970 to 9999. Drops fractions of a second.
    static func read(_ text: String) -> NumericDate? {
        if let seconds = Int64(text) { return NumericDate(exactly: seconds) }
        // `ISOTimestamp` also allows dates alone and offsets without colon, but no small letters.
        guard text.utf8.count >= 20 else { return nil }
        let capitals = text.utf8.map { 0x61...0x7a ~= $0 ? $0 & 0xdf : $0 }
        guard capitals.last == UInt8(ascii: "Z") || capitals.suffix(3).first == UInt8(ascii: ":")
        else { return nil }
        return ISOTimestamp.read(String(decoding: capitals, as: UTF8.self))
    }

    static func write(_ date: NumericDate) -> String { date.utc }
}
