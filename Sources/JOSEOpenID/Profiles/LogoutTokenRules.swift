// What a logout token must be (OpenID Connect Back-Channel Logout 1.0).

import JOSE

/// The rules for logout tokens; their layers are the ID Token's (2.6).
public struct LogoutTokenRules: Sendable {
    /// The header: `logout+jwt`, which tells one from an ID Token, is demanded and written.
    public var header: TokenHeaderRules
    /// How long one that we make lives, in seconds; 1 to 600.
    public var lifetimeSeconds = 120
    /// How far ahead of now the `exp` of one may be, in seconds, how far ahead the provider's clock may be included; 1 to 86400. The store of used ones remembers them for 301 seconds
    /// more.
    public var horizonSeconds = 600

    /// Two minutes.
    public init() {
        header = TokenHeaderRules()
        header.type = "logout+jwt"
        header.writtenType = "logout+jwt"
    }
}
