// The profiles of the demo: one row each, with what its relying party asks for.

import JOSE
import JOSEBytes
import JOSEOpenID

/// A profile under the name that `--profile` knows.
struct DemoProfile: Sendable {
    let name: String
    let profile: OpenIDProfile
    let issuer: String
    let request: AuthorizationRequest
    /// What the provider tells of the user besides `sub`.
    let facts: [String: JSONValue]

    static let all = [
        DemoProfile(
            name: "itsme0", profile: .itsme0, issuer: "https://idp.example/oidc",
            request: oldest, facts: ["tag:itsmetag:sixdots.be,2016-06:claim_nationality": "BE"]),
        DemoProfile(
            name: "itsme1", profile: .itsme1, issuer: "https://idp.example/oidc",
            request: itsme("tag:sixdots.be,2016-06:acr_advanced"),
            facts: ["tag:sixdots.be,2016-06:claim_nationality": "BE"]),
        DemoProfile(
            name: "itsme2", profile: .itsme2, issuer: "https://idp.example/v2",
            request: itsme("http://itsme.services/v2/claim/acr_advanced"),
            facts: ["http://itsme.services/v2/claim/claim_citizenship": "BE"]),
        DemoProfile(
            name: "signicat", profile: .signicatMobileID, issuer: "https://mobileid.example",
            request: signicat, facts: ["deviceName": "phone"]),
        DemoProfile(
            name: "nets", profile: .netsEIDBroker, issuer: "https://broker.example",
            request: nets, facts: ["name": "Zoë"]),
        DemoProfile(
            name: "openid", profile: .openID, issuer: "https://op.example",
            request: AuthorizationRequest(), facts: ["name": "Zoë"]),
        DemoProfile(
            name: "fapi2", profile: .fapi2, issuer: "https://bank.example", request: accounts,
            facts: ["name": "Zoë"]),
        DemoProfile(
            name: "fapi2-message-signing", profile: .fapi2MessageSigning,
            issuer: "https://bank.example", request: accounts, facts: ["name": "Zoë"]),
    ]

    /// What access tokens are for that are bound to a key.
    static let resource = "https://api.example"

    /// The one that is shown where none is named.
    static let usual = "itsme2"

    /// The profile of that name, which the parser knows to be one.
    static func named(_ name: String) -> DemoProfile { all.first { $0.name == name } ?? all[0] }

    private static func itsme(_ context: String) -> AuthorizationRequest {
        var request = AuthorizationRequest(serviceCode: "LOGIN", contexts: [context])
        request.locales = ["en"]
        request.delivery = .byValue
        return request
    }

    /// The oldest guide asks for a context by the claims request, which the object signs.
    private static let oldest: AuthorizationRequest = {
        var request = AuthorizationRequest(serviceCode: "LOGIN")
        request.claims = ClaimsRequest(
            userInfo: ["tag:itsmetag:sixdots.be,2016-06:claim_nationality": .voluntary],
            idToken: ["acr": .value(["tag:itsmetag:sixdots.be,2016-06:acr_advanced"])])
        request.delivery = .byValue
        return request
    }()

    private static let signicat = AuthorizationRequest.mobileIDAuthentication(
        method: "inapp", deviceID: "phone", externalReference: "user-1")

    /// What a bank's customer lets a client do.
    private static let accounts: AuthorizationRequest = {
        var request = AuthorizationRequest(scopes: ["accounts"])
        request.resources = [DemoProfile.resource]
        return request
    }()

    private static let nets: AuthorizationRequest = {
        var request = AuthorizationRequest()
        request.identityProviderParameters = AuthorizationRequest.appSwitch(
            system: "ios", url: "https://rp.example/app")
        return request
    }()
}

extension TokenLayers {
    var words: String { self == .signed ? "signed" : "signed, then encrypted" }

    /// The algorithms that the profile prefers for these layers.
    func algorithms(_ rules: AlgorithmRules) -> String {
        let signature = rules.signature.first?.description ?? ""
        guard self == .signedThenEncrypted else { return signature }
        let key = rules.keyManagement.first?.description ?? ""
        return "\(signature) inside \(key) with \(rules.content.first?.description ?? "")"
    }
}
