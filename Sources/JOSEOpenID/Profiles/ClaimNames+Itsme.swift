// itsme's names for claims. Some guides spell a name in several ways: all are read, and the
// spelling of the guide's table is written. Shorter names in a guide's list of responses are read
// too.

extension ClaimNames {
    /// The oldest guide. Four names begin with `tag:itsmetag:sixdots.be`, the others with
    /// `tag:sixdots.be`.
    static let itsme0: ClaimNames = {
        var names = sixdots(["tag:itsmetag:sixdots.be,", "tag:sixdots.be,"])
        // Card, device and transaction are objects in this guide.
        names.hasBareMembers = false
        return names
    }()

    /// The first generation, with the spellings of the oldest guide.
    static let itsme1 = sixdots(["tag:sixdots.be,", "tag:itsmetag:sixdots.be,"])

    /// The second generation.
    static let itsme2: ClaimNames = {
        var names = ClaimNames()
        names.nationality = services("claim_citizenship", bare: "nationality")
        let place = services("place_of_birth", bare: "place of Birth", "place of birth")
        names.placeOfBirth = place
        // The guide requests it together with the place, and lists it separately in the response.
        names.countryOfBirth = ClaimName("country of Birth", requestedBy: place.preferred)
        // The table has Sn, the example SN.
        names.cardSerialNumber = services("BEeidSn", "BEeidSN", bare: "eid")
        names.nationalNumber = services("BENationalNumber", bare: "national_number")
        names.device = services("claim_device")
        names.transaction = services("transaction_info")
        names.luxTrustSerialNumber = services("claim_luxtrust_ssn", bare: "SNN")
        // The guide lists it in the response and has no name for requesting it.
        names.photo = ClaimName("e-ID Picture", requestedBy: nil)
        names.hasBareMembers = true
        return names
    }()

    /// The names of the first two guides.
    ///
    /// - Parameter beginnings: The prefixes of the names of 2016, the preferred first. The names of
    ///   2017 begin with `tag:sixdots.be` in both guides.
    private static func sixdots(_ beginnings: [String]) -> ClaimNames {
        let later = ["tag:sixdots.be,", "tag:itsmetag:sixdots.be,"]
        var names = ClaimNames()
        names.nationality = spelled(
            ["2016-06:claim_nationality"], behind: beginnings, bare: ["nationality"])
        names.cityOfBirth = spelled(
            ["2016-06:claim_city_of_birth"], behind: beginnings,
            bare: ["place of birth", "place of Birth - city"])
        names.countryOfBirth = spelled(["2016-06:claim_country_of_birth"], behind: beginnings)
        names.identityCard = spelled(["2016-06:claim_eid"], behind: beginnings)
        names.device = spelled(["2017-05:claim_device"], behind: later)
        names.transaction = spelled(["2017-05:claim_transaction_info"], behind: later)
        // The oldest guide has the date twice, which is probably a misprint.
        names.photo = spelled(
            ["2017-05:claim_photo", "2017-05:2017-05:claim_photo"], behind: later,
            bare: ["e-ID Picture"])
        names.passportSerialNumber = spelled(["2017-05:claim_passport_sn"], behind: later)
        names.hasBareMembers = true
        return names
    }

    /// Names with the prefixes `v2` and `V2`, as the guide has both.
    private static func services(_ names: String..., bare: String...) -> ClaimName {
        spelled(
            names,
            behind: ["http://itsme.services/v2/claim/", "http://itsme.services/V2/claim/"],
            bare: bare)
    }

    /// Every name with every prefix, the preferred first; then the names of the response list.
    private static func spelled(
        _ names: [String], behind beginnings: [String], bare: [String] = []
    ) -> ClaimName {
        var all = names.flatMap { name in beginnings.map { $0 + name } }
        let preferred = all.removeFirst()
        return ClaimName(preferred, or: all + bare)
    }
}
