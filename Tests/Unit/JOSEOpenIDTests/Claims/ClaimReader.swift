// Every typed accessor of a user's claims, with its valid values.

import JOSE
import JOSEOpenID

/// One accessor: the name that it reads, a valid value, and its result as text.
struct ClaimReader: Sendable {
    /// The claim, or `claim.member`.
    let name: String
    let good: JSONValue
    let text: String
    /// Further values of the right type that are rejected.
    let bad: [JSONValue]
    let read: @Sendable (any UserClaims) throws -> Any?

    init(
        _ name: String, _ good: JSONValue, _ text: String? = nil, bad: [JSONValue] = [],
        _ read: @escaping @Sendable (any UserClaims) throws -> Any?
    ) {
        self.name = name
        self.good = good
        self.text = text ?? good.string ?? good.bool.map(String.init) ?? ""
        self.bad = bad
        self.read = read
    }

    var claim: String { String(name.split(separator: ".").first ?? "") }
    /// The member of that claim. Nil for the claim itself.
    var member: String? { name.split(separator: ".").dropFirst().first.map(String.init) }

    /// Claims with a value for each accessor. No value where `value` returns nil.
    static func claims(
        _ readers: [ClaimReader], _ value: (ClaimReader) -> JSONValue?
    ) -> [String: JSONValue] {
        var claims: [String: JSONValue] = [:]
        for reader in readers {
            guard let value = value(reader) else { continue }
            guard let member = reader.member else {
                claims[reader.claim] = value
                continue
            }
            let members = (claims[reader.claim]?.object ?? [:]).with([member: value])
            claims[reader.claim] = .object(members)
        }
        return claims
    }

    func takes(_ value: JSONValue) -> Bool {
        switch (good, value) {
        case (.string, .string), (.bool, .bool), (.integer, .integer), (.object, .object): true
        case (.string, .object): name == "place"
        case (.object, .string): name == "address"
        case (.integer, .double): name == "updated_at"
        default: false
        }
    }

    static let names: ClaimNames = {
        var names = ClaimNames()
        names.nationality = "nationality"
        names.cityOfBirth = "city"
        names.countryOfBirth = "country"
        names.placeOfBirth = "place"
        names.identityCard = "card"
        names.cardSerialNumber = "card_number"
        names.nationalNumber = "number"
        names.device = "device"
        names.transaction = "transaction"
        names.photo = "photo"
        names.passportSerialNumber = "passport"
        names.luxTrustSerialNumber = "luxtrust"
        names.deviceName = "device_name"
        names.externalReference = "reference"
        return names
    }()

    private static let notAddress: [JSONValue] = [
        "x", "ftp://a.b", "//a.b", "https://", "https://a b", "http://a.b/\"", "javascript:1",
        "https://u@a.b",
    ]
    private static let notTimestamp: [JSONValue] = [
        "2016", "2017-02-29", "20170401", "2017-04-01T19:43:37", "01.04.2017",
        "2017-04-01T19:43:37.+0000", "2017-04-01T19:43:37.1234567890Z", "2017-04-01T", "1969-12-31",
        "2017-04-01T19:43:37+0000 ", "2017-04", "2017-04-01 19:43:37Z", "2017-13-01T00:00:00Z",
        "2017-02-29T00:00:00Z", "2017-04-31T00:00:00Z", "2017-04-01T24:00:00Z",
        "2017-04-01T19:60:00Z", "2017-04-01T19:43:60Z", "2017-04-01T19:43:37+00",
        "2017-04-01T19:43:37+2400", "2017-04-01T19:43:37*0000", "1969-12-31T23:59:59Z",
        "2017-04-01T19:43:37+00:0", "2017-04-0aT19:43:37Z", "+017-04-01T19:43:37Z",
    ]

    static let objects = all.filter { $0.good.object != nil }
    /// All other claims and the members of the objects.
    static let members = all.filter { $0.good.object == nil }

