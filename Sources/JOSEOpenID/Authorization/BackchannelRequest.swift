// A backchannel authentication request before `RelyingParty` checks and sends it.

public import JOSE
import JOSEBytes

/// The hint that identifies the user of a backchannel request.
public enum UserHint: Sendable, Hashable {
    /// `login_hint`: an identifier that the provider knows, such as a telephone number.
    case name(String)
    /// `login_hint_token`: a token in a format that client and provider agreed on.
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

    /// Nil unless the request has exactly one non-empty hint.
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
    /// Compares strings byte by byte.
    public static func == (a: UserHint, b: UserHint) -> Bool { a.parameter == b.parameter }
    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(parameter) }
}

/// A backchannel authentication request (CIBA Core 1.0, 7.1) for `RelyingParty.backchannel`.
public struct BackchannelRequest: Sendable {
    /// The hint that identifies the user.
    public var hint: UserHint
    /// Scopes in addition to `openid`, in order.
    public var scopes: [String]
    /// `acr_values`, in order.
    public var acrValues: [String] = []
    /// `binding_message`: a text that the user sees on the client and on the authentication device.
    public var bindingMessage: String?
    /// `user_code`: a secret that only the user and the provider know.
    public var userCode: String?
    /// `requested_expiry`: the requested lifetime, in whole seconds.
    public var requestedExpiry: Duration?
    /// `resource` in order, one parameter per resource of the access token (RFC 8707).
    public var resources: [String] = []
    /// `authorization_details`, a JSON array of objects, each with its `type` (RFC 9396, 2).
    public var authorizationDetails: JSONValue?
    /// How the client learns that the user has decided.
    public var delivery: BackchannelDelivery = .poll
    /// Whether to send a signed request; nil for the profile's
    /// `backchannel.requiresSignedRequest`.
    public var isSigned: Bool?
    /// The `sub` that the ID Token must have; nil if unknown. Set it for a hint of `.idToken`.
    public var subject: String?
    /// Additional parameters in order. A parameter is `misuse` if it has a property here, the
    /// library sets it, or it belongs to a browser login, such as `max_age` and `prompt`. `claims`
    /// is allowed: the ID Token must satisfy it.
    public var additional: [OpenIDParameter] = []

    /// Creates a request; see the properties.
    public init(_ hint: UserHint, scopes: [String] = []) {
        self.hint = hint
        self.scopes = scopes
    }

    /// `notificationToken` authenticates the provider's notification; nil for poll.
    func parameters(notificationToken: String?) throws(JOSEError) -> OpenIDParameters {
        var all = OpenIDParameters()
        try all.append(scopes: ["openid"] + scopes.filter { !$0.isExactly("openid") })
        all.append("client_notification_token", notificationToken)
        all.append("acr_values", words: acrValues)
        all.append(hint.parameter.name, hint.parameter.value)
        all.append("binding_message", bindingMessage)
        all.append("user_code", userCode)
        all.append("requested_expiry", requestedExpiry.map { String($0.wholeSeconds) })
        for resource in resources { all.append("resource", resource) }
        all.append("authorization_details", try authorizationDetails?.text())
        for parameter in additional {
            guard !BackchannelParameters.isReserved(parameter.name) else {
                throw .misuse(
                    "an additional parameter is set by the library or belongs to a browser login")
            }
            guard all[parameter.name] == nil else {
                throw .misuse("an additional parameter is set twice")
            }
            all.append(parameter.name, parameter.value)
        }
        return all
    }
}

extension UserHint: RedactedDescription {}
extension BackchannelRequest: RedactedDescription {}
