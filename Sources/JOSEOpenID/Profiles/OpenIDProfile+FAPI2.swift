// The presets for FAPI 2.0: Security Profile (February 2025), Message Signing (September 2025).

import JOSE

extension OpenIDProfile {
    /// FAPI 2.0 Security Profile with DPoP.
    ///
    /// Requests are pushed. Clients authenticate with assertions whose `aud` is the issuer. Access
    /// tokens are bound to keys, and authorization responses contain the issuer.
    ///
    /// Resource servers use `ResourceRules.fapi2`. To bind access tokens to client certificates
    /// instead (RFC 8705), set `accessToken.proofs` to `.ignored` and keep `requiresBinding`.
    ///
    /// Ed25519 is accepted as `Ed25519` (RFC 9864) and as `EdDSA` (5.4.1). Ed448 is rejected.
    public static let fapi2: OpenIDProfile = {
        var authorization = AuthorizationRules()
        authorization.requiresHTTPSRedirect = true
        authorization.sendsIssuerInResponse = true
        var requestObject = RequestObjectRules(layers: .signed, audience: .issuer)
        requestObject.allowsReference = false
        var client = ClientRules(authentication: .assertion(.signed))
        client.audienceIsString = true
        client.assertionLifetime = .seconds(60)
        client.codeLifetime = .seconds(60)
        var profile = OpenIDProfile(
            name: "fapi2",
            algorithms: AlgorithmRules(
                signature: SignatureAlgorithm.fapi2, keyManagement: [], content: []),
            authorization: authorization, requestObject: requestObject, client: client,
            idToken: IDTokenRules(layers: .signed), userInfo: UserInfoRules(layers: nil))
        profile.leeway = DPoPRules.fapi2.leeway
        profile.pushedRequests.isRequired = true
        profile.accessToken.proofs = .required
        profile.accessToken.dpop = .fapi2
        profile.accessToken.requiresBinding = true
        profile.accessToken.rotatesRefreshTokens = false
        return profile
    }()

    /// FAPI 2.0 Message Signing, on top of `fapi2`.
    ///
    /// Pushed requests are signed objects of the type `oauth-authz-req+jwt`, and authorization
    /// responses are JARM responses. Introspection responses are signed if their media type is
    /// requested, as `Introspector` does.
    ///
    /// Backchannel requests (CIBA) are signed too. The specification does not mention them, but its
    /// goal, non-repudiation of requests, applies to them.
    public static let fapi2MessageSigning: OpenIDProfile = {
        var profile = OpenIDProfile.fapi2
        profile.name = "fapi2MessageSigning"
        profile.requestObject = .jar()
        profile.requestObject.allowsReference = false
        profile.requestObject.maxValidity = .seconds(3_600)
        profile.backchannel.requiresSignedRequest = true
        profile.authorization.responseModes = [.jwt]
        profile.authorization.defaultResponseMode = .jwt
        return profile
    }()
}

extension DPoPRules {
    /// FAPI 2.0 Security Profile, also for resource servers.
    public static let fapi2: DPoPRules = {
        var rules = DPoPRules()
        rules.algorithms = [.es256, .ps256, .ed25519, .edDSA]
        // 10 s must be accepted and more than 60 s rejected; operators found 30 s necessary
        // (5.3.2.1, note 3).
        rules.leeway = .seconds(30)
        return rules
    }()
}

extension SignatureAlgorithm {
    /// FAPI 2.0 Security Profile, 5.4.1: EdDSA on Ed25519 only.
    static let fapi2: [SignatureAlgorithm] = [.es256, .ps256, .ed25519, .edDSAOnEd25519]
}
