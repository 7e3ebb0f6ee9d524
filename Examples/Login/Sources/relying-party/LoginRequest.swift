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
        if let prefix = rules.context.methodPrefix {
            request.contexts = [prefix + "inapp"]
        } else if let strongest = rules.context.weakestFirst.last {
            request.contexts = [strongest]
        }
        // A code that travels in a form stands in no address, so in no log and no history.
        if rules.responseModes.contains(.formPost) { request.responseMode = .formPost }
        if requestsByReference { request.delivery = .byReference(requestObjects + name) }
        return request
    }
}
