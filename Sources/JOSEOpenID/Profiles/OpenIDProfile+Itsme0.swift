// itsme as its oldest guide has it: claim names of its own, complete chains, levels requested by a signed claims request.

import JOSE

extension OpenIDProfile {
    /// itsme, the oldest guide: the Request Object is for the token endpoint and goes by value only, the client assertion is signed
    /// only.
    ///
    /// A published key set has complete chains (`publishedCertificates`). For the sandbox, where certificates may be self-signed, use
    /// `.completeChainOrSelfSigned`. To request the claim `phone_number` with a value, as the guide recommends in place of
    /// `login_hint`, set `requestObject.layers` to `.signedThenEncrypted`.
    public static let itsme0: OpenIDProfile = {
        var profile = OpenIDProfile.itsme1
        profile.name = "itsme0"
        profile.authorization.forbiddenScopes = ["offline_access"]
        profile.authorization.requiresHTTPSRedirect = true
        // The guide asks by one spelling and answers by the other.
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
        // The guide prints application/jwt; its JSON is what the token holds.
        profile.userInfo.otherMediaTypes = []
        // A published set has root, intermediate and final certificate; self-signed is for the sandbox.
        profile.publishedCertificates = .completeChain
        return profile
    }()
}
