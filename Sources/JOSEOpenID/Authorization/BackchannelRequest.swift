// What a client asks of a provider about a user who is not at a browser of its own, as a value (CIBA Core 1.0, 7.1).

public import JOSE
import JOSEBytes

/// Who the user is, as the client knows it: one of three ways.
public enum UserHint: Sendable, Hashable {
    /// `login_hint`: a name that the provider knows, such as a telephone number.
    case name(String)
    /// `login_hint_token`: a token that tells it, as the two sides agreed.
    case token(String)
    /// `id_token_hint`: an ID Token of this provider for this client, signed and not encrypted.
    case idToken(String)

    var parameter: OpenIDParameter {
        switch self {
        case .name(let text): OpenIDParameter("login_hint", text)
        case .token(let text): OpenIDParameter("login_hint_token", text)
        case .idToken(let text): OpenIDParameter("id_token_hint", text)
        }
    }

    static let names = ["login_hint", "login_hint_token", "id_token_hint"]

    /// The one hint of a request; nil where there is none, or more than one.
    init?(_ parameters: OpenIDParameters) {
        let all = UserHint.names.map { parameters.values($0) }
        guard all.reduce(0, { $0 + $1.count }) == 1, all.allSatisfy({ $0.first != "" }) else {
            return nil
        }
        if let text = all[0].first {
            self = .name(text)
        } else if let text = all[1].first {
            self = .token(text)
        } else if let text = all[2].first {
            self = .idToken(text)
        } else {
            return nil
        }
    }
}

extension UserHint {
    /// The same hint, byte for byte.
    public static func == (a: UserHint, b: UserHint) -> Bool { a.parameter == b.parameter }
    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(parameter) }
}

extension UserHint: RedactedDescription {
    package var shownAs: String { "user hint" }
}

/// A backchannel authentication request before it is sent.
public struct BackchannelRequest: Sendable {
    /// Who the user is.
    public var hint: UserHint
    /// Scopes besides `openid`, in order.
    public var scopes: [String]
    /// `acr_values`, in order.
    public var acrValues: [String] = []
    /// `binding_message`: what the user sees on both her devices.
    public var bindingMessage: String?
    /// `user_code`: what only she and the provider know.
    public var userCode: String?
    /// `requested_expiry`: how long she is to have, in whole seconds.
    public var requestedExpiry: Duration?
    var requestedExpirySeconds: Int64? { requestedExpiry.map { Int64($0.wholeSeconds) } }
    /// `resource`, in order: what the access token is to be for (RFC 8707).
    public var resources: [String] = []
    /// `authorization_details`, a JSON array of objects, each with its `type` (RFC 9396, 2).
    public var authorizationDetails: JSONValue?
    /// How we learn that she decided.
    public var delivery: BackchannelDelivery = .poll
    /// Whether the request travels in a signed object; nil for the profile's way.
    public var isSigned: Bool?
    /// The `sub` that the tokens must be of, where it is known, as with the ID Token of a hint.
    public var subject: String?
    /// Further parameters, in order; none that has a member here, that the library sets, or that
    /// belongs to a browser's request, such as `max_age` and `prompt`: `misuse`. `claims` is
    /// allowed, and the ID Token must satisfy its demands.
    public var additional: [OpenIDParameter] = []

    /// A request.
    ///
    /// - Parameters:
    ///   - hint: Who the user is.
    ///   - scopes: Scopes besides `openid`, in order.
    public init(_ hint: UserHint, scopes: [String] = []) {
        self.hint = hint
        self.scopes = scopes
    }

    /// All parameters in the order in which they are sent.
    ///
    /// - Parameter notificationToken: What the provider shows when it calls us; nil where it does not call.
    func parameters(notificationToken: String?) throws(JOSEError) -> OpenIDParameters {
        var all = OpenIDParameters()
        try all.append(scopes: ["openid"] + scopes.filter { !$0.isExactly("openid") })
        all.append("client_notification_token", notificationToken)
        all.append("acr_values", words: acrValues)
        all.append(hint.parameter.name, hint.parameter.value)
        all.append("binding_message", bindingMessage)
        all.append("user_code", userCode)
        all.append("requested_expiry", requestedExpirySeconds.map { String($0) })
        for resource in resources { all.append("resource", resource) }
        all.append("authorization_details", try authorizationDetails?.text())
        for parameter in additional {
            guard !BackchannelParameters.isOwn(parameter.name) else {
                throw .misuse(
                    "an additional parameter is the library's own, or no backchannel request has it"
                )
            }
            guard all[parameter.name] == nil else {
                throw .misuse("an additional parameter is there twice")
            }
            all.append(parameter.name, parameter.value)
        }
        return all
    }
}

extension BackchannelRequest: RedactedDescription {
    package var shownAs: String { "backchannel request" }
}
