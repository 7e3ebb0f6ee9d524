// Rules for iss and aud.

/// A rule for `iss` (RFC 7519, 4.1.1): one of a list of values, compared byte for byte, or any.
///
/// A string literal is the rule that accepts exactly that value.
public struct IssuerRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The accepted values; nil for any.
    package let texts: [String]?

    /// Accepts exactly this value.
    public init(stringLiteral value: String) { texts = [value] }

    private init(_ texts: [String]?) { self.texts = texts }

    /// Accepts any issuer, or none.
    public static let any = IssuerRule(nil)

    /// Accepts exactly this value, compared byte for byte.
    public static func exactly(_ text: String) -> IssuerRule { IssuerRule([text]) }

    /// Accepts exactly one of these values, compared byte for byte. A verifier rejects an empty
    /// list as `misuse`.
    ///
    /// For one provider that writes its issuer in several spellings. Issuers with their own keys
    /// need one verifier each: `JWTVerifier.init(byIssuer:encryption:requiresContentType:limits:)`.
    public static func anyOf(_ texts: [String]) -> IssuerRule { IssuerRule(texts) }
}

/// A rule for `aud` (RFC 7519, 4.1.3): it must contain one of a list of values, compared byte for
/// byte, or anything.
///
/// A string literal is the rule that `aud` must contain that value.
public struct AudienceRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The values of which `aud` must contain one; nil for any.
    package let texts: [String]?

    /// Requires `aud` to contain this value.
    public init(stringLiteral value: String) { texts = [value] }

    private init(_ texts: [String]?) { self.texts = texts }

    /// Accepts any audience, or none.
    public static let any = AudienceRule(nil)

    /// Requires `aud` to contain this value, compared byte for byte.
    public static func contains(_ text: String) -> AudienceRule { AudienceRule([text]) }

    /// Requires `aud` to contain one of these values, compared byte for byte. A verifier rejects an
    /// empty list as `misuse`.
    public static func anyOf(_ texts: [String]) -> AudienceRule { AudienceRule(texts) }
}
