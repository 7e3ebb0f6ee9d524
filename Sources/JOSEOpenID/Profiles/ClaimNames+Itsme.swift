// itsme's names for claims. All spellings in a guide are read, also the shorter names in its list
// of responses. The spelling in the guide's table is written.

extension ClaimNames {
    /// The oldest guide, in which card, device and transaction are objects.
    static let itsme0: ClaimNames = {
        var names = sixdots(["tag:itsmetag:sixdots.be,", "tag:sixdots.be,"])
        names.hasBareMembers = false
        return names
    }()

    /// The first generation, also with the spellings of the oldest guide.
    static let itsme1 = sixdots(["tag:sixdots.be,", "tag:itsmetag:sixdots.be,"])

    static let itsme2: ClaimNames = {
        var names = ClaimNames()
        names.nationality = services("claim_citizenship", bare: "nationality")
        let place = services("place_of_birth", bare: "place of Birth", "place of birth")
        names.placeOfBirth = place
        // The country is requested with the place, and is a claim of its own in the response.
        names.countryOfBirth = ClaimName("country of Birth", requestedBy: place.preferred)
        // The table has Sn, the example SN.
        names.cardSerialNumber = services("BEeidSn", "BEeidSN", bare: "eid")
        names.nationalNumber = services("BENationalNumber", bare: "national_number")
        names.device = services("claim_device")
        names.transaction = services("transaction_info")
        names.luxTrustSerialNumber = services("claim_luxtrust_ssn", bare: "SNN")
        // The guide lists the picture in the response, but has no name for requesting it.
        names.photo = ClaimName("e-ID Picture", requestedBy: nil)
        names.hasBareMembers = true
        return names
    }()

    /// The names of the first two guides. Names of 2016 are written with the first of `prefixes`,
    /// and names of 2017 with `tag:sixdots.be,`. All are read with both prefixes.
    private static func sixdots(_ prefixes: [String]) -> ClaimNames {
        let prefixes2017 = ["tag:sixdots.be,", "tag:itsmetag:sixdots.be,"]
        var names = ClaimNames()
        names.nationality = spelled(
            ["2016-06:claim_nationality"], prefixes: prefixes, bare: ["nationality"])
        names.cityOfBirth = spelled(
            ["2016-06:claim_city_of_birth"], prefixes: prefixes,
            bare: ["place of birth", "place of Birth - city"])
        names.countryOfBirth = spelled(["2016-06:claim_country_of_birth"], prefixes: prefixes)
        names.identityCard = spelled(["2016-06:claim_eid"], prefixes: prefixes)
        names.device = spelled(["2017-05:claim_device"], prefixes: prefixes2017)
        names.transaction = spelled(["2017-05:claim_transaction_info"], prefixes: prefixes2017)
        // The oldest guide has the date twice, which is probably a misprint.
        names.photo = spelled(
            ["2017-05:claim_photo", "2017-05:2017-05:claim_photo"], prefixes: prefixes2017,
            bare: ["e-ID Picture"])
        names.passportSerialNumber = spelled(["2017-05:claim_passport_sn"], prefixes: prefixes2017)
        names.hasBareMembers = true
        return names
    }

    private static func services(_ names: String..., bare: String...) -> ClaimName {
        spelled(
            names,
            prefixes: ["http://itsme.services/v2/claim/", "http://itsme.services/V2/claim/"],
            bare: bare)
    }

    /// Every name with every prefix, the preferred one first; then `bare`.
    private static func spelled(
        _ names: [String], prefixes: [String], bare: [String] = []
    ) -> ClaimName {
        var all = names.flatMap { name in prefixes.map { $0 + name } }
        let preferred = all.removeFirst()
        return ClaimName(preferred, or: all + bare)
    }
}
