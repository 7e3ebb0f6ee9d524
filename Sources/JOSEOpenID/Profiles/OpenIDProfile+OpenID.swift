// The preset for OpenID Connect Core, for providers without a preset of their own.

import JOSE

extension OpenIDProfile {
    /// OpenID Connect Core 1.0 with its defaults: RS256, signed ID Tokens, JSON UserInfo, HTTP
    /// Basic. PKCE is required.
    public static let openID: OpenIDProfile = {
        var profile = OpenIDProfile(
            name: "openID",
            algorithms: AlgorithmRules(
                signature: [.rs256], keyManagement: [.rsaOAEP256, .rsaOAEP],
                content: [.a128CBCHS256]),
            authorization: AuthorizationRules(),
            requestObject: RequestObjectRules(layers: .signed, audience: .issuer),
            client: ClientRules(authentication: .basic),
            idToken: IDTokenRules(layers: .signed), userInfo: UserInfoRules(layers: nil))
        profile.authorization.allowsLoopbackPorts = true
        profile.client.allowsSecretInForm = true
        return profile
    }()
}
