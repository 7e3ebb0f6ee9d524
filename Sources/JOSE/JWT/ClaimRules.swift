// Rules for iss and aud.

/// A rule for `iss` (RFC 7519, 4.1.1): accepts the values of a list, compared byte for byte, or any
/// value.
///
/// A string literal is the rule that accepts exactly that value.
public struct IssuerRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The accepted values; nil for any.
    package let texts: [String]?

    /// Accepts exactly this value.
    public init(stringLiteral value: String) { texts = [value] }

    private init(_ texts: [String]?) { self.texts = texts }

    /// Accepts every `iss`, and tokens without `iss`.
    public static let any = IssuerRule(nil)

    /// Accepts exactly this value, compared byte for byte.
    public static func exactly(_ text: String) -> IssuerRule { IssuerRule([text]) }

    /// Accepts each of these values, compared byte for byte. A verifier rejects an empty list as
    /// `misuse`.
    ///
    /// Use this rule for one provider that writes its issuer in several spellings. Issuers with
    /// their own keys need one verifier each:
    /// `JWTVerifier.init(byIssuer:encryption:requiresContentType:limits:)`.
    public static func anyOf(_ texts: [String]) -> IssuerRule { IssuerRule(texts) }
}

/// A rule for `aud` (RFC 7519, 4.1.3): requires `aud` to contain one of the values of a list,
/// compared byte for byte, or accepts any value.
///
/// A string literal is the rule that `aud` must contain that value.
public struct AudienceRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The values of which `aud` must contain one; nil for any.
    package let texts: [String]?

    /// Requires `aud` to contain this value.
    public init(stringLiteral value: String) { texts = [value] }

    private init(_ texts: [String]?) { self.texts = texts }

    /// Accepts every `aud`, and tokens without `aud`.
    public static let any = AudienceRule(nil)

    /// Requires `aud` to contain this value, compared byte for byte.
    public static func contains(_ text: String) -> AudienceRule { AudienceRule([text]) }

    /// Requires `aud` to contain one of these values, compared byte for byte. A verifier rejects an
    /// empty list as `misuse`.
    public static func anyOf(_ texts: [String]) -> AudienceRule { AudienceRule(texts) }
}
