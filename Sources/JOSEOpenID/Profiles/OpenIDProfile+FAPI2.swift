// FAPI 2.0: its Security Profile (final, February 2025) and Message Signing (final, September 2025).

import JOSE

extension OpenIDProfile {
    /// FAPI 2.0 Security Profile, by proofs of possession (DPoP): every request is pushed, every client proves itself by an
    /// assertion for the issuer, every access token is bound to a key, every answer names its issuer.
    ///
    /// For the resource servers of such a provider there is `ResourceRules.fapi2`. Where access tokens are bound to the
    /// certificates of connections instead (RFC 8705), set `accessToken.proofs` to `.ignored`: `accessToken.requiresBinding` stays.
    ///
    /// Ed25519 is accepted by its own name, `Ed25519` (RFC 9864), and by the older one, `EdDSA`
    /// (5.4.1); a key on Ed448 is not.
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

    /// FAPI 2.0 Message Signing, all of it, on top of `fapi2`: pushed requests are signed objects, answers at the redirect address
    /// signed tokens; introspection answers are signed where their media type is asked for, as an `Introspector` does. Requests
    /// for users without a browser (CIBA) are signed too: the text does not speak of them, but what it is for, requests that nobody
    /// can deny, holds of them as well.
    ///
    /// The type `oauth-authz-req+jwt` of a request object, which the text recommends, is demanded:
    /// `requestObject.header.type` says so.
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
    /// FAPI 2.0 Security Profile: the profile's algorithms and clock, for `DPoPVerifier` of its resource servers too.
    public static let fapi2: DPoPRules = {
        var rules = DPoPRules()
        rules.algorithms = [.es256, .ps256, .ed25519, .edDSA]
        // 10 must be taken and more than 60 rejected; 30 are what some who run it found to be needed (5.3.2.1, note 3).
        rules.leeway = .seconds(30)
        return rules
    }()
}

extension SignatureAlgorithm {
    /// FAPI 2.0 Security Profile, 5.4.1: EdDSA on Ed25519 only.
    static let fapi2: [SignatureAlgorithm] = [.es256, .ps256, .ed25519, .edDSAOnEd25519]
}
