// The profiles of the demo, each with an authorization request.

import JOSE
import JOSEOpenID

/// A profile of the demo.
struct Profile: Sendable {
    /// The value of `--profile`.
    let name: String
    let rules: OpenIDProfile
    let issuer: String
    let request: AuthorizationRequest
    /// The claims of UserInfo besides `sub`.
    let claims: [String: JSONValue]

    static let all = [
        Profile(
            name: "itsme0", rules: .itsme0, issuer: "https://idp.example/oidc", request: oldest,
            claims: ["tag:itsmetag:sixdots.be,2016-06:claim_nationality": "BE"]),
        Profile(
            name: "itsme1", rules: .itsme1, issuer: "https://idp.example/oidc",
            request: itsme("tag:sixdots.be,2016-06:acr_advanced"),
            claims: ["tag:sixdots.be,2016-06:claim_nationality": "BE"]),
        Profile(
            name: "itsme2", rules: .itsme2, issuer: "https://idp.example/v2",
            request: itsme("http://itsme.services/v2/claim/acr_advanced"),
            claims: ["http://itsme.services/v2/claim/claim_citizenship": "BE"]),
        Profile(
            name: "signicat", rules: .signicatMobileID, issuer: "https://mobileid.example",
            request: .mobileIDAuthentication(
                method: "inapp", deviceID: "phone", externalReference: "user-1"),
            claims: ["deviceName": "phone"]),
        Profile(
            name: "nets", rules: .netsEIDBroker, issuer: "https://broker.example", request: nets,
            claims: ["name": "Zoë"]),
        Profile(
            name: "openid", rules: .openID, issuer: "https://op.example",
            request: AuthorizationRequest(), claims: ["name": "Zoë"]),
        Profile(
            name: "fapi2", rules: .fapi2, issuer: "https://bank.example", request: accounts,
            claims: ["name": "Zoë"]),
        Profile(
            name: "fapi2-message-signing", rules: .fapi2MessageSigning,
            issuer: "https://bank.example", request: accounts, claims: ["name": "Zoë"]),
    ]

    private static func itsme(_ acr: String) -> AuthorizationRequest {
        var request = AuthorizationRequest(serviceCode: "LOGIN", acrValues: [acr])
        request.locales = ["en"]
        request.delivery = .byValue
        return request
    }

    /// The oldest guide requests an `acr` by the claims request, inside the request object.
    private static let oldest: AuthorizationRequest = {
        var request = AuthorizationRequest(serviceCode: "LOGIN")
        request.claims = ClaimsRequest(
            userInfo: ["tag:itsmetag:sixdots.be,2016-06:claim_nationality": .voluntary],
            idToken: ["acr": .value(["tag:itsmetag:sixdots.be,2016-06:acr_advanced"])])
        request.delivery = .byValue
        return request
    }()

    private static let nets: AuthorizationRequest = {
        var request = AuthorizationRequest()
        request.identityProviderParameters = AuthorizationRequest.appSwitch(
            system: "ios", url: "https://rp.example/app")
        return request
    }()

    /// Requests access to a customer's accounts.
    private static let accounts: AuthorizationRequest = {
        var request = AuthorizationRequest(scopes: ["accounts"])
        request.resources = [DemoEnvironment.resource]
        return request
    }()
}

extension OpenIDProfile {
    /// Whether authorization responses are signed (JARM).
    var signsResponses: Bool { authorization.responseModes.contains(where: \.isSigned) }

    /// Whether any message is encrypted.
    var encrypts: Bool {
        idToken.layers == .signedThenEncrypted || userInfo.layers == .signedThenEncrypted
            || requestObject.layers == .signedThenEncrypted
            || client.authentication == .assertion(.signedThenEncrypted)
    }
}
