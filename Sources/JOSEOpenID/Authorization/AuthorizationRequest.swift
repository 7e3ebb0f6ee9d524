// An authorization request before `RelyingParty` checks and sends it.

public import JOSE
import JOSEBytes

/// An authorization request. `RelyingParty.start` adds `response_type`, `client_id`,
/// `redirect_uri`, the scope `openid`, `state`, `nonce` and, with PKCE, `code_challenge`.
public struct AuthorizationRequest: Sendable {
    /// Scopes in addition to `openid`, in order.
    public var scopes: [String]
    /// The service code, sent as the scope `service:<code>`.
    public var serviceCode: String?
    /// `acr_values`, in order.
    public var acrValues: [String]
    /// `ui_locales`, in order.
    public var locales: [String] = []
    /// `prompt`: whether the provider asks the user to sign in or consent again, such as `login`.
    public var prompt: [String] = []
    /// `display`: how the provider shows its pages, such as `touch`.
    public var display: String?
    /// `login_hint` in order, one parameter per hint.
    public var loginHints: [String] = []
    /// `resource` in order, one parameter per resource of the access token (RFC 8707).
    public var resources: [String] = []
    /// `max_age`, in whole seconds. The ID Token must then have `auth_time`.
    public var maxAge: Duration?
    var maxAgeSeconds: Int64? { maxAge.map { Int64($0.wholeSeconds) } }
    /// `response_mode`; nil for the profile's `defaultResponseMode`.
    public var responseMode: ResponseMode?
    /// `claims`: individual claims to request (OpenID Connect Core, 5.5).
    public var claims: ClaimsRequest?
    /// `authorization_details`, a JSON array of objects, each with its `type` (RFC 9396, 2).
    public var authorizationDetails: JSONValue?
    /// `idp_params`, a JSON object.
    public var identityProviderParameters: JSONValue?
    /// `dpop_jkt`: the thumbprint of the key to bind the code to (RFC 9449, 10), such as
    /// `DPoPProver.keyThumbprint`.
    public var keyThumbprint: String?
    /// Whether to use PKCE if the profile does not require it.
    public var usesPKCE = false
    /// How the request is sent; nil for the profile's `requestObject.delivery`.
    public var delivery: RequestObjectDelivery?
    /// Additional parameters in order. Those with a property here or set by the library are
    /// rejected.
    public var additional: [OpenIDParameter] = []

    /// Creates a request; see the properties.
    public init(scopes: [String] = [], serviceCode: String? = nil, acrValues: [String] = []) {
        self.scopes = scopes
        self.serviceCode = serviceCode
        self.acrValues = acrValues
    }
}

extension AuthorizationRequest {
    /// Creates the `identityProviderParameters` of a MitID app switch.
    ///
    /// - Parameters:
    ///   - system: `ios` or `android`.
    ///   - url: The `https` URL that the MitID app returns to.
    public static func appSwitch(system: String, url: String) -> JSONValue {
        [
            "mitid": [
                "enable_app_switch": true, "app_switch_os": .string(system),
                "app_switch_url": .string(url),
            ]
        ]
    }

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
            guard !(KnownParameter.named(parameter.name)?.isReserved ?? false) else {
                throw .misuse(
                    "an additional parameter is set by the library, or is a property of the request"
                )
            }
            guard all[parameter.name] == nil else {
                throw .misuse("an additional parameter is set twice")
            }
            all.append(parameter.name, parameter.value)
        }
        return all
    }
}

/// The parameters that `RelyingParty` adds to a request.
struct FixedParameters {
    var clientID: String
    var redirectURI: String
    var state: String
    var nonce: String
    var challenge: String?
    /// Nil to omit `response_mode`: the response then comes in the query.
    var responseMode: ResponseMode?
}

extension AuthorizationRequest: RedactedDescription {}
