// The preset for Nets eID Broker (MitID).

import JOSE

extension OpenIDProfile {
    /// Nets eID Broker, for MitID.
    ///
    /// By default, requests are signed and sent by value. The `app_switch_url` of an unsigned
    /// request must be one of `appSwitchURIs` of the `RelyingParty` and the `ClientRegistration`.
    /// In signed objects `idp_params` is a JSON object. For a broker that expects a string, set
    /// `requestObject.textParameters` to `["idp_params"]`.
    ///
    /// The guide leaves settings open. Compare these assumptions with the broker's data for your
    /// client: `private_key_jwt` as client authentication, RS256, the issuer as `aud` of request
    /// objects and assertions, UserInfo as JSON, and PKCE only if a request uses it.
    public static let netsEIDBroker: OpenIDProfile = {
        var authorization = AuthorizationRules()
        authorization.requiresState = true
        authorization.requiresNonce = true
        authorization.requiresPKCE = false
        authorization.supportsAppSwitch = true
        // The response goes to the app's backend as a form, not to the app.
        authorization.defaultResponseMode = .formPost
        authorization.fixesResponseMode = true
        authorization.acr.providerRejectsUnmetVoluntary = true
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
