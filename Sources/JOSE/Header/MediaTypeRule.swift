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
    /// As `jwt`, or one of these media types, without case: for kinds of tokens that got a type of their own later.
    case jwtOr([String])

    /// This media type, as `exactly`.
    public init(stringLiteral value: String) { self = .exactly(value) }
}

extension MediaTypeRule {
    /// The same rule, byte for byte.
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
    /// Whether a `typ` of this text satisfies the rule; nil is no `typ`.
    package func allows(_ type: String?) -> Bool {
        switch self {
        case .any: true
        case .jwt: type.map { MediaType.equals($0, "jwt") } ?? true
        case .exactly(let wanted): type.map { MediaType.equals($0, wanted) } ?? false
        case .jwtOr(let wanted):
            type.map { type in (["jwt"] + wanted).contains { MediaType.equals(type, $0) } } ?? true
        }
    }

    /// The error for a token that does not satisfy it.
    func rejection(isAbsent: Bool) -> JOSEError {
        let error: JOSEError =
            switch self {
            case .any, .jwt:
                .claimRejected(
                    "typ", "the header's typ is not JWT; type: names another type to accept")
            case .exactly where isAbsent:
                .claimRejected("typ", "the header has no typ; type: requires one")
            case .exactly:
                .claimRejected("typ", "the header's typ is not the one that type: requires")
            case .jwtOr:
                .claimRejected("typ", "the header's typ is neither JWT nor one that type: accepts")
            }
        return error.by(.type)
    }

    /// The rule for an encrypted token around a signed one with this rule: its own type may be repeated there (RFC 8725, 3.11).
    var outside: MediaTypeRule {
        switch self {
        case .any, .jwt: .jwt
        case .exactly(let type): .jwtOr([type])
        case .jwtOr: self
        }
    }
}

/// What the `cty` of an encrypted token must say.
enum ContentTypeRule: UInt8, Sendable {
    /// Anything, or nothing: it holds no token.
    case any
    /// `JWT` (RFC 7519, 5.2).
    case jwt
    /// `JWT`, or nothing.
    case jwtOrAbsent
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
        case .jwtOr(let types):
            guard let node else { return true }
            if equals(node, "jwt", in: text) { return true }
            for type in types where equals(node, type, in: text) { return true }
            return false
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
