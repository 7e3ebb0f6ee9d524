// itsme, second generation: the first one's rules with other names, and both OAEP variants.

import JOSE

extension OpenIDProfile {
    /// itsme, second generation ("v2").
    public static let itsme2: OpenIDProfile = {
        var profile = OpenIDProfile.itsme1
        profile.name = "itsme2"
        // Keys are named, but peers may leave kid out while several of our keys are published.
        profile.algorithms = AlgorithmRules(
            signature: [.rs256], keyManagement: [.rsaOAEP256, .rsaOAEP], content: [.a128CBCHS256],
            missingKeyID: .tryEligible(atMost: 4))
        profile.authorization.context.weakestFirst = [
            "http://itsme.services/v2/claim/acr_basic",
            "http://itsme.services/v2/claim/acr_advanced",
        ]
        // The guide writes v2 and V2.
        profile.authorization.context.caselessSegment = "v2"
        // The guide wants every object nested, with iss and aud.
        profile.requestObject.layers = .signedThenEncrypted
        profile.requestObject.alsoAccepted = []
        profile.requestObject.requiredClaims = ["iss", "aud"]
        profile.userInfo.names = .itsme2
        return profile
    }()
}

extension ClaimNames {
    static let itsme2: ClaimNames = {
        var names = ClaimNames()
        names.nationality = "http://itsme.services/v2/claim/claim_citizenship"
        names.placeOfBirth = "http://itsme.services/v2/claim/place_of_birth"
        names.cardSerialNumber = "http://itsme.services/v2/claim/BEeidSn"
        names.nationalNumber = "http://itsme.services/v2/claim/BENationalNumber"
        names.device = "http://itsme.services/v2/claim/claim_device"
        names.transaction = "http://itsme.services/v2/claim/transaction_info"
        names.luxTrustSerialNumber = "http://itsme.services/v2/claim/claim_luxtrust_ssn"
        return names
    }()
}
