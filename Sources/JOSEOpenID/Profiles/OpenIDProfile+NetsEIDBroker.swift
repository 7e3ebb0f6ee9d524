// Nets eID Broker (MitID): signed requests, form_post, app switch by idp_params.

import JOSE

extension OpenIDProfile {
    /// Nets eID Broker, for MitID.
    ///
    /// Requests travel signed by value. One that does not may name an `app_switch_url` of its client's own list only:
    /// `ClientRegistration.appSwitchAddresses`, and the same for `RelyingParty`.
    public static let netsEIDBroker: OpenIDProfile = {
        var authorization = AuthorizationRules()
        authorization.requiresState = true
        authorization.requiresNonce = true
        authorization.proofKey = .onRequest
        authorization.hasAppSwitch = true
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
