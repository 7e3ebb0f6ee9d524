// How a client asks for a user without a browser, and how the provider tells it what became of it (CIBA Core 1.0).

import JOSE

/// The rules for backchannel authentication; a provider takes its requests where its metadata name an endpoint for them.
public struct BackchannelRules: Sendable {
    /// Whether every request travels in a signed object.
    public var requiresSignedRequest = false
    /// The header of a signed request.
    public var header = TokenHeaderRules(registered: "oauth-authz-req+jwt")
    /// How long a signed request that we make lives; 1 to 3600 whole seconds.
    public var objectLifetime = Duration.seconds(300)
    var objectLifetimeSeconds: Int { objectLifetime.wholeSeconds }
    /// How far the `exp` of a signed request may be from its `nbf`, and its `nbf` behind us; 1 to 3600 whole seconds. The provider's
    /// replay store must keep what it claims for the leeway and 301 seconds longer, or the provider is not made.
    public var objectHorizon = Duration.seconds(3_600)
    var objectHorizonSeconds: Int { objectHorizon.wholeSeconds }
    /// The longest time that the user has, and what she has where a request names none; 1 to 86400 whole seconds.
    public var lifetime = Duration.seconds(300)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// How long a client waits between two questions; 1 to 300 whole seconds.
    public var interval = Duration.seconds(5)
    var intervalSeconds: Int { interval.wholeSeconds }
    /// The most bytes of a `binding_message`: it stands on a small screen beside another (7.1); 1 to 1024.
    public var maxBindingMessageBytes = 128
    /// Whether an ID Token must name the request that it answers, as it must where tokens are pushed (10.3.1); one that names
    /// another is rejected in any case, and ours always name it.
    public var requiresRequestID = false
    /// What a client assertion at this endpoint may have as `aud` besides the issuer; an endpoint's
    /// URL must be a string.
    ///
    /// CIBA Core, 7.1, asks a provider to accept the issuer, the token endpoint and this endpoint.
    /// The default is narrower on purpose: see `PushedRequestRules.otherAudiences`.
    public var otherAudiences: [MessageAudience] = []

    /// Five minutes for the user, a question each five seconds.
    public init() {}

    /// Throws `misuse` for a number that is out of its range.
    func checkNumbers() throws(JOSEError) {
        guard 1...3_600 ~= objectLifetimeSeconds, 1...3_600 ~= objectHorizonSeconds else {
            throw .misuse("a signed backchannel request lives 1 to 3600 seconds")
        }
        guard 1...86_400 ~= lifetimeSeconds, 1...300 ~= intervalSeconds else {
            throw .misuse("a user has 1 to 86400 seconds, and a client asks each 1 to 300")
        }
        guard 1...1_024 ~= maxBindingMessageBytes else {
            throw .misuse("a binding_message has 1 to 1024 bytes at the most")
        }
    }
}

/// How a client learns that its user decided (CIBA Core 1.0, 5). Tokens are pushed to nobody.
public enum BackchannelDelivery: String, Sendable, Hashable, Codable {
    /// It asks the token endpoint again and again.
    case poll
    /// It is told, and then asks the token endpoint.
    case ping
}
