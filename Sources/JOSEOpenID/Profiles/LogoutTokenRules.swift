// The rules for logout tokens (OpenID Connect Back-Channel Logout 1.0).

import JOSE

/// The rules for logout tokens. Their layers are those of ID Tokens (OpenID Connect Back-Channel
/// Logout 1.0, 2.6).
public struct LogoutTokenRules: Sendable {
    /// The header. By default `logout+jwt` is written and required, unlike in ID Tokens.
    public var header: TokenHeaderRules
    /// The lifetime of a token that a provider makes; 1 to 600 whole seconds.
    public var lifetime = Duration.seconds(120)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// The maximum time from now to the `exp` of a received token; 1 to 86400 whole seconds. No
    /// leeway is added. The replay store keeps used tokens 301 seconds longer.
    public var maxValidity = Duration.seconds(600)
    var maxValiditySeconds: Int { maxValidity.wholeSeconds }
    /// Whether `exp` is required (OpenID Connect Back-Channel Logout 1.0, 2.4). If not, a token
    /// without `exp` is accepted for `maxAge` from its `iat`.
    public var requiresExpiration = true
    /// The maximum age of a token without `exp`; 1 to 86400 whole seconds. The leeway is added. The
    /// replay store keeps used tokens for two leeways and 301 seconds longer.
    public var maxAge = Duration.seconds(300)
    var maxAgeSeconds: Int { maxAge.wholeSeconds }

    /// Creates rules that require the type `logout+jwt` and `exp`.
    public init() {
        header = TokenHeaderRules()
        header.type = "logout+jwt"
        header.writtenType = "logout+jwt"
    }

    /// Rules that also accept logout tokens without `exp`, and with `JWT` or nothing as `typ`, as
    /// Ory Hydra writes them.
    ///
    /// Only the claims then distinguish a logout token from other tokens: it has `events` with the
    /// logout event, and no `nonce`. `iat` limits its age, and its `jti` is recorded as always.
    public static let withoutTypeOrExpiration: LogoutTokenRules = {
        var rules = LogoutTokenRules()
        rules.header.type = .jwtOr(["logout+jwt"])
        rules.requiresExpiration = false
        return rules
    }()
}
