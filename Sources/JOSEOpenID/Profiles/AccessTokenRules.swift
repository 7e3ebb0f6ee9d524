// The rules for access tokens, refresh tokens and introspection responses.

import JOSE

/// The rules for a provider's access and refresh tokens.
public struct AccessTokenRules: Sendable {
    /// Whether clients may or must send DPoP proofs to the token endpoint. If so, the provider
    /// needs a replay store for proofs.
    public var proofs = DPoPRequirement.ignored
    /// The rules for DPoP proofs. At the token endpoint, the client's own profile applies where it
    /// is stricter.
    public var dpop = DPoPRules.standard
    /// The lifetime of a JWT access token; whole seconds, at least 1.
    public var lifetime = Duration.seconds(300)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// Whether every JWT access token is bound to a key or a certificate.
    public var requiresBinding = false
    /// Whether each use replaces the refresh token. If false, a token works until it expires, and
    /// the client's authentication protects it (RFC 9700, 4.14.2).
    public var rotatesRefreshTokens = true
    /// Whether the provider has refresh tokens. If false, `refreshFamily` and
    /// `RelyingParty.refreshRequest` throw `misuse`; `receiveRefreshRequest` throws `unsupported`.
    public var hasRefreshTokens = true
    /// Whether the provider has the client credentials grant (RFC 6749, 4.4), for clients with
    /// `ClientRegistration.clientCredentialsScopes`.
    public var hasClientCredentials = false

    /// Creates rules with the default values.
    public init() {}
}

extension AccessTokenRules {
    func checkRefreshTokens() throws(JOSEError) {
        guard hasRefreshTokens else {
            throw .misuse(
                "the profile has no refresh tokens (accessToken.hasRefreshTokens)")
        }
    }
}

/// The rules for introspection responses that are JWTs (RFC 9701).
public struct IntrospectionRules: Sendable {
    /// Whether responses are only signed, the default, or signed and encrypted.
    public var layers = TokenLayers.signed
    /// The maximum age of a received response; whole seconds, at least 1. The leeway is added.
    public var maxAge = Duration.seconds(300)
    var maxAgeSeconds: Int { maxAge.wholeSeconds }

    /// Creates rules with the default values.
    public init() {}
}

extension TokenHeaderRules {
    /// Accepts and writes exactly this `typ`.
    init(only type: String) {
        self.init()
        self.type = .exactly(type)
        writtenType = type
    }

    /// An access token (RFC 9068, 2.1).
    static let accessToken = TokenHeaderRules(only: "at+jwt")
    /// An introspection response (RFC 9701, 5).
    static let introspection = TokenHeaderRules(only: IntrospectionRules.type)
}

extension IntrospectionRules {
    static let type = "token-introspection+jwt"
    static let mediaType = "application/" + type
}
