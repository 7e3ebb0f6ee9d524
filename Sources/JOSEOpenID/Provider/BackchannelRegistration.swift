// A client's registration for backchannel authentication (CIBA Core 1.0, 4).

public import JOSE

/// A client's registration for backchannel authentication.
public struct BackchannelRegistration: Sendable {
    /// How the client learns of the user's decision.
    public enum DeliveryMode: Sendable {
        /// The client polls the token endpoint.
        case poll
        /// `ping`, with this `backchannel_client_notification_endpoint`.
        case ping(String)
    }

    /// `backchannel_token_delivery_mode`.
    public var deliveryMode: DeliveryMode
    /// `backchannel_authentication_request_signing_alg`: the only accepted algorithm for signed
    /// requests; nil for all algorithms of the profile.
    public var signingAlgorithm: SignatureAlgorithm?
    /// Whether requests must be signed, even if the profile does not require it.
    public var requiresSignedRequest = false
    /// `backchannel_user_code_parameter`: whether the client sends a `user_code`.
    public var sendsUserCode = false

    /// Creates a registration.
    public init(_ deliveryMode: DeliveryMode = .poll) { self.deliveryMode = deliveryMode }

    var delivery: BackchannelDelivery {
        switch deliveryMode {
        case .poll: .poll
        case .ping: .ping
        }
    }

    func check() throws(JOSEError) {
        guard case .ping(let url) = deliveryMode else { return }
        guard WebURL(url) != nil else {
            throw .misuse("backchannel_client_notification_endpoint must be an https URL")
        }
    }
}
