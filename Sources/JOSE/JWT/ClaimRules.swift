// What iss and aud must say.

/// A rule for `iss` (RFC 7519, 4.1.1): one of our texts, byte for byte, or anything goes.
///
/// A text literal is the rule of exactly this text.
public struct IssuerRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The texts of which it must be one; nil for any.
    package let texts: [String]?

    /// Exactly this text.
    public init(stringLiteral value: String) { texts = [value] }

    private init(_ texts: [String]?) { self.texts = texts }

    /// Any issuer, or none.
    public static let any = IssuerRule(nil)

    /// Exactly this text, byte for byte.
    public static func exactly(_ text: String) -> IssuerRule { IssuerRule([text]) }

    /// Exactly one of these texts, byte for byte; a verifier takes no empty list.
    ///
    /// For one provider that writes its issuer in several ways. Issuers with keys of their own need
    /// a verifier each: `JWTVerifier.init(byIssuer:encryption:requiresContentType:limits:)`.
    public static func anyOf(_ texts: [String]) -> IssuerRule { IssuerRule(texts) }
}

/// A rule for `aud` (RFC 7519, 4.1.3): one of its elements is one of our texts, byte for byte, or
/// anything goes.
///
/// A text literal is the rule that one element is exactly this text.
public struct AudienceRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// Our texts, of which one must be in it; nil for any.
    package let texts: [String]?

    /// One element is exactly this text.
    public init(stringLiteral value: String) { texts = [value] }

    private init(_ texts: [String]?) { self.texts = texts }

    /// Any audience, or none.
    public static let any = AudienceRule(nil)

    /// One element is exactly this text, byte for byte.
    public static func contains(_ text: String) -> AudienceRule { AudienceRule([text]) }

    /// One element is exactly one of these texts, byte for byte; a verifier takes no empty list.
    public static func anyOf(_ texts: [String]) -> AudienceRule { AudienceRule(texts) }
}
