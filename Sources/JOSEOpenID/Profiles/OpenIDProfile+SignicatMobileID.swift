// The preset for Signicat MobileID InApp.

import JOSE

extension OpenIDProfile {
    /// Signicat MobileID InApp.
    ///
    /// `AuthorizationRequest.mobileIDRegistration` and `mobileIDAuthentication` make the requests
    /// for a registration and an authentication. They use PKCE, which is optional in the guide. The
    /// guide does not specify RS256 for ID Tokens and request objects, or the issuer as `aud`:
    /// these are assumptions.
    public static let signicatMobileID: OpenIDProfile = {
        var authorization = AuthorizationRules()
        authorization.requiredScopes = ["openid", "profile", "mobileid"]
        authorization.acr.methodPrefix = "urn:signicat:oidc:method:"
        // acr_values selects the method; the guide does not say that acr repeats it.
        authorization.acr.isReturned = false
        authorization.acr.providerRejectsUnmetVoluntary = true
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