    static let all: [ClaimReader] = standard + providers + card + device + transaction + postal

    private static let standard: [ClaimReader] = [
        ClaimReader("name", "Zoë \u{1F600}") { try $0.name },
        ClaimReader("given_name", "Jane Ann") { try $0.givenName },
        ClaimReader("family_name", "Doe") { try $0.familyName },
        ClaimReader("middle_name", "M") { try $0.middleName },
        ClaimReader("nickname", "J") { try $0.nickname },
        ClaimReader("preferred_username", "j.doe") { try $0.preferredUsername },
        ClaimReader("profile", "https://a.b/c?d", bad: notAddress) { try $0.profilePage },
        ClaimReader("website", "http://a.b", bad: notAddress) { try $0.website },
        ClaimReader(
            "picture", "http://example.com/janedoe/me.jpg",
            "address http://example.com/janedoe/me.jpg", bad: ["AAA", "_-8A", "AB=="]
        ) {
            try $0.picture.map { picture in
                switch picture {
                case .url(let address): "address " + address
                case .bytes(let bytes): "\(bytes)"
                }
            }
        },
        ClaimReader("gender", "female") { try $0.gender },
        ClaimReader(
            "birthdate", "1990-12-31", "1990 12 31",
            bad: [
                "1990-2-3", "1990-13-01", "1990-02-29", "1990-00-01", "1990-01-00", "0000",
                "1990-12", "0000-02-30", "19901231", "1990-12-31 ", "31.12.1990", "-990-12-31",
                "1990-12-31T00:00:00Z", "\u{661}990-12-31",
            ]
        ) {
            try $0.birthdate.map {
                [$0.year, $0.month, $0.day].map { $0.map(String.init) ?? "-" }.joined(
                    separator: " ")
            }
        },
        ClaimReader("zoneinfo", "Europe/Brussels") { try $0.zoneinfo },
        ClaimReader(
            "locale", "nl_BE", "nl-BE",
            bad: ["-", "nl-", "-BE", "nl BE", "nl--BE", "abcdefghi", "1-BE", "é"]
        ) { try $0.locale },
        ClaimReader(
            "updated_at", 1_491_075_817, "1491075817", bad: [-1, 253_402_300_800]
        ) { try $0.updatedAt?.seconds },
        ClaimReader(
            "email", "janedoe@example.com",
            bad: ["@", "a@", "@b", "janedoe", "a b@c", "a@b\n", "a@b\u{7f}"]
        ) { try $0.email },
        ClaimReader("email_verified", false) { try $0.emailVerified },
        ClaimReader("phone_number", "+32 422010099") { try $0.phoneNumber },
        ClaimReader("phone_number_verified", true) { try $0.phoneNumberVerified },
    ]

