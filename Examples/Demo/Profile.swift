// The profiles of the demo: one row each, with what its relying party requests.

import JOSE
import JOSEOpenID

/// A profile under the name that `--profile` knows.
struct Profile: Sendable {
    let name: String
    let rules: OpenIDProfile
    let issuer: String
    let request: AuthorizationRequest
    /// What the provider states about the user besides `sub`.
    let facts: [String: JSONValue]

    static let all = [
        Profile(
            name: "itsme0", rules: .itsme0, issuer: "https://idp.example/oidc", request: oldest,
            facts: ["tag:itsmetag:sixdots.be,2016-06:claim_nationality": "BE"]),
        Profile(
            name: "itsme1", rules: .itsme1, issuer: "https://idp.example/oidc",
            request: itsme("tag:sixdots.be,2016-06:acr_advanced"),
            facts: ["tag:sixdots.be,2016-06:claim_nationality": "BE"]),
        Profile(
            name: "itsme2", rules: .itsme2, issuer: "https://idp.example/v2",
            request: itsme("http://itsme.services/v2/claim/acr_advanced"),
            facts: ["http://itsme.services/v2/claim/claim_citizenship": "BE"]),
        Profile(
            name: "signicat", rules: .signicatMobileID, issuer: "https://mobileid.example",
            request: .mobileIDAuthentication(
                method: "inapp", deviceID: "phone", externalReference: "user-1"),
            facts: ["deviceName": "phone"]),
        Profile(
            name: "nets", rules: .netsEIDBroker, issuer: "https://broker.example", request: nets,
            facts: ["name": "Zoë"]),
        Profile(
            name: "openid", rules: .openID, issuer: "https://op.example",
            request: AuthorizationRequest(), facts: ["name": "Zoë"]),
        Profile(
            name: "fapi2", rules: .fapi2, issuer: "https://bank.example", request: accounts,
            facts: ["name": "Zoë"]),
        Profile(
            name: "fapi2-message-signing", rules: .fapi2MessageSigning,
            issuer: "https://bank.example", request: accounts, facts: ["name": "Zoë"]),
    ]

    private static func itsme(_ acr: String) -> AuthorizationRequest {
        var request = AuthorizationRequest(serviceCode: "LOGIN", acrValues: [acr])
        request.locales = ["en"]
        request.delivery = .byValue
        return request
    }

    /// The oldest guide requests an ACR by the claims request, which the object signs.
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

    /// What a bank's customer lets a client do.
    private static let accounts: AuthorizationRequest = {
        var request = AuthorizationRequest(scopes: ["accounts"])
        request.resources = [TestEnvironment.resource]
        return request
    }()
}

extension OpenIDProfile {
    /// Whether the authorization response is a signed token (JARM).
    var signsResponses: Bool { authorization.responseModes.contains(where: \.isSigned) }

    /// Whether any message is encrypted.
    var encrypts: Bool {
        idToken.layers == .signedThenEncrypted || userInfo.layers == .signedThenEncrypted
            || requestObject.layers == .signedThenEncrypted
            || client.authentication == .assertion(.signedThenEncrypted)
    }
}
