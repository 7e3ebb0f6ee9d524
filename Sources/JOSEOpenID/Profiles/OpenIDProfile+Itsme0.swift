// The preset for itsme's oldest guide.

import JOSE

extension OpenIDProfile {
    /// itsme, by its oldest guide.
    ///
    /// Request objects are only by value, with the token endpoint as `aud`. Client assertions are
    /// only signed. A published key set has complete chains (`publishedCertificates`). For the
    /// sandbox, which allows self-signed certificates, use `.completeChainOrSelfSigned`.
    ///
    /// The guide recommends a value for the claim `phone_number` instead of `login_hint`. If you
    /// send such a value, set `requestObject.layers` to `.signedThenEncrypted`.
    public static let itsme0: OpenIDProfile = {
        var profile = OpenIDProfile.itsme1
        profile.name = "itsme0"
        profile.authorization.forbiddenScopes = ["offline_access"]
        profile.authorization.requiresHTTPSRedirect = true
        // The guide has one spelling for requests and another for responses.
        profile.authorization.acr.otherSpellings = [
            "tag:itsmetag:sixdots.be,2016-06:acr_basic": "tag:sixdots.be,2016-06:acr_basic",
            "tag:itsmetag:sixdots.be,2016-06:acr_advanced": "tag:sixdots.be,2016-06:acr_advanced",
        ]
        profile.requestObject.audience = .tokenEndpoint
        profile.requestObject.requiredClaims = ["iss", "aud"]
        profile.requestObject.allowsReference = false
        profile.client.authentication = .assertion(.signed)
        profile.idToken.requiredClaims.append("acr")
        profile.idToken.subjectCharacterCount = nil
        profile.userInfo.names = .itsme0
        // The guide prints application/jwt. The JSON in the guide is the token's payload.
        profile.userInfo.otherMediaTypes = []
        profile.publishedCertificates = .completeChain
        return profile
    }()
}
