// itsme as its oldest guide has it: the first generation's names, contexts asked for by a signed claims request.

import JOSE

extension OpenIDProfile {
    /// itsme, the oldest guide: the first generation's claims, with the Request Object for the token endpoint and by value alone,
    /// and a client assertion that is signed only.
    public static let itsme0: OpenIDProfile = {
        var profile = OpenIDProfile.itsme1
        profile.name = "itsme0"
        profile.authorization.forbiddenScopes = ["offline_access"]
        profile.authorization.redirectNeedsHTTPS = true
        // The guide asks by one spelling and answers by the other.
        profile.authorization.context.otherSpellings = [
            "tag:itsmetag:sixdots.be,2016-06:acr_basic": "tag:sixdots.be,2016-06:acr_basic",
            "tag:itsmetag:sixdots.be,2016-06:acr_advanced": "tag:sixdots.be,2016-06:acr_advanced",
        ]
        profile.requestObject.audience = .tokenEndpoint
        profile.requestObject.requiredClaims = ["iss", "aud"]
        profile.requestObject.allowsReference = false
        profile.client.authentication = .assertion(.signed)
        profile.idToken.requiredClaims.append("acr")
        profile.idToken.subjectCharacterCount = nil
        return profile
    }()
}
