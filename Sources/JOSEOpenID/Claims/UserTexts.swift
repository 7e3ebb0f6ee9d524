// The forms of texts among a user's claims: dates of birth, addresses, pictures, language tags.

import JOSE
import JOSEBytes

/// A date of birth, so far as it is known (OpenID Connect Core, 5.1).
public struct Birthdate: Sendable, Hashable {
    /// The year, 1 to 9999; nil where it is left out.
    public let year: Int?
    /// The month, 1 to 12; nil where the year alone is known.
    public let month: Int?
    /// The day of the month; nil where the year alone is known.
    public let day: Int?

    /// Reads `1990-12-31`, `0000-12-31` without a year, or `1990` alone; nil for any other text and for days that no
    /// calendar has.
    public init?(_ text: String) {
        var reader = DateReader(text)
        guard let year = reader.number(4) else { return nil }
        self.year = year == 0 ? nil : Int(year)
        if reader.isAtEnd, year != 0 {
            (month, day) = (nil, nil)
            return
        }
        // 2000 was a leap year: a day without a year may be any.
        guard reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.isAtEnd, 1...12 ~= month,
            1...CivilDate.days(in: month, of: year == 0 ? 2_000 : year) ~= day
        else { return nil }
        (self.month, self.day) = (Int(month), Int(day))
    }
}

/// A picture of a user, as `picture` tells it.
public enum UserPicture: Sendable {
    /// Where it is, an address of http or https; whoever fetches it tells the host so.
    case address(String)
    /// The picture itself: the bytes behind standard base64.
    case bytes([UInt8])

    init?(_ text: String) {
        if let address = UserAddress.read(text) {
            self = .address(address)
        } else if let bytes = StandardBase64.decode(text.utf8.span) {
            self = .bytes(bytes)
        } else {
            return nil
        }
    }
}

enum UserAddress {
    /// An address of https, or one of http that would be one of https.
    static func read(_ text: String) -> String? {
        let secure = text.rest(behind: "http://").map { "https://" + $0 } ?? text
        return WebURL(secure) == nil ? nil : text
    }
}

enum MailAddress {
    /// A text with something on both sides of its last @, and neither space nor control character.
    static func read(_ text: String) -> String? {
        let bytes = text.utf8
        guard 3...320 ~= bytes.count, bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }),
            let at = bytes.lastIndex(of: UInt8(ascii: "@")), at != bytes.startIndex,
            bytes.index(after: at) != bytes.endIndex
        else { return nil }
        return text
    }
}

enum LanguageTag {
    /// Parts of 1 to 8 letters and digits (RFC 5646, 2.1), between hyphens or, as some write, underscores.
    static func read(_ text: String) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let tag = String(
            decoding: text.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 },
            as: UTF8.self)
        let parts = tag.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = parts.first, first.allSatisfy(WebHost.isLetter),
            parts.allSatisfy({ part in
                1...8 ~= part.count && part.allSatisfy { WebHost.isLetter($0) || 0x30...0x39 ~= $0 }
            })
        else { return nil }
        return tag
    }
}

extension Birthdate: RedactedDescription {
    package var shownAs: String { "birthdate" }
}

extension UserPicture: RedactedDescription {
    package var shownAs: String { "picture" }
}
