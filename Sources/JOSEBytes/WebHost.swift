// The host of an address: a name or an address of IP, each in one spelling, and whether the world can reach it.

import JOSEBytes

/// A host, read so that no two readers can take it for different machines.
///
/// Resolvers also take `127.1`, `2130706433`, `0x7f.1` and `127.0x0.0x0.1` for 127.0.0.1, and `localhost.` for
/// `localhost`. None of them is a host here: what ends in a number is four decimal numbers or nothing (the rule of the
/// WHATWG's URL Standard, without its repairs), and a name has no dot at its end.
enum WebHost {
    /// A name.
    case name
    /// Four decimal numbers, or an address in brackets.
    case address

    /// Nil for anything else.
    init?(_ text: Span<UInt8>) {
        guard 1...253 ~= text.count else { return nil }
        if text[0] == UInt8(ascii: "[") {
            guard text.count > 2, text[text.count - 1] == UInt8(ascii: "]"),
                WebHost.isIPv6(text.extracting(1..<(text.count - 1)))
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

    /// Whether a name, in lower case, is none of the public Internet: one without a dot, or one under a domain that
    /// means this machine or the network around it. No address is.
    ///
    /// A public name may still lead to a local address: who fetches from it must look at that.
    static func isLocal(_ name: String) -> Bool {
        guard name.holds(UInt8(ascii: ".")) else { return true }
        return localDomains.contains { name.ends(with: $0) }
    }

    /// RFC 6761, 6.3; RFC 6762, 3 and appendix G; RFC 8375; ICANN's reservation of `internal`.
    private static let localDomains = [
        ".localhost", ".local", ".localdomain", ".internal", ".intranet", ".private", ".corp",
        ".home", ".lan", ".home.arpa",
    ]

    static func isLetter(_ byte: UInt8) -> Bool {
        0x61...0x7a ~= byte || 0x41...0x5a ~= byte
    }

    static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    /// The last of the labels between dots; nil where one of them is none.
    ///
    /// RFC 1123, 2.1: 1 to 63 letters, digits and hyphens, no hyphen at either end.
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

    /// Whether a resolver could take the last label for a number: digits, or hexadecimal behind `0x`.
    private static func isNumber(_ label: Span<UInt8>) -> Bool {
        if holdsOnly(label, isDigit) { return true }
        return label.count >= 2 && label[0] == UInt8(ascii: "0")
            && label[1] | 0x20 == UInt8(ascii: "x")
            && holdsOnly(label.extracting(2..<label.count), isHexadecimal)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        PercentEncoding.number(byte) != nil
    }

    private static func holdsOnly(_ text: Span<UInt8>, _ kind: (UInt8) -> Bool) -> Bool {
        for index in text.indices where !kind(text[index]) { return false }
        return true
    }

    /// Four numbers of 0 to 255 without leading zeros.
    private static func isIPv4(_ text: Span<UInt8>) -> Bool {
        var count = 0
        var start = 0
        for end in 0...text.count where end == text.count || text[end] == UInt8(ascii: ".") {
            guard isOctet(text.extracting(start..<end)) else { return false }
            count += 1
            start = end + 1
        }
        return count == 4
    }

    private static func isOctet(_ digits: Span<UInt8>) -> Bool {
        guard 1...3 ~= digits.count, digits.count == 1 || digits[0] != UInt8(ascii: "0") else {
            return false
        }
        var value = 0
        for index in digits.indices {
            guard isDigit(digits[index]) else { return false }
            value = value * 10 + Int(digits[index] - 0x30)
        }
        return value <= 255
    }

    /// RFC 4291, 2.2: eight groups, one run of them left out, the last two as an IPv4 address; no zone.
    private static func isIPv6(_ text: Span<UInt8>) -> Bool {
        guard text.count <= 45 else { return false }
        let colon = UInt8(ascii: ":")
        for at in 1..<text.count where text[at - 1] == colon && text[at] == colon {
            guard let before = groupCount(text.extracting(first: at - 1), isEnd: false),
                let behind = groupCount(text.extracting((at + 1)..<text.count), isEnd: true)
            else { return false }
            return before + behind <= 7
        }
        return groupCount(text, isEnd: true) == 8
    }

    /// The number of groups between colons, an IPv4 address at the end for two; nil where one of them is none.
    private static func groupCount(_ text: Span<UInt8>, isEnd: Bool) -> Int? {
        guard !text.isEmpty else { return 0 }
        var count = 0
        var start = 0
        for end in 0...text.count where end == text.count || text[end] == UInt8(ascii: ":") {
            let group = text.extracting(start..<end)
            if isEnd, end == text.count, isIPv4(group) {
                count += 2
            } else {
                guard 1...4 ~= group.count, holdsOnly(group, isHexadecimal) else { return nil }
                count += 1
            }
            start = end + 1
        }
        return count
    }
}
