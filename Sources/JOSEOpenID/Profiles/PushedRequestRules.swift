// The rules for pushed authorization requests (RFC 9126).

import JOSE

/// The rules for pushed authorization requests. A provider needs a store to support them.
public struct PushedRequestRules: Sendable {
    /// Whether every request must be pushed (`require_pushed_authorization_requests`).
    public var isRequired = false
    /// The lifetime of the `request_uri`; 5 to 600 whole seconds.
    public var lifetime = Duration.seconds(60)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// The time for the user's decision after `request_uri` expires; 1 to 86400 whole seconds.
    public var decisionTime = Duration.seconds(600)
    var decisionSeconds: Int { decisionTime.wholeSeconds }
    /// Further values for the `aud` of a client assertion at this endpoint, in addition to the
    /// issuer. An `aud` with an endpoint's URL must be a JSON string, not an array.
    ///
    /// RFC 9126, 2, asks a provider to accept the issuer, the token endpoint and this endpoint. The
    /// default is stricter on purpose: the URL of an endpoint lets a hostile provider collect
    /// assertions (CVE-2025-27370); see `ClientRules.audience`. Add values for clients that cannot
    /// use the issuer.
    public var otherAudiences: [MessageAudience] = []

    /// Creates rules with the default values.
    public init() {}
}
