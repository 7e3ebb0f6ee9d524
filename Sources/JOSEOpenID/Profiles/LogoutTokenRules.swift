// What a logout token must be (OpenID Connect Back-Channel Logout 1.0).

import JOSE

/// The rules for logout tokens; their layers are the ID Token's (2.6).
public struct LogoutTokenRules: Sendable {
    /// The header: `logout+jwt`, which tells one from an ID Token, is demanded and written.
    public var header: TokenHeaderRules
    /// How long one that we make lives; 1 to 600 whole seconds.
    public var lifetime = Duration.seconds(120)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// How far ahead of now the `exp` of one may be, how far ahead the provider's clock may be included; 1 to 86400 whole seconds. The store of used ones remembers them for 301 seconds
    /// more.
    public var horizon = Duration.seconds(600)
    var horizonSeconds: Int { horizon.wholeSeconds }
    /// Whether `exp` must be there (2.4). Where it need not, a token without it is accepted for
    /// `maxAge` from its `iat`.
    public var requiresExpiration = true
    /// How old the `iat` of a token without `exp` may be, besides the leeway, in whole seconds; 1 to
    /// 86400. The store of used ones remembers them for two leeways and 301 seconds
    /// more.
    public var maxAge = Duration.seconds(300)
    var maxAgeSeconds: Int { maxAge.wholeSeconds }

    /// Two minutes; `typ` and `exp` required.
    public init() {
        header = TokenHeaderRules()
        header.type = "logout+jwt"
        header.writtenType = "logout+jwt"
    }

    /// For providers that write `typ: JWT` or none, and no `exp`, such as Ory Hydra.
    ///
    /// The claims alone tell such a token from others of the provider then: it has `events` with
    /// the logout event and no `nonce`. `iat` bounds its age, and its `jti` is claimed as always.
    public static let withoutTypeOrExpiration: LogoutTokenRules = {
        var rules = LogoutTokenRules()
        rules.header.type = .jwtOr(["logout+jwt"])
        rules.requiresExpiration = false
        return rules
    }()
}
