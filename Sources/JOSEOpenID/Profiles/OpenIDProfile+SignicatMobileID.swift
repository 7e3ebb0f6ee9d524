// Signicat MobileID InApp: methods by acr_values, several login hints, PKCE, HTTP Basic.

import JOSE

extension OpenIDProfile {
    /// Signicat MobileID InApp.
    public static let signicatMobileID: OpenIDProfile = {
        var authorization = AuthorizationRules()
        authorization.requiredScopes = ["openid", "profile", "mobileid"]
        authorization.context.methodPrefix = "urn:signicat:oidc:method:"
        // acr_values chooses the method; nothing says that acr repeats it.
        authorization.context.isAnswered = false
        authorization.statePrefix = .method
        authorization.requiresState = true
        authorization.loginHint.maximumCount = 8
        authorization.loginHint.form = .prefixed([
            "deviceName-", "deviceId-", "artifact-", "externalRef-",
        ])
        authorization.proofKey = .always
        var profile = OpenIDProfile(
            name: "signicatMobileID",
            algorithms: AlgorithmRules(signature: [.rs256], keyManagement: [], content: []),
            authorization: authorization,
            requestObject: RequestObjectRules(layers: .signed, audience: .issuer),
            client: ClientRules(authentication: .basic),
            idToken: IDTokenRules(layers: .signed), userInfo: UserInfoRules(layers: nil))
        profile.userInfo.names.deviceName = "deviceName"
        profile.userInfo.names.externalReference = "externalRef"
        return profile
    }()
}
