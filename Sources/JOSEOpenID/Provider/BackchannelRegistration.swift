// How a client registered that it asks for its users (CIBA Core 1.0, 4).

public import JOSE

/// A client's registration for backchannel authentication.
public struct BackchannelRegistration: Sendable {
    /// How the client learns that its user decided.
    public enum DeliveryMode: Sendable {
        /// `poll`.
        case poll
        /// `ping`, at this `backchannel_client_notification_endpoint`.
        case ping(String)
    }

    /// `backchannel_token_delivery_mode`.
    public var deliveryMode: DeliveryMode
    /// `backchannel_authentication_request_signing_alg`: the one algorithm of its signed requests; nil for any of the profile.
    public var signingAlgorithm: SignatureAlgorithm?
    /// Whether its requests must be signed, whatever the profile says.
    public var requiresSignedRequest = false
    /// `backchannel_user_code_parameter`: whether it sends a `user_code`.
    public var sendsUserCode = false

    /// A registration.
    public init(_ deliveryMode: DeliveryMode = .poll) { self.deliveryMode = deliveryMode }

    var delivery: BackchannelDelivery {
        switch deliveryMode {
        case .poll: .poll
        case .ping: .ping
        }
    }

    /// Throws `misuse` for an endpoint that nobody can call.
    func check() throws(JOSEError) {
        guard case .ping(let url) = deliveryMode else { return }
        guard WebURL(url) != nil else {
            throw .misuse("backchannel_client_notification_endpoint must be an https address")
        }
    }
}