    private static let providers: [ClaimReader] = [
        ClaimReader("nationality", "BE") { try $0.nationality },
        ClaimReader("city", "Gent") { try $0.cityOfBirth },
        ClaimReader("country", "BE") { try $0.countryOfBirth },
        ClaimReader("place", "Gent", #"string("Gent")"#) { try $0.placeOfBirth },
        ClaimReader("card_number", "592-1") { try $0.cardSerialNumber },
        ClaimReader("number", "85.07.30-033.28") { try $0.nationalNumber },
        ClaimReader("photo", "/+8AAQ==", "[255, 239, 0, 1]", bad: ["_-8A", "AAA", "AA==\n"]) {
            try $0.photo
        },
        ClaimReader("passport", "P1") { try $0.passportSerialNumber },
        ClaimReader("luxtrust", "L1") { try $0.luxTrustSerialNumber },
        ClaimReader("device_name", "my phone") { try $0.deviceName },
        ClaimReader("reference", "account-1") { try $0.externalReference },
    ]

    private static let card: [ClaimReader] = [
        ClaimReader("card", [:], "0") { try $0.identityCard?.members.count },
        ClaimReader("card.eid", "592-1") { try $0.identityCard?.number },
        ClaimReader("card.issuance_locality", "Gent") { try $0.identityCard?.issuanceLocality },
        ClaimReader("card.validity_from", "2017-04-01", "1491004800", bad: notTimestamp) {
            try $0.identityCard?.validFrom?.seconds
        },
        ClaimReader(
            "card.validity_to", "2017-04-01T19:43:37.123+0000", "1491075817", bad: notTimestamp
        ) { try $0.identityCard?.validTo?.seconds },
        ClaimReader("card.certificate_validity", "yes") {
            try $0.identityCard?.certificateValidity
        },
        ClaimReader(
            "card.read_date", "2017-04-01T19:43:37+0000", "1491075817", bad: notTimestamp
        ) { try $0.identityCard?.readDate?.seconds },
        ClaimReader("card.national_number", "85") { try $0.identityCard?.nationalNumber },
        ClaimReader("card.nationality_number", "85") { try $0.identityCard?.nationalNumber },
    ]

    private static let device: [ClaimReader] = [
        ClaimReader("device", [:], "0") { try $0.device?.members.count },
        ClaimReader("device.os", "ANDROID", "android", bad: ["WINDOWS", "i OS", "I\u{301}OS"]) {
            try $0.device?.system
        },
        ClaimReader("device.appName", "itsme app") { try $0.device?.appName },
        ClaimReader("device.appRelease", "1.17.13") { try $0.device?.appRelease },
        ClaimReader("device.deviceLabel", "myDevice") { try $0.device?.label },
        ClaimReader("device.debugEnabled", false) { try $0.device?.isDebugEnabled },
        ClaimReader("device.deviceId", "deviceId") { try $0.device?.identifier },
        ClaimReader("device.deviceID", "deviceId") { try $0.device?.identifier },
        ClaimReader("device.osRelease", "Android 4.4.2") { try $0.device?.systemRelease },
        ClaimReader("device.manufacturer", "samsung") { try $0.device?.manufacturer },
        ClaimReader("device.hasSimEnabled", true) { try $0.device?.hasSIM },
        ClaimReader("device.deviceLockLevel", "touchID") { try $0.device?.lockLevel },
        ClaimReader("device.smsEnabled", true) { try $0.device?.sendsMessages },
        ClaimReader("device.rooted", false) { try $0.device?.isRooted },
        ClaimReader("device.imei", "12345678901234567") { try $0.device?.imei },
        ClaimReader("device.deviceModel", "S8") { try $0.device?.model },
        ClaimReader("device.msisdn", "0412123123") { try $0.device?.telephoneNumber },
        ClaimReader("device.sdkRelease", "1.17.12") { try $0.device?.sdkRelease },
    ]

    private static let transaction: [ClaimReader] = [
        ClaimReader("transaction", [:], "0") { try $0.transaction?.members.count },
        ClaimReader("transaction.securityLevel", "SIM_AND_SOFT", "simAndSoftware", bad: ["x"]) {
            try $0.transaction?.security
        },
        ClaimReader("transaction.bindLevel", "SIM_ONLY", "simOnly", bad: ["sim_only"]) {
            try $0.transaction?.binding
        },
        ClaimReader("transaction.mcc", 206, "206", bad: [20, 99, 1_000, -206]) {
            try $0.transaction?.mobileCountryCode
        },
    ]

    private static let postal: [ClaimReader] = [
        ClaimReader("address", [:], "0") { try $0.address?.members.count },
        ClaimReader("address.formatted", "a\nb") { try $0.address?.formatted },
        ClaimReader("address.street_address", "Street 1\nBox 2") { try $0.address?.streetAddress },
        ClaimReader("address.locality", "Gent") { try $0.address?.locality },
        ClaimReader("address.region", "OV") { try $0.address?.region },
        ClaimReader("address.postal_code", "9000") { try $0.address?.postalCode },
        ClaimReader("address.country", "BE") { try $0.address?.country },
    ]
}
