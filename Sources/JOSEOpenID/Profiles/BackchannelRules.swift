// The rules for backchannel authentication (CIBA Core 1.0).

import JOSE

/// The rules for CIBA. A provider supports CIBA if its metadata have the endpoint.
public struct BackchannelRules: Sendable {
    /// Whether every request must be signed.
    public var requiresSignedRequest = false
    /// The header of a signed request.
    public var header = TokenHeaderRules(registered: "oauth-authz-req+jwt")
    /// The lifetime of a signed request that the client makes; 1 to 3600 whole seconds.
    public var objectLifetime = Duration.seconds(300)
    var objectLifetimeSeconds: Int { objectLifetime.wholeSeconds }
    /// The maximum time from `nbf` to `exp` of a signed request, and the maximum age of `nbf`, to
    /// which the leeway is added; 1 to 3600 whole seconds. The replay store must keep entries for
    /// the leeway and 301 seconds longer.
    public var maxObjectValidity = Duration.seconds(3_600)
    var maxObjectValiditySeconds: Int { maxObjectValidity.wholeSeconds }
    /// The maximum time for the user's decision, 1 to 86400 whole seconds. A request without
    /// `requested_expiry` gets this time.
    public var lifetime = Duration.seconds(300)
    var lifetimeSeconds: Int { lifetime.wholeSeconds }
    /// The minimum time between two polls; 1 to 300 whole seconds.
    public var interval = Duration.seconds(5)
    var intervalSeconds: Int { interval.wholeSeconds }
    /// The maximum size of a `binding_message`, which is for small screens (CIBA Core 1.0, 7.1); 1
    /// to 1024 bytes.
    public var maxBindingMessageBytes = 128
    /// Whether an ID Token must contain the `auth_req_id`, as in push mode (CIBA Core 1.0, 10.3.1).
    /// A wrong one is always rejected, and a provider always writes it.
    public var requiresRequestID = false
    /// Further values for the `aud` of a client assertion at this endpoint, in addition to the
    /// issuer. An `aud` with an endpoint's URL must be a JSON string, not an array.
    ///
    /// CIBA Core, 7.1, asks a provider to accept the issuer, the token endpoint and this endpoint.
    /// The default is stricter on purpose: see `PushedRequestRules.otherAudiences`.
    public var otherAudiences: [MessageAudience] = []

    /// Creates rules with the default values.
    public init() {}

    func checkNumbers() throws(JOSEError) {
        guard 1...3_600 ~= objectLifetimeSeconds, 1...3_600 ~= maxObjectValiditySeconds else {
            throw .misuse(
                "backchannel.objectLifetime and maxObjectValidity must be 1 to 3600 seconds")
        }
        guard 1...86_400 ~= lifetimeSeconds, 1...300 ~= intervalSeconds else {
            throw .misuse("backchannel.lifetime must be 1 to 86400 seconds, interval 1 to 300")
        }
        guard 1...1_024 ~= maxBindingMessageBytes else {
            throw .misuse("backchannel.maxBindingMessageBytes must be 1 to 1024")
        }
    }
}

/// How a client learns of the user's decision (CIBA Core 1.0, 5). Push mode is not supported.
public enum BackchannelDelivery: String, Sendable, Hashable, Codable {
    /// The client polls the token endpoint.
    case poll
    /// The provider notifies the client, which then sends a token request.
    case ping
}
