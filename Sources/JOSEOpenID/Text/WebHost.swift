// The host of an address: a name or an address of IP, each in one spelling, and whether the world can reach it.

import JOSEBytes

/// A host, read so that no two readers can take it for different machines.
///
/// Resolvers also take `127.1`, `2130706433`, `0x7f.1` and `127.0x0.0x0.1` for 127.0.0.1, and `localhost.` for
/// `localhost`. None of them is a host here: what ends in a number is four decimal numbers or nothing (the rule of the
/// WHATWG's URL Standard, without its repairs), and a name has no dot at its end.
enum WebHost: Hashable {
    /// A name, in lower case.
    case name(String)
    /// Four decimal numbers.
    case ipv4
    /// An address in brackets.
    case ipv6

    /// Nil for anything else.
    init?(_ text: ArraySlice<UInt8>) {
        guard let first = text.first, text.count <= 253 else { return nil }
        if first == UInt8(ascii: "[") {
            guard text.count > 2, text.last == UInt8(ascii: "]"),
                WebHost.isIPv6(text.dropFirst().dropLast())
            else { return nil }
            self = .ipv6
            return
        }
        guard let last = WebHost.lastLabel(text) else { return nil }
        if WebHost.isNumber(last) {
            guard WebHost.isIPv4(text) else { return nil }
            self = .ipv4
        } else {
            self = .name(String(decoding: text, as: UTF8.self).lowercasedASCII)
        }
    }

    /// Whether this is no name of the public Internet: an address, a name without a dot, or one under a domain that
    /// means this machine or the network around it.
    ///
    /// A public name may still lead to a local address: who fetches from it must look at that.
    var isLocal: Bool {
        guard case .name(let name) = self else { return true }
        guard name.utf8.contains(UInt8(ascii: ".")) else { return true }
        return WebHost.localDomains.contains { name.ends(with: $0) }
    }

    /// RFC 6761, 6.3; RFC 6762, 3 and appendix G; RFC 8375; ICANN's reservation of `internal`.
    private static let localDomains = [
        ".localhost", ".local", ".localdomain", ".internal", ".intranet", ".private", ".corp",
        ".home", ".lan", ".home.arpa",
    ]

    static func isLetter(_ byte: UInt8) -> Bool {
        0x61...0x7a ~= byte || 0x41...0x5a ~= byte
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    /// The last of the labels between dots; nil where one of them is none.
    ///
    /// RFC 1123, 2.1: 1 to 63 letters, digits and hyphens, no hyphen at either end.
    private static func lastLabel(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let hyphen = UInt8(ascii: "-")
        var start = text.startIndex
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
        return 1...63 ~= text.endIndex - start && last != hyphen ? text[start...] : nil
    }

    /// Whether a resolver could take the last label for a number: digits, or hexadecimal behind `0x`.
    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        if label.allSatisfy(isDigit) { return true }
        let digits = label.dropFirst(2)
        return label.count >= 2 && label.first == UInt8(ascii: "0")
            && label[label.startIndex + 1] | 0x20 == UInt8(ascii: "x")
            && digits.allSatisfy { PercentEncoding.number($0) != nil }
    }

    /// Four numbers of 0 to 255 without leading zeros.
    private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                guard 1...3 ~= part.count, part.allSatisfy(isDigit) else { return false }
                guard part.count == 1 || part.first != UInt8(ascii: "0") else { return false }
                return part.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 255
            }
    }

    /// RFC 4291, 2.2: eight groups, one run of them left out, the last two as an IPv4 address; no zone.
    private static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count <= 45 else { return false }
        let colon = UInt8(ascii: ":")
        var halves: [ArraySlice<UInt8>] = [text]
        if let gap = zip(text.indices, text.indices.dropFirst())
            .first(where: { text[$0] == colon && text[$1] == colon })
        {
            halves = [text[..<gap.0], text[text.index(after: gap.1)...]]
        }
        var count = 0
        for (index, half) in halves.enumerated() where !half.isEmpty {
            let groups = half.split(separator: colon, omittingEmptySubsequences: false)
            for (place, group) in groups.enumerated() {
                let isLast = index == halves.count - 1 && place == groups.count - 1
                if isLast, isIPv4(group) {
                    count += 2
                } else {
                    guard 1...4 ~= group.count,
                        group.allSatisfy({ PercentEncoding.number($0) != nil })
                    else { return false }
                    count += 1
                }
            }
        }
        return halves.count == 1 ? count == 8 : count <= 7
    }
}
