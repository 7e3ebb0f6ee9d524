// What this site asks for: as much as the profile lets it.

import Agreement
import JOSE
import JOSEOpenID

extension Agreement {
    /// The request of a login; `name` is the end of the address of its request object, where it has one.
    func loginRequest(_ name: String) -> AuthorizationRequest {
        let rules = profile.authorization
        var request = AuthorizationRequest(
            scopes: rules.requiredScopes + (rules.optionalScopes ?? ["profile", "email"]))
        if rules.requiresServiceScope { request.serviceCode = "LOGIN" }
        if rules.acr.methodPrefix != nil {
            // Signicat: a method, and the hints of one kind of operation.
            request = .mobileIDAuthentication(
                method: "inapp", deviceID: "device-1", externalReference: "user-1")
        } else if let strongest = rules.acr.weakestFirst.last {
            request.acrValues = [strongest]
        }
        request.claims = requestedClaims
        if rules.supportsAppSwitch {
            // Nets: the app that MitID's app comes back to; a browser on a desk passes over it.
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
    /// Card, device and transaction, by the names of the profile's guide; nil where it has none of them.
    private var requestedClaims: ClaimsRequest? {
        let names = profile.userInfo.names
        let wanted = [
            names.identityCard, names.cardSerialNumber, names.nationalNumber, names.device,
            names.transaction,
        ].compactMap { $0?.requested }
        guard !wanted.isEmpty else { return nil }
        return ClaimsRequest(
            userInfo: Dictionary(wanted.map { ($0, .voluntary) }, uniquingKeysWith: { a, _ in a }))
    }
}
