// Signicat MobileID InApp: methods by acr_values, hints by kind of operation, HTTP Basic.

import JOSE

extension OpenIDProfile {
    /// Signicat MobileID InApp.
    ///
    /// An operation is a registration or an authentication; `AuthorizationRequest.mobileIDRegistration` and
    /// `mobileIDAuthentication` make a request for each. The guide shows both with PKCE and without; those requests have it. It says nothing of the algorithm of ID Tokens and of request objects: RS256, and `aud` the issuer, are ours.
    public static let signicatMobileID: OpenIDProfile = {
        var authorization = AuthorizationRules()
        authorization.requiredScopes = ["openid", "profile", "mobileid"]
        authorization.acr.methodPrefix = "urn:signicat:oidc:method:"
        // acr_values chooses the method; nothing says that acr repeats it.
        authorization.acr.isReturned = false
        authorization.acr.voluntaryIsBinding = true
        authorization.stateBeginsWithMethod = true
        authorization.requiresState = true
        authorization.loginHint.maxCount = 3
        authorization.loginHint.format = .operations([
            ["deviceName-", "artifact-", "externalRef-"], ["deviceId-", "externalRef-"],
        ])
        authorization.requiresPKCE = false
        var profile = OpenIDProfile(
            name: "signicatMobileID",
            algorithms: AlgorithmRules(signature: [.rs256], keyManagement: [], content: []),
            authorization: authorization,
            requestObject: RequestObjectRules(layers: .signed, audience: .issuer),
            client: ClientRules(authentication: .basic),
            idToken: IDTokenRules(layers: .signed), userInfo: UserInfoRules(layers: nil))
        profile.client.sendsClientID = true
        profile.userInfo.names.deviceName = "deviceName"
        profile.userInfo.names.externalReference = "externalRef"
        return profile
    }()
}
