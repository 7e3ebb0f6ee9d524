// The rules of a `ClaimsPolicy` for `iss` and `aud`.

/// A rule for `iss` (RFC 7519, 4.1.1). Values are compared byte for byte.
///
/// A string literal accepts exactly that value.
public struct IssuerRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The accepted values; nil for any.
    package let texts: [String]?

    /// Accepts exactly this value.
    public init(stringLiteral value: String) { texts = [value] }

    private init(_ texts: [String]?) { self.texts = texts }

    /// Accepts every `iss`, and tokens without `iss`.
    public static let any = IssuerRule(nil)

    /// Accepts exactly this value.
    public static func exactly(_ text: String) -> IssuerRule { IssuerRule([text]) }

    /// Accepts each of these values. A verifier rejects an empty list as `misuse`.
    ///
    /// Use this rule for one provider that writes its issuer in several spellings. Issuers with
    /// their own keys each need their own verifier:
    /// `JWTVerifier.init(byIssuer:encryption:requiresContentType:limits:)`.
    public static func anyOf(_ texts: [String]) -> IssuerRule { IssuerRule(texts) }
}

/// A rule for `aud` (RFC 7519, 4.1.3). Values are compared byte for byte.
///
/// A string literal requires `aud` to contain that value.
public struct AudienceRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The values of which `aud` must contain one; nil for any.
    package let texts: [String]?

    /// Requires `aud` to contain this value.
    public init(stringLiteral value: String) { texts = [value] }

    private init(_ texts: [String]?) { self.texts = texts }

    /// Accepts every `aud`, and tokens without `aud`.
    public static let any = AudienceRule(nil)

    /// Requires `aud` to contain this value.
    public static func contains(_ text: String) -> AudienceRule { AudienceRule([text]) }

    /// Requires `aud` to contain one of these values. A verifier rejects an empty list as `misuse`.
    public static func anyOf(_ texts: [String]) -> AudienceRule { AudienceRule(texts) }
}
