// How long a response is fresh (RFC 9111, 4.2 and 5.2.2).

import JOSE
import JOSEBytes

/// Parses `Cache-Control` and `Age`; unknown directives are ignored.
enum CacheControl {
    /// The remaining freshness: zero with `no-store` or `no-cache`, nil without `max-age`.
    /// `s-maxage` is for shared caches and `Expires` needs the server's clock: both are ignored.
    static func freshness(_ cacheControl: String?, age: String?) -> Duration? {
        guard let cacheControl else { return nil }
        var maxAge: Int64?
        for directive in cacheControl.utf8.split(separator: UInt8(ascii: ",")) {
            let parts = directive.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard let first = parts.first else { continue }
            let value = parts.count > 1 ? trimmed(parts[1]) : nil
            let name = String(Substring(trimmed(first))).lowercasedASCII
            if name.isExactly("no-store") || name.isExactly("no-cache") { return .zero }
            guard name.isExactly("max-age") else { continue }
            // A repeated or invalid `max-age` makes the response stale (RFC 9111, 4.2.1).
            guard maxAge == nil, let value, let seconds = seconds(value) else { return .zero }
            maxAge = seconds
        }
        guard let maxAge else { return nil }
        let spent = age.flatMap { seconds(trimmed(Substring($0).utf8)) } ?? 0
        return .seconds(max(maxAge - spent, 0))
    }

    /// Whole seconds, capped at 2^31 (RFC 9111, 1.2.2).
    private static func seconds(_ text: Substring.UTF8View) -> Int64? {
        var digits = text
        if digits.count >= 2, digits.first == UInt8(ascii: "\""), digits.last == UInt8(ascii: "\"")
        {
            digits = digits.dropFirst().dropLast()
        }
        guard !digits.isEmpty, digits.count <= 1_024 else { return nil }
        var result: Int64 = 0
        for digit in digits {
            guard 0x30...0x39 ~= digit else { return nil }
            result = min(result * 10 + Int64(digit - 0x30), 2_147_483_648)
        }
        return result
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        var text = text
        while let first = text.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }
}
