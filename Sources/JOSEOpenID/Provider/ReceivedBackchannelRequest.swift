// A backchannel authentication request that a provider accepted, or rejected with an answer (CIBA Core 1.0, 7).

public import JOSE
import JOSEBytes

/// An accepted request: find the user by `hint`, judge her `userCode`, and let it wait: `RegisteredClient.pending`.
public struct ReceivedBackchannelRequest: Sendable, Codable {
    /// As an authorization request without a browser: its `redirectURI` and `state` are empty.
    let request: ReceivedAuthorization
    let delivery: BackchannelDelivery

    /// The client.
    public var clientID: String { request.clientID }
    /// The issuer of the provider that accepted it.
    public var issuer: String { request.issuer }
    /// Every parameter that counts.
    public var parameters: OpenIDParameters { request.parameters }
    /// Whether a signed object carried every parameter.
    public var isSigned: Bool { request.isSigned }
    /// `scope`, as words.
    public var scopes: [String] { request.scopes }
    /// `acr_values`; what the user must do for it is what `RegisteredClient.acr(for:)` tells.
    public var acrValues: [String] { request.acrValues }
    /// `resource`, in order: what the access token is to be for (RFC 8707).
    public var resources: [String] { request.resources }
    /// `authorization_details`: a JSON array of objects, each with its `type` (RFC 9396, 2).
    public var authorizationDetails: JSONValue? { request.authorizationDetails }
    /// Who the user is, as the client says: unverified, an ID Token too (`RegisteredClient.subject(ofHint:at:)`).
    public var hint: UserHint? { UserHint(parameters) }
    /// `binding_message`: show it to the user.
    public var bindingMessage: String? { parameters["binding_message"] }
    /// `user_code`, where the client registered that it sends one.
    public var userCode: String? { parameters["user_code"] }
    /// `requested_expiry`, in seconds.
    public var requestedExpirySeconds: Int64? {
        parameters["requested_expiry"].flatMap { Int64($0) }
    }
    /// What to show when the client is called.
    var notificationToken: String? { parameters["client_notification_token"] }
}

extension ReceivedBackchannelRequest: RedactedDescription {
    package var shownAs: String { "received backchannel request" }
}
