// A backchannel authentication request that a provider accepted (CIBA Core 1.0, 7).

public import JOSE
import JOSEBytes

/// An accepted backchannel request. Find the user by `hint`, check the `userCode`, and store the
/// result of `RegisteredClient.pending(_:at:)`.
public struct ReceivedBackchannelRequest: Sendable, Codable {
    /// An authorization request with the parameters of this request. Its `redirectURI` is empty.
    let request: ReceivedAuthorization
    let delivery: BackchannelDelivery

    /// The client's `client_id`.
    public var clientID: String { request.clientID }
    /// The issuer of the provider that accepted the request.
    public var issuer: String { request.issuer }
    /// The effective parameters.
    public var parameters: OpenIDParameters { request.parameters }
    /// Whether all parameters were signed.
    public var isSigned: Bool { request.isSigned }
    /// The values of `scope`.
    public var scopes: [String] { request.scopes }
    /// The values of `acr_values`, then those of `claims`; see `RegisteredClient.acr(for:)`.
    public var acrValues: [String] { request.acrValues }
    /// The values of `resource`, in order: the audience of the access token (RFC 8707).
    public var resources: [String] { request.resources }
    /// `authorization_details`: a JSON array of objects, each with its `type` (RFC 9396, 2).
    public var authorizationDetails: JSONValue? { request.authorizationDetails }
    /// The hint by which to find the user, unverified. `RegisteredClient.subject(ofHint:)` verifies
    /// an ID Token.
    public var hint: UserHint? { UserHint(parameters) }
    /// `binding_message`, to show to the user.
    public var bindingMessage: String? { parameters["binding_message"] }
    /// `user_code`, if the client registered to send it.
    public var userCode: String? { parameters["user_code"] }
    /// `requested_expiry`, in seconds.
    public var requestedExpirySeconds: Int64? {
        parameters["requested_expiry"].flatMap { Int64($0) }
    }
    /// The bearer token for the notification of the client.
    var notificationToken: String? { parameters["client_notification_token"] }
}

extension ReceivedBackchannelRequest: RedactedDescription {}
