// What a provider's access tokens and introspection answers are, and what proves a client's right to use a token.

import JOSE

/// The access tokens of a provider.
public struct AccessTokenRules: Sendable {
    /// Whether clients may, or must, bring proofs of possession to the token endpoint; the provider then has a `DPoPVerifier`.
    public var proofs = DPoPRequirement.ignored
    /// The rules for proofs, as metadata list them; the provider's judge has the same. Those of a client's own profile count at the
    /// token endpoint where they are stricter.
    public var dpop = DPoPRules.standard
    /// How long an access token that we issue as a JWT lives; whole seconds, at least 1.
    public var lifetime = Duration.seconds(300)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// Whether every access token that we issue as a JWT is bound to a key or a certificate.
    public var requiresBinding = false
    /// Whether a refresh token works once and gives the next one. Else it works as long as it lives: what it is bound to is the
    /// client's authentication (RFC 9700, 4.14.2).
    public var rotatesRefreshTokens = true
    /// Whether there are refresh tokens. `false` for a provider that has none: `refreshFamily` and `refreshRequest` then throw
    /// `misuse`, and a refresh token in a token response is not used.
    public var hasRefreshTokens = true

    /// Rules with the defaults.
    public init() {}
}

extension AccessTokenRules {
    /// Throws `misuse` where there are no refresh tokens.
    func checkRefreshTokens() throws(JOSEError) {
        guard hasRefreshTokens else {
            throw .misuse(
                "the profile's provider has no refresh tokens (accessToken.hasRefreshTokens)")
        }
    }
}

/// The answers of the introspection endpoint as tokens (RFC 9701).
public struct IntrospectionRules: Sendable {
    /// The layers.
    public var layers = TokenLayers.signed
    /// How old an answer that we read may be, besides the leeway; whole seconds, at least 1.
    public var maxAge = Duration.seconds(300)
    var maxAgeSeconds: Int { maxAge.wholeSeconds }

    /// Rules with the defaults.
    public init() {}
}

extension TokenHeaderRules {
    /// This `typ` and no other, always written.
    init(only type: String) {
        self.init()
        self.type = .exactly(type)
        writtenType = type
    }

    /// An access token (RFC 9068, 2.1).
    static let accessToken = TokenHeaderRules(only: "at+jwt")
    /// An introspection answer (RFC 9701, 5).
    static let introspection = TokenHeaderRules(only: IntrospectionRules.type)
}

extension IntrospectionRules {
    static let type = "token-introspection+jwt"
    static let mediaType = "application/" + type
}
