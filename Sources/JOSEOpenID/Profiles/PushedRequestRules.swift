// How requests are pushed to the provider before the browser is sent there (RFC 9126).

import JOSE

/// The rules for pushed authorization requests; a provider takes them where it has a store for them.
public struct PushedRequestRules: Sendable {
    /// Whether every request must be pushed (`require_pushed_authorization_requests`).
    public var isRequired = false
    /// How long the `request_uri` can be sent to the authorization endpoint; 5 to 600 whole seconds.
    public var lifetime = Duration.seconds(60)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// How long after that the user may take for her decision; 1 to 86400 whole seconds.
    public var decisionTime = Duration.seconds(600)
    var decisionSeconds: Int { decisionTime.wholeSeconds }
    /// What a client assertion at this endpoint may have as `aud` besides the issuer; an endpoint's
    /// URL must be a string.
    ///
    /// RFC 9126, 2, asks a provider to accept the issuer, the token endpoint and this endpoint. The
    /// default is narrower on purpose, as the URL of an endpoint lets a hostile provider collect
    /// assertions (CVE-2025-27370): see `ClientRules.audience`. Add them for clients that know
    /// nothing else.
    public var otherAudiences: [MessageAudience] = []

    /// Not required; a minute.
    public init() {}
}
