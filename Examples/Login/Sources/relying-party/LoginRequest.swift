// The authorization request of this site: all claims that the profile allows.

import Agreement
import JOSE
import JOSEOpenID

extension Agreement {
    /// Creates the request of a login.
    ///
    /// - Parameter name: The last path segment of the request object's URL.
    func loginRequest(_ name: String) -> AuthorizationRequest {
        let rules = profile.authorization
        var request = AuthorizationRequest(
            scopes: rules.requiredScopes + (rules.optionalScopes ?? ["profile", "email"]))
        if rules.requiresServiceScope { request.serviceCode = "LOGIN" }
        if rules.acr.methodPrefix != nil {
            // Signicat: a method and the hints of one operation.
            request = .mobileIDAuthentication(
                method: "inapp", deviceID: "device-1", externalReference: "user-1")
        } else if let strongest = rules.acr.weakestFirst.last {
            request.acrValues = [strongest]
        }
        request.claims = requestedClaims
        if rules.supportsAppSwitch {
            // Nets: the app that MitID's app returns to. Desktop browsers ignore it.
            request.identityProviderParameters = AuthorizationRequest.appSwitch(
                system: "ios", url: site + "/app")
        }
        if bindsTokens {
            request.scopes.append("accounts")
            request.resources = [accounts]
        }
        if requestsByReference { request.delivery = .byReference(requestObjects + name) }
        return request
    }

    /// The claims about card, device and transaction; nil if the profile has none.
    private var requestedClaims: ClaimsRequest? {
        let names = profile.userInfo.names
        let requested = [
            names.identityCard, names.cardSerialNumber, names.nationalNumber, names.device,
            names.transaction,
        ].compactMap { $0?.requested }
        guard !requested.isEmpty else { return nil }
        return ClaimsRequest(
            userInfo: Dictionary(
                requested.map { ($0, .voluntary) }, uniquingKeysWith: { a, _ in a }))
    }
}
