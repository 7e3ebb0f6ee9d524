// WebHost: the host of a URL in one spelling, and whether it is on the public Internet.

/// A host in a spelling that no two parsers can take for different machines. Some resolvers take
/// `127.1`, `2130706433`, `0x7f.1` and `127.0x0.0x0.1` for 127.0.0.1, and `localhost.` for
/// `localhost`. `WebHost` rejects all of them. A host whose last label is a number must be four
/// decimal numbers (WHATWG URL Standard). A name has no trailing dot.
package enum WebHost {
    case name
    /// An IPv4 address, or an IPv6 address in brackets.
    case address

    package init?(_ text: Span<UInt8>) {
        guard 1...253 ~= text.count else { return nil }
        if text[0] == UInt8(ascii: "[") {
            guard text.count > 2, text[text.count - 1] == UInt8(ascii: "]"),
                WebHost.groups(text.extracting(1..<(text.count - 1))) != nil
            else { return nil }
            self = .address
            return
        }
        guard let last = WebHost.lastLabel(text) else { return nil }
        if WebHost.isNumber(text.extracting(last)) {
            guard WebHost.isIPv4(text) else { return nil }
            self = .address
        } else {
            self = .name
        }
    }

    /// Returns the canonical text of a host: a name in lower case, an IPv6 address with all its
    /// groups, an IPv4-mapped address as IPv4. Nil if the host is not valid.
    package static func canonical(_ text: Span<UInt8>) -> String? {
        guard WebHost(text) != nil else { return nil }
        guard text[0] == UInt8(ascii: "["),
            let groups = groups(text.extracting(1..<(text.count - 1)))
        else { return String(copying: text).lowercasedASCII }
        let words = groups.span.indices.map { groups[$0] }
        guard words[..<5].allSatisfy({ $0 == 0 }), words[5] == 0xffff else {
            return "[" + words.map { String($0, radix: 16) }.joined(separator: ":") + "]"
        }
        return words[6...].flatMap { ["\($0 >> 8)", "\($0 & 0xff)"] }.joined(separator: ".")
    }

    /// Whether a name in lower case is not on the public Internet: it has no dot, or is under a
    /// domain for this machine or the local network. Not for addresses. A public name may still
    /// resolve to a local address. The fetcher must check that address.
    package static func isLocal(_ name: String) -> Bool {
        guard name.contains(byte: UInt8(ascii: ".")) else { return true }
        return localDomains.contains { name.ends(with: $0) }
    }

    /// RFC 6761, 6.3; RFC 6762, 3 and appendix G; RFC 8375; ICANN's reservation of `internal`.
    private static let localDomains = [
        ".localhost", ".local", ".localdomain", ".internal", ".intranet", ".private", ".corp",
        ".home", ".lan", ".home.arpa",
    ]

    package static func isLetter(_ byte: UInt8) -> Bool {
        0x61...0x7a ~= byte || 0x41...0x5a ~= byte
    }

    package static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    /// Returns the range of the last label; nil if a label is not 1 to 63 letters, digits and inner
    /// hyphens (RFC 1123, 2.1).
    private static func lastLabel(_ text: Span<UInt8>) -> Range<Int>? {
        let hyphen = UInt8(ascii: "-")
        var start = 0
        var last = hyphen
        for index in text.indices {
            let byte = text[index]
            if byte == UInt8(ascii: ".") {
                guard 1...63 ~= index - start, last != hyphen else { return nil }
                start = index + 1
            } else {
                guard isLetter(byte) || isDigit(byte) || byte == hyphen && index > start else {
                    return nil
                }
            }
            last = byte
        }
        return 1...63 ~= text.count - start && last != hyphen ? start..<text.count : nil
    }

    /// Whether a resolver could take a label for a number: digits, or hexadecimal after `0x`.
    private static func isNumber(_ label: Span<UInt8>) -> Bool {
        if holdsOnly(label, isDigit) { return true }
        return label.count >= 2 && label[0] == UInt8(ascii: "0")
            && label[1] | 0x20 == UInt8(ascii: "x")
            && holdsOnly(label.extracting(2..<label.count)) { $0.hexadecimalValue != nil }
    }

    private static func holdsOnly(_ text: Span<UInt8>, _ kind: (UInt8) -> Bool) -> Bool {
        for index in text.indices where !kind(text[index]) { return false }
        return true
    }

    /// Whether the text is four numbers of 0 to 255 without leading zeros.
    private static func isIPv4(_ text: Span<UInt8>) -> Bool { number(ofIPv4: text) != nil }

    private static func number(ofIPv4 text: Span<UInt8>) -> UInt32? {
        var number: UInt32 = 0
        var count = 0
        var start = 0
        for end in 0...text.count where end == text.count || text[end] == UInt8(ascii: ".") {
            guard count < 4, let octet = octet(text.extracting(start..<end)) else { return nil }
            number = number << 8 | octet
            count += 1
            start = end + 1
        }
        return count == 4 ? number : nil
    }

    private static func octet(_ digits: Span<UInt8>) -> UInt32? {
        guard 1...3 ~= digits.count, digits.count == 1 || digits[0] != UInt8(ascii: "0") else {
            return nil
        }
        var value: UInt32 = 0
        for index in digits.indices {
            guard isDigit(digits[index]) else { return nil }
            value = value * 10 + UInt32(digits[index] - 0x30)
        }
        return value <= 255 ? value : nil
    }

    /// Returns the groups of an IPv6 address without a zone (RFC 4291, 2.2). `::` replaces one run
    /// of groups, and an IPv4 address may replace the last two groups.
    private static func groups(_ text: Span<UInt8>) -> [8 of UInt16]? {
        guard text.count <= 45 else { return nil }
        let colon = UInt8(ascii: ":")
        var groups = [8 of UInt16](repeating: 0)
        for at in 1..<text.count where text[at - 1] == colon && text[at] == colon {
            var last = groups
            guard let before = read(text.extracting(first: at - 1), isEnd: false, into: &groups),
                let after = read(
                    text.extracting((at + 1)..<text.count), isEnd: true, into: &last),
                before + after <= 7
            else { return nil }
            for index in 0..<after { groups[8 - after + index] = last[index] }
            return groups
        }
        return read(text, isEnd: true, into: &groups) == 8 ? groups : nil
    }

    /// Reads up to eight groups between colons, and returns their number; nil if they are invalid.
    /// With `isEnd`, an IPv4 address may be last and counts as two groups.
    private static func read(
        _ text: Span<UInt8>, isEnd: Bool, into groups: inout [8 of UInt16]
    ) -> Int? {
        guard !text.isEmpty else { return 0 }
        var count = 0
        var start = 0
        for end in 0...text.count where end == text.count || text[end] == UInt8(ascii: ":") {
            let group = text.extracting(start..<end)
            if isEnd, end == text.count, let number = number(ofIPv4: group) {
                guard count < 7 else { return nil }
                groups[count] = UInt16(truncatingIfNeeded: number >> 16)
                groups[count + 1] = UInt16(truncatingIfNeeded: number)
                count += 2
            } else {
                guard count < 8, 1...4 ~= group.count else { return nil }
                var value: UInt16 = 0
                for index in group.indices {
                    guard let digit = group[index].hexadecimalValue else { return nil }
                    value = value << 4 | UInt16(digit)
                }
                groups[count] = value
                count += 1
            }
            start = end + 1
        }
        return count
    }
}
