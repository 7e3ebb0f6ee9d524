// What the claims of a token must say: one value, fixed before any token is seen.

import JOSEBytes

/// A rule for `iss` (RFC 7519, 4.1.1).
public enum IssuerRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// Exactly this text, byte for byte.
    case exactly(String)
    /// Any issuer, or none.
    case any

    /// Exactly this text.
    public init(stringLiteral value: String) { self = .exactly(value) }
}

/// A rule for `aud` (RFC 7519, 4.1.3).
public enum AudienceRule: Sendable, Hashable, ExpressibleByStringLiteral {
    /// One element is exactly this text, byte for byte.
    case contains(String)
    /// Any audience, or none.
    case any

    /// One element is exactly this text.
    public init(stringLiteral value: String) { self = .contains(value) }
}

/// What every token of one kind must say, whoever sends it.
///
/// `issuer` and `audience` are given or `.any` is written. `exp` is required unless `requiredClaims` says otherwise.
public struct ClaimsPolicy: Sendable, Hashable {
    /// The rule for `iss`.
    public var issuer: IssuerRule
    /// The rule for `aud`.
    public var audience: AudienceRule
    /// Claims that must be present, whatever their value.
    public var requiredClaims: [String] = ["exp"]
    /// How far clocks may differ, in seconds; kept within 0 to 300.
    public var leewaySeconds: Int {
        get { Int(leeway) }
        set { leeway = Int64(min(max(newValue, 0), 300)) }
    }
    /// The longest life, `exp` less `iat`, in seconds, a negative one being 0; `iat` is required where this is given.
    public var maximumLifetimeSeconds: Int?
    /// The rule for the header's `typ`.
    public var type = MediaTypeRule.jwt
    /// The client that must be the authorised party: `azp`, if present, equals it, and a token for several
    /// audiences must have one (OpenID Connect Core, 3.1.3.7).
    public var authorizedParty: String?

    var leeway: Int64 = 60

    /// A policy with the defaults for everything but issuer and audience.
    public init(issuer: IssuerRule, audience: AudienceRule) {
        self.issuer = issuer
        self.audience = audience
    }

    /// The rules of OpenID Connect for an ID Token: `sub` and `iat` required, one day at the most, `azp` checked.
    public static func openID(issuer: String, clientID: String) -> ClaimsPolicy {
        var policy = ClaimsPolicy(issuer: .exactly(issuer), audience: .contains(clientID))
        policy.requiredClaims = ["iss", "sub", "aud", "exp", "iat"]
        policy.maximumLifetimeSeconds = 86_400
        policy.authorizedParty = clientID
        return policy
    }
}

/// What one particular token must say, known from the request that it answers.
public struct ClaimsExpectation: Sendable {
    /// The `nonce` that was sent; compared in constant time. A token without it is refused.
    public var nonce: String?
    /// The `sub` that is known already; compared in constant time.
    public var subject: String?
    /// The access token that came beside an ID Token: `at_hash`, if present, must fit it.
    public var accessToken: String?
    /// Whether `at_hash` must be present.
    public var requiresAccessTokenHash = false
    /// The authorization code that came beside an ID Token: `c_hash`, if present, must fit it.
    public var code: String?
    /// Whether `c_hash` must be present.
    public var requiresCodeHash = false

    /// Expects nothing particular.
    public init(nonce: String? = nil, subject: String? = nil, accessToken: String? = nil) {
        self.nonce = nonce
        self.subject = subject
        self.accessToken = accessToken
    }

    /// Expects nothing particular.
    public static let none = ClaimsExpectation()
}

extension ClaimsExpectation: RedactedDescription {
    package var shownAs: String { "claims expectation" }
}
