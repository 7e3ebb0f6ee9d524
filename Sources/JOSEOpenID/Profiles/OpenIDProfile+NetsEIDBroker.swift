// Nets eID Broker (MitID): signed requests, form_post to the backend, app switch by idp_params.

import JOSE

extension OpenIDProfile {
    /// Nets eID Broker, for MitID.
    ///
    /// Requests travel signed by value. One that does not may name an `app_switch_url` of its client's own list only:
    /// `ClientRegistration.appSwitchURIs`, and the same for `RelyingParty`. In a signed object `idp_params` is a JSON object; for
    /// a broker that expects a string, set `requestObject.textParameters` to `["idp_params"]`.
    ///
    /// The guide of the app switch leaves open what follows, so it is an assumption of ours, to be
    /// compared with what the broker tells you of your client: `private_key_jwt` as the client's
    /// authentication, RS256, `aud` of a request object and of an assertion the issuer, UserInfo as
    /// JSON, PKCE where a request asks for it.
    public static let netsEIDBroker: OpenIDProfile = {
        var authorization = AuthorizationRules()
        authorization.requiresState = true
        authorization.requiresNonce = true
        authorization.requiresPKCE = false
        authorization.supportsAppSwitch = true
        // The answer goes to the backend of the app, as a form: the app is no part of it.
        authorization.defaultResponseMode = .formPost
        authorization.fixesResponseMode = true
        authorization.acr.voluntaryIsBinding = true
        authorization.requiresHTTPSRedirect = true
        var requestObject = RequestObjectRules(layers: .signed, audience: .issuer)
        requestObject.delivery = .byValue
        return OpenIDProfile(
            name: "netsEIDBroker",
            algorithms: AlgorithmRules(signature: [.rs256], keyManagement: [], content: []),
            authorization: authorization, requestObject: requestObject,
            client: ClientRules(authentication: .assertion(.signed)),
            idToken: IDTokenRules(layers: .signed), userInfo: UserInfoRules(layers: nil))
    }()
}
