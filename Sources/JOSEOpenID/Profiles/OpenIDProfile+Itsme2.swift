// The preset for itsme's second generation.

import JOSE

extension OpenIDProfile {
    /// itsme, second generation ("v2").
    public static let itsme2: OpenIDProfile = {
        var profile = OpenIDProfile.itsme1
        profile.name = "itsme2"
        // Peers may omit kid although the provider publishes several keys.
        profile.algorithms = AlgorithmRules(
            signature: [.rs256], keyManagement: [.rsaOAEP256, .rsaOAEP], content: [.a128CBCHS256],
            missingKeyID: .tryEligible(atMost: 4))
        profile.authorization.acr.weakestFirst = [
            "http://itsme.services/v2/claim/acr_basic",
            "http://itsme.services/v2/claim/acr_advanced",
        ]
        // The guide requests acr with v2, and prints V2 in its example and in every response.
        profile.authorization.acr.otherSpellings = [
            "http://itsme.services/V2/claim/acr_basic": "http://itsme.services/v2/claim/acr_basic",
            "http://itsme.services/V2/claim/acr_advanced":
                "http://itsme.services/v2/claim/acr_advanced",
        ]
        profile.authorization.acr.writtenSpellings = [
            "http://itsme.services/v2/claim/acr_basic": "http://itsme.services/V2/claim/acr_basic",
            "http://itsme.services/v2/claim/acr_advanced":
                "http://itsme.services/V2/claim/acr_advanced",
        ]
        // The guide requires every object to be nested, with iss and aud.
        profile.requestObject.layers = .signedThenEncrypted
        profile.requestObject.alsoAccepted = []
        profile.requestObject.requiredClaims = ["iss", "aud"]
        profile.userInfo.names = .itsme2
        return profile
    }()
}
