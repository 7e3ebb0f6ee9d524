// What a relying party asks for, as a value; the profile judges it when it is started.

public import JOSE
import JOSEBytes

/// An authorization request before it is sent.
///
/// `RelyingParty.start` adds what belongs to every request: client, redirect address, fresh state, nonce and
/// code challenge.
public struct AuthorizationRequest: Sendable {
    /// Scopes besides `openid`, in order.
    public var scopes: [String]
    /// The service code: becomes the scope `service:<code>`.
    public var serviceCode: String?
    /// `acr_values`, in order.
    public var acrValues: [String]
    /// `ui_locales`, in order.
    public var locales: [String] = []
    /// `prompt`.
    public var prompt: [String] = []
    /// `display`.
    public var display: String?
    /// `login_hint`, one parameter each, in order.
    public var loginHints: [String] = []
    /// `resource`, one parameter each, in order: what the access token is to be for (RFC 8707).
    public var resources: [String] = []
    /// `max_age`, in whole seconds; the answer must then tell `auth_time`.
    public var maxAge: Duration?
    var maxAgeSeconds: Int64? { maxAge.map { Int64($0.wholeSeconds) } }
    /// `response_mode`; nil for the profile's usual one.
    public var responseMode: ResponseMode?
    /// `claims`.
    public var claims: ClaimsRequest?
    /// `authorization_details`, a JSON array of objects, each with its `type` (RFC 9396, 2).
    public var authorizationDetails: JSONValue?
    /// `idp_params`, a JSON object.
    public var identityProviderParameters: JSONValue?
    /// `dpop_jkt`: the thumbprint of the key that the code is bound to (RFC 9449, 10), `DPoPProver.keyThumbprint`.
    public var keyThumbprint: String?
    /// Whether to send a code challenge where the profile leaves it to the request.
    public var usesPKCE = false
    /// How the request travels; nil for the profile's way.
    public var delivery: RequestObjectDelivery?
    /// Further parameters, in order; none that has a member here or that the library sets.
    public var additional: [OpenIDParameter] = []

    /// A request.
    ///
    /// - Parameters:
    ///   - scopes: Scopes besides `openid`, in order.
    ///   - serviceCode: The service code: becomes the scope `service:<code>`.
    ///   - contexts: `acr_values`, in order.
    public init(scopes: [String] = [], serviceCode: String? = nil, acrValues: [String] = []) {
        self.scopes = scopes
        self.serviceCode = serviceCode
        self.acrValues = acrValues
    }
}

extension AuthorizationRequest {
    /// An app switch of MitID for `identityProviderParameters`.
    ///
    /// - Parameters:
    ///   - system: `ios` or `android`.
    ///   - url: Where the app comes back to.
    public static func appSwitch(system: String, url: String) -> JSONValue {
        [
            "mitid": [
                "enable_app_switch": true, "app_switch_os": .string(system),
                "app_switch_url": .string(url),
            ]
        ]
    }

    /// All parameters in the order in which they are sent.
    func parameters(_ fixed: FixedParameters) throws(JOSEError) -> OpenIDParameters {
        var scopes = ["openid"] + self.scopes.filter { !$0.isExactly("openid") }
        if let serviceCode { scopes.insert("service:" + serviceCode, at: 1) }
        var all = OpenIDParameters()
        all.append("response_type", "code")
        all.append("client_id", fixed.clientID)
        try all.append(scopes: scopes)
        all.append("redirect_uri", fixed.redirectURI)
        all.append("state", fixed.state)
        all.append("nonce", fixed.nonce)
        all.append("response_mode", fixed.responseMode?.rawValue)
        if let challenge = fixed.challenge {
            all.append("code_challenge", challenge)
            all.append("code_challenge_method", "S256")
        }
        all.append("acr_values", words: acrValues)
        all.append("prompt", words: prompt)
        all.append("display", display)
        all.append("max_age", maxAgeSeconds.map { String($0) })
        all.append("ui_locales", words: locales)
        for hint in loginHints { all.append("login_hint", hint) }
        for resource in resources { all.append("resource", resource) }
        all.append("dpop_jkt", keyThumbprint)
        all.append("claims", try claims?.text())
        all.append("authorization_details", try authorizationDetails?.text())
        all.append("idp_params", try identityProviderParameters?.text())
        for parameter in additional {
            guard !(KnownParameter.named(parameter.name)?.isOwn ?? false) else {
                throw .misuse("an additional parameter has the name of one that the library says")
            }
            guard all[parameter.name] == nil else {
                throw .misuse("an additional parameter has the name of one that is there already")
            }
            all.append(parameter.name, parameter.value)
        }
        return all
    }
}

/// What `start` adds to a request.
struct FixedParameters {
    var clientID: String
    var redirectURI: String
    var state: String
    var nonce: String
    var challenge: String?
    /// Nil where nothing is sent: then the answer comes in the query.
    var responseMode: ResponseMode?
}

extension AuthorizationRequest: RedactedDescription {
    package var shownAs: String { "authorization request" }
}
