// Rules for `typ` and `cty`: media types, compared ignoring ASCII case and "application/".

import JOSEBytes

/// A rule for the header's `typ` (RFC 7515, 4.1.9; RFC 8725, 3.11).
public enum MediaTypeRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// Accepts any `typ`, and tokens without `typ`. For tokens that are not JWTs.
    case any
    /// Accepts `JWT` and `application/jwt`, ignoring case, and tokens without `typ`. The default
    /// for JWTs.
    case jwt
    /// Requires this media type, ignoring case; `at+jwt` also matches `application/at+jwt`.
    case exactly(String)
    /// Accepts what `jwt` accepts and these media types, ignoring case. For kinds of tokens whose
    /// senders do not all write the type yet.
    case jwtOr([String])

    /// Requires this media type, as `exactly`.
    public init(stringLiteral value: String) { self = .exactly(value) }
}

extension MediaTypeRule {
    /// Whether both are the same rule, with strings compared byte for byte.
    public static func == (a: MediaTypeRule, b: MediaTypeRule) -> Bool {
        switch (a, b) {
        case (.any, .any), (.jwt, .jwt): true
        case (.exactly(let a), .exactly(let b)): a.isExactly(b)
        case (.jwtOr(let a), .jwtOr(let b)): a.map(ExactString.init) == b.map(ExactString.init)
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .any: hasher.combine(0)
        case .jwt: hasher.combine(1)
        case .exactly(let type): hasher.combine(ExactString(type))
        case .jwtOr(let types): hasher.combine(types.map(ExactString.init))
        }
    }
}

extension MediaTypeRule {
    /// Whether a `typ` satisfies the rule; nil means that it is absent.
    package func allows(_ type: String?) -> Bool {
        allows(type) { MediaType.equals($0, $1) }
    }

    func allows(_ type: JSONNode?, in text: Span<UInt8>) -> Bool {
        allows(type) { MediaType.equals($0, $1, in: text) }
    }

    @inline(__always)
    private func allows<Value>(_ type: Value?, _ equals: (Value, String) -> Bool) -> Bool {
        switch self {
        case .any: return true
        case .jwt:
            guard let type else { return true }
            return equals(type, "jwt")
        case .exactly(let required):
            guard let type else { return false }
            return equals(type, required)
        case .jwtOr(let others):
            guard let type else { return true }
            if equals(type, "jwt") { return true }
            for other in others where equals(type, other) { return true }
            return false
        }
    }

    func rejection(isAbsent: Bool) -> JOSEError {
        let error: JOSEError =
            switch self {
            case .any, .jwt:
                .claimRejected(
                    "typ", "the header's typ is not JWT; set 'type' to accept another one")
            case .exactly where isAbsent:
                .claimRejected("typ", "the header has no typ; 'type' requires one")
            case .exactly:
                .claimRejected("typ", "the header's typ is not the one that 'type' requires")
            case .jwtOr:
                .claimRejected(
                    "typ", "the header's typ is neither JWT nor one that 'type' accepts")
            }
        return error.withSetting(.type)
    }

    /// The rule for an encrypted token around a token with this rule. The encrypted token may
    /// repeat the `typ` of the signed one (RFC 8725, 3.11).
    var outerRule: MediaTypeRule {
        switch self {
        case .any, .jwt: .jwt
        case .exactly(let type): .jwtOr([type])
        case .jwtOr: self
        }
    }
}

/// A rule for the `cty` of an encrypted token.
enum ContentTypeRule: UInt8, Sendable {
    /// For content that is not a token: accepts any `cty`, and its absence.
    case any
    /// Requires `JWT` (RFC 7519, 5.2).
    case jwt
    /// Accepts `JWT`, and the absence of `cty`.
    case jwtOrAbsent
}

enum MediaType {
    /// Compares ignoring ASCII case, and "application/" at the beginning of either.
    static func equals(_ node: JSONNode, _ type: String, in text: Span<UInt8>) -> Bool {
        if node.hasEscapes {
            let value = JSON.string(node, in: text)
            return equals(value.utf8.span, type.utf8.span)
        }
        return equals(text.extracting(node.start..<node.end), type.utf8.span)
    }

    static func equals(_ a: String, _ b: String) -> Bool { equals(a.utf8.span, b.utf8.span) }

    private static func equals(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
        let aStart = prefixCount(a)
        let bStart = prefixCount(b)
        guard a.count - aStart == b.count - bStart else { return false }
        for index in 0..<(a.count - aStart)
        where a[aStart + index].lowercasedASCII != b[bStart + index].lowercasedASCII {
            return false
        }
        return true
    }

    private static let prefix: [12 of UInt8] = [
        0x61, 0x70, 0x70, 0x6c, 0x69, 0x63, 0x61, 0x74, 0x69, 0x6f, 0x6e, 0x2f,
    ]

    /// The length of a leading "application/".
    private static func prefixCount(_ type: Span<UInt8>) -> Int {
        guard type.count > 12 else { return 0 }
        for index in 0..<12 where type[index].lowercasedASCII != prefix[index] { return 0 }
        return 12
    }
}
