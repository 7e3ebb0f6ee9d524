// itsme's names for claims. Its guides spell some of them in several ways, of which one may be a slip of the pen: all are
// read, that of the table in the newest guide is written. Where a guide lists the answers by shorter names, these are read too.

extension ClaimNames {
    /// First generation, with the spellings of the oldest guide.
    static let itsme1: ClaimNames = {
        var names = ClaimNames()
        names.nationality = sixdots("2016-06:claim_nationality", answer: "nationality")
        names.cityOfBirth = sixdots("2016-06:claim_city_of_birth")
        names.countryOfBirth = sixdots("2016-06:claim_country_of_birth")
        names.identityCard = sixdots("2016-06:claim_eid")
        names.device = sixdots("2017-05:claim_device")
        names.transaction = sixdots("2017-05:claim_transaction_info")
        // The oldest guide has the date twice.
        names.photo = sixdots("2017-05:claim_photo", "2017-05:2017-05:claim_photo")
        names.passportSerialNumber = sixdots("2017-05:claim_passport_sn")
        return names
    }()

    /// Second generation.
    static let itsme2: ClaimNames = {
        var names = ClaimNames()
        names.nationality = services("claim_citizenship", answer: "nationality")
        names.placeOfBirth = services("place_of_birth")
        // The table writes Sn, the example SN.
        names.cardSerialNumber = services("BEeidSn", "BEeidSN", answer: "eid")
        names.nationalNumber = services("BENationalNumber", answer: "national_number")
        names.device = services("claim_device")
        names.transaction = services("transaction_info")
        names.luxTrustSerialNumber = services("claim_luxtrust_ssn")
        return names
    }()

    /// The oldest guide writes `tag:itsmetag:sixdots.be` as well.
    private static func sixdots(_ names: String..., answer: String? = nil) -> ClaimName {
        spelled(names, behind: ["tag:sixdots.be,", "tag:itsmetag:sixdots.be,"], answer)
    }

    /// The guide writes `v2` and `V2`.
    private static func services(_ names: String..., answer: String? = nil) -> ClaimName {
        spelled(
            names,
            behind: ["http://itsme.services/v2/claim/", "http://itsme.services/V2/claim/"], answer)
    }

    /// Every name behind every beginning, the first behind the first preferred; then the name of the answer.
    private static func spelled(
        _ names: [String], behind beginnings: [String], _ answer: String?
    ) -> ClaimName {
        var all = names.flatMap { name in beginnings.map { $0 + name } }
        let preferred = all.removeFirst()
        return ClaimName(preferred, or: all + (answer.map { [$0] } ?? []))
    }
}
