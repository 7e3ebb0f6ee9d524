// Parsers of claim values: birthdates, URLs, pictures, email addresses and language tags.

import JOSE
import JOSEBytes

/// A date of birth, which may have no year or only a year (OpenID Connect Core, 5.1).
public struct Birthdate: Sendable, Hashable {
    /// The year, 1 to 9999; nil if it is omitted.
    public let year: Int?
    /// The month, 1 to 12; nil if only the year is known.
    public let month: Int?
    /// The day of the month; nil if only the year is known.
    public let day: Int?

    /// Reads `1990-12-31`, `0000-12-31` (no year) or `1990`; nil for other texts and impossible
    /// dates.
    public init?(_ text: String) {
        var reader = DateReader(text)
        guard let year = reader.number(4) else { return nil }
        self.year = year == 0 ? nil : year
        if reader.isAtEnd, year != 0 {
            (month, day) = (nil, nil)
            return
        }
        // Without a year, 29 February is allowed: 2000 was a leap year.
        guard reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.isAtEnd, 1...12 ~= month,
            1...CivilDate.days(in: month, of: year == 0 ? 2_000 : year) ~= day
        else { return nil }
        (self.month, self.day) = (month, day)
    }
}

/// The user's picture: a URL, or the image itself as some providers send it.
public enum UserPicture: Sendable {
    /// The http or https URL of the picture. Fetching it tells the host about the login.
    case url(String)
    /// The picture, decoded from standard base64.
    case bytes([UInt8])

    init?(_ text: String) {
        if let url = UserURL.read(text) {
            self = .url(url)
        } else if let bytes = StandardBase64.decode(text.utf8.span) {
            self = .bytes(bytes)
        } else {
            return nil
        }
    }
}

enum UserURL {
    /// Returns an https URL, or an http URL by the same rules.
    static func read(_ text: String) -> String? {
        let secure = text.removingPrefix("http://").map { "https://" + $0 } ?? text
        return WebURL(secure) == nil ? nil : text
    }
}

enum MailAddress {
    /// Requires characters on both sides of the last @, no spaces and no control characters.
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
    /// Returns a tag of letters, digits and hyphens (RFC 5646, 2.1). Underscores, which some
    /// providers write, become hyphens.
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

extension Birthdate: RedactedDescription {}
extension UserPicture: RedactedDescription {}
