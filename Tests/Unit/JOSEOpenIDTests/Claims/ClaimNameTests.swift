// Claim names as the guides print them, their spellings, and the claims of scopes.

import JOSE
import JOSEOpenID
import Testing

@Suite("Claim names")
struct ClaimNameTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let profile: OpenIDProfile
        let name: String
        let read: @Sendable (any UserClaims) throws -> String?
        var testDescription: String { "\(profile.name) \(name)" }
    }

    private static let texts:
        [(OpenIDProfile, [String], @Sendable (any UserClaims) throws -> String?)] = [
            (
                .itsme1, sixdots("2016-06:claim_nationality") + ["nationality"],
                { try $0.nationality }
            ),
            (.itsme1, sixdots("2016-06:claim_city_of_birth"), { try $0.cityOfBirth }),
            (.itsme1, sixdots("2016-06:claim_country_of_birth"), { try $0.countryOfBirth }),
            (.itsme1, sixdots("2017-05:claim_passport_sn"), { try $0.passportSerialNumber }),
            (.itsme2, services("claim_citizenship") + ["nationality"], { try $0.nationality }),
            (.itsme2, services("place_of_birth"), { try $0.placeOfBirth?.string }),
            (
                .itsme2, services("BEeidSn") + services("BEeidSN") + ["eid"],
                { try $0.cardSerialNumber }
            ),
            (
                .itsme2, services("BENationalNumber") + ["national_number"],
                { try $0.nationalNumber }
            ),
            (.itsme2, services("claim_luxtrust_ssn"), { try $0.luxTrustSerialNumber }),
            (.signicatMobileID, ["deviceName"], { try $0.deviceName }),
            (.signicatMobileID, ["externalRef"], { try $0.externalReference }),
        ]

    private static func sixdots(_ name: String) -> [String] {
        ["tag:sixdots.be," + name, "tag:itsmetag:sixdots.be," + name]
    }

    private static func services(_ name: String) -> [String] {
        ["http://itsme.services/v2/claim/" + name, "http://itsme.services/V2/claim/" + name]
    }

    /// Claims of a UserInfo response of this profile.
    private func claims(
        _ profile: OpenIDProfile, _ claims: [String: JSONValue]
    ) async throws -> any UserClaims {
        var plain = OpenIDProfile.openID
        plain.userInfo.names = profile.userInfo.names
        let login = try await Login(TestEnvironment(plain))
        let idToken = try await login.open(login.forged(login.goodClaims))
        let members = claims.with(["sub": .subject])
        return try await login.env.party.userInfo(jsonText(.object(members)), idToken)
    }

    @Test("every spelling that a guide uses is read", arguments: texts.indices)
    func spellings(_ index: Int) async throws {
        let (profile, names, read) = Self.texts[index]
        for name in names {
            #expect(try read(await claims(profile, [name: "v"])) == "v", "\(name)")
        }
        // Any other spelling is not this claim.
        let name = names[0]
        for other in [name + "x", name.uppercased(), String(name.dropLast())] where other != name {
            #expect(try read(await claims(profile, [other: "v"])) == nil, "\(other)")
        }
    }

    @Test("equal values under two spellings are one claim, different values are rejected")
    func twice() async throws {
        let names = Self.services("BEeidSn")
        let equal = try await claims(.itsme2, [names[0]: "1", names[1]: "1"])
        #expect(try equal.cardSerialNumber == "1")
        let two = try await claims(.itsme2, [names[0]: "1", names[1]: "2"])
        await expectRejection("claim-rejected \(names[1])") { _ = try two.cardSerialNumber }
        let card = try await claims(
            .itsme1,
            [
                "tag:sixdots.be,2016-06:claim_eid": [
                    "national_number": "1", "nationality_number": "2",
                ]
            ])
        await expectRejection(
            "claim-rejected tag:sixdots.be,2016-06:claim_eid.nationality_number"
        ) { _ = try card.identityCard?.nationalNumber }
    }

    @Test("objects and pictures are read under either spelling")
    func objects() async throws {
        for index in 0...1 {
            let read = try await claims(
                .itsme1,
                [
                    Self.sixdots("2016-06:claim_eid")[index]: ["eid": "1"],
                    Self.sixdots("2017-05:claim_device")[index]: ["imei": "2"],
                    Self.sixdots("2017-05:claim_transaction_info")[index]: ["mcc": 206],
                    "tag:sixdots.be,2017-05:" + (index == 0 ? "" : "2017-05:") + "claim_photo":
                        "AAAA",
                ])
            #expect(try read.identityCard?.number == "1")
            #expect(try read.device?.imei == "2")
            #expect(try read.transaction?.mobileCountryCode == 206)
            #expect(try read.photo == [0, 0, 0])
            let second = try await claims(
                .itsme2,
                [
                    Self.services("claim_device")[index]: ["os": "iOS", "deviceID": "d"],
                    Self.services("transaction_info")[index]: ["bindLevel": "SOFT_ONLY"],
                ])
            #expect(try second.device?.system == .ios)
            #expect(try second.device?.identifier == "d")
            #expect(try second.transaction?.binding == .softwareOnly)
        }
    }

    @Test("requested claims have the spelling of the guide's table")
    func preferred() {
        let first = OpenIDProfile.itsme1.userInfo.names
        #expect(first.nationality?.preferred == "tag:sixdots.be,2016-06:claim_nationality")
        #expect(first.photo?.preferred == "tag:sixdots.be,2017-05:claim_photo")
        let second = OpenIDProfile.itsme2.userInfo.names
        #expect(second.cardSerialNumber?.preferred == "http://itsme.services/v2/claim/BEeidSn")
        #expect(second.cardSerialNumber?.contains("http://itsme.services/V2/claim/BEeidSN") == true)
        #expect(
            second.cardSerialNumber?.contains("http://itsme.services/V3/claim/BEeidSN") == false)
        #expect(first.all.count == 8 && second.all.count == 9)
        let oldest = OpenIDProfile.itsme0.userInfo.names
        for (name, printed) in [
            (oldest.nationality, "claim_nationality"), (oldest.cityOfBirth, "claim_city_of_birth"),
            (oldest.countryOfBirth, "claim_country_of_birth"), (oldest.identityCard, "claim_eid"),
        ] {
            #expect(name?.preferred == "tag:itsmetag:sixdots.be,2016-06:" + printed)
            #expect(name?.contains("tag:sixdots.be,2016-06:" + printed) == true)
        }
        #expect(
            oldest.passportSerialNumber?.preferred == "tag:sixdots.be,2017-05:claim_passport_sn")
        #expect(oldest.device?.preferred == "tag:sixdots.be,2017-05:claim_device")
        #expect(oldest.transaction?.preferred == "tag:sixdots.be,2017-05:claim_transaction_info")
        // The guide prints the photo's date twice, which is assumed to be a misprint.
        #expect(oldest.photo?.preferred == "tag:sixdots.be,2017-05:claim_photo")
        #expect(OpenIDProfile.signicatMobileID.userInfo.names.all.count == 2)
    }

    @Test("claims with no request name are not requested, others are requested as written")
    func requested() {
        let second = OpenIDProfile.itsme2.userInfo.names
        #expect(second.photo?.requested == nil && second.photo?.preferred == "e-ID Picture")
        // The country is returned with the place.
        let place = "http://itsme.services/v2/claim/place_of_birth"
        #expect(second.countryOfBirth?.requested == place)
        #expect(second.placeOfBirth?.requested == place)
        for profile in TestEnvironment.all {
            for name in profile.userInfo.names.all
            where name != second.photo && name != second.countryOfBirth {
                #expect(name.requested == name.preferred)
            }
            // Names to request contain no spaces, which only responses have.
            for name in profile.userInfo.names.all.compactMap(\.requested) {
                #expect(!name.contains(" "), "\(name)")
            }
        }
        #expect(ClaimName("a", requestedBy: nil) != "a" && ClaimName("a", requestedBy: "b") != "a")
        #expect(ClaimName("a", or: ["b"], requestedBy: "a") == ClaimName("a", or: ["b"]))
    }

    @Test("no spelling names two claims", arguments: TestEnvironment.all)
    func unambiguous(_ profile: OpenIDProfile) {
        let all = profile.userInfo.names.all.flatMap(\.all)
        #expect(Set(all.map { Array($0.utf8) }).count == all.count)
    }

    @Test("scopes follow OpenID Connect Core 5.4 and itsme's shorter profile scope")
    func scopes() {
        let core = OpenIDProfile.openID.userInfo.scopeClaims
        #expect(core["profile"].count == 14 && core["profile"].contains("zoneinfo"))
        #expect(core["email"] == ["email", "email_verified"])
        #expect(core["phone"] == ["phone_number", "phone_number_verified"])
        #expect(core["address"] == ["address"])
        for profile in [OpenIDProfile.itsme1, .itsme2] {
            let claims = profile.userInfo.scopeClaims
            #expect(
                claims["profile"] == ["family_name", "given_name", "gender", "birthdate", "locale"])
            for scope in ["email", "phone", "address"] { #expect(claims[scope] == core[scope]) }
        }
        #expect(core["openid"].isEmpty && core["service:X"].isEmpty && core[""].isEmpty)
        #expect(
            core.claims(of: ["openid", "email", "address", "email"])
                == ["email", "email_verified", "address"])
        var own = ScopeClaims()
        own["e\u{301}"] = ["a"]
        #expect(own["\u{e9}"].isEmpty && own != ScopeClaims())
    }

    @Test("each claim of a scope has an accessor")
    func readable() {
        let readers = Set(ClaimReader.all.map(\.claim))
        for scope in ["profile", "email", "phone", "address"] {
            for claim in ScopeClaims.openID[scope] { #expect(readers.contains(claim), "\(claim)") }
        }
    }
}
