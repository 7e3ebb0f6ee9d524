// Rules for `typ` and `cty`: media types, compared without case, with or without "application/".

import JOSEBytes

/// What a `typ` header must say (RFC 7515, 4.1.9; RFC 8725, 3.11).
public enum MediaTypeRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// Anything, or nothing: for tokens that are not JWTs.
    case any
    /// Absent, `JWT` or `application/jwt`, without case: the default for JWTs.
    case jwt
    /// This media type, without case, and not absent; `at+jwt` also matches `application/at+jwt`.
    case exactly(String)

    /// This media type, as `exactly`.
    public init(stringLiteral value: String) { self = .exactly(value) }
}

extension MediaTypeRule {
    /// The same rule, byte for byte.
    public static func == (a: MediaTypeRule, b: MediaTypeRule) -> Bool {
        switch (a, b) {
        case (.any, .any), (.jwt, .jwt): true
        case (.exactly(let a), .exactly(let b)): a.isExactly(b)
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .any: hasher.combine(0)
        case .jwt: hasher.combine(1)
        case .exactly(let type): hasher.combine(ExactText(type))
        }
    }
}

enum MediaType {
    static func satisfies(_ rule: MediaTypeRule, _ node: JSONNode?, in text: Span<UInt8>) -> Bool {
        switch rule {
        case .any: return true
        case .jwt:
            guard let node else { return true }
            return equals(node, "jwt", in: text)
        case .exactly(let type):
            guard let node else { return false }
            return equals(node, type, in: text)
        }
    }

    /// Compares without ASCII case; "application/" may stand before either.
    static func equals(_ node: JSONNode, _ type: String, in text: Span<UInt8>) -> Bool {
        if node.hasEscapes {
            let value = JSON.string(node, in: text)
            return equals(value.utf8.span, type.utf8.span)
        }
        return equals(text.extracting(node.start..<node.end), type.utf8.span)
    }

    /// The same for two texts.
    static func equals(_ a: String, _ b: String) -> Bool { equals(a.utf8.span, b.utf8.span) }

    private static func equals(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
        let aStart = prefixCount(a)
        let bStart = prefixCount(b)
        guard a.count - aStart == b.count - bStart else { return false }
        for index in 0..<(a.count - aStart)
        where lowercased(a[aStart + index]) != lowercased(b[bStart + index]) { return false }
        return true
    }

    private static let prefix: [12 of UInt8] = [
        0x61, 0x70, 0x70, 0x6c, 0x69, 0x63, 0x61, 0x74, 0x69, 0x6f, 0x6e, 0x2f,
    ]

    /// The length of a leading "application/".
    private static func prefixCount(_ type: Span<UInt8>) -> Int {
        guard type.count > 12 else { return 0 }
        for index in 0..<12 where lowercased(type[index]) != prefix[index] { return 0 }
        return 12
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
    }
}
