// A user's typed claims, equally from an ID Token and from a UserInfo response.

import JOSE
import JOSEOpenID
import Testing

@Suite("Typed user claims")
struct UserClaimsTests {
    /// A login whose provider uses the claim names of the accessors' table.
    private static func login() async throws -> Login {
        return try await Login(
            TestEnvironment(.openID.with { $0.userInfo.names = ClaimReader.names }))
    }

    private func both(
        _ claims: [String: JSONValue], _ login: Login
    ) async throws -> [any UserClaims] {
        let plain = try await login.open(login.forged(login.goodClaims))
        let token = try await login.open(
            login.forged(login.goodClaims.merging(claims) { _, new in new }))
        var response = claims
        response["sub"] = "user-1-of-32-characters-in-total"
        let body = try jsonText(.object(response))
        return await [
            token, try login.env.party.userInfo(body, plain),
        ]
    }

    @Test("each claim that a guide or a specification names is read")
    func good() async throws {
        let login = try await Self.login()
        let claims = ClaimReader.claims(ClaimReader.members, \.good)
        for source in try await both(claims, login) {
            for reader in ClaimReader.members {
                let value = try need(try reader.read(source))
                #expect("\(value)" == reader.text, "\(reader.name)")
            }
        }
        for source in try await both(ClaimReader.claims(ClaimReader.objects, \.good), login) {
            for reader in ClaimReader.objects { #expect(try reader.read(source) as? Int == 0) }
        }
    }

    @Test("an absent claim is nil, also inside objects")
    func absent() async throws {
        let login = try await Self.login()
        let empty: [String: JSONValue] = [
            "card": [:], "device": [:], "transaction": [:], "address": [:],
        ]
        for claims in [[:], empty] {
            for source in try await both(claims, login) {
                for reader in ClaimReader.all where claims.isEmpty || reader.member != nil {
                    #expect(try reader.read(source) == nil, "\(reader.name)")
                }
            }
        }
    }

    @Test(
        "null and an empty string count as absent, also inside objects",
        arguments: [.null, ""] as [JSONValue])
    func empty(_ value: JSONValue) async throws {
        let login = try await Self.login()
        for readers in [
            ClaimReader.all.filter { $0.member == nil },
            ClaimReader.all.filter { $0.member != nil },
        ] {
            for source in try await both(ClaimReader.claims(readers) { _ in value }, login) {
                for reader in readers { #expect(try reader.read(source) == nil, "\(reader.name)") }
            }
        }
    }

    @Test(
        "a wrong type is an error that names the claim, or the member of an object",
        arguments: [
            1, -7, 1.5, true, "text", [], ["a"], [:], ["a": 1],
        ] as [JSONValue])
    func types(_ wrong: JSONValue) async throws {
        let login = try await Self.login()
        let top = try await both(
            ClaimReader.claims(ClaimReader.all.filter { $0.member == nil }) { _ in wrong }, login)
        let inner = try await both(
            ClaimReader.claims(ClaimReader.all.filter { $0.member != nil }) { _ in wrong }, login)
        for reader in ClaimReader.all where !reader.takes(wrong) {
            for source in reader.member == nil ? top : inner {
                let error = await expectRejection("claim-rejected \(spelled(reader))") {
                    _ = try reader.read(source)
                }
                #expect(error?.step == .claims)
            }
        }
    }

    /// Of two present spellings with one value, the first is named.
    private func spelled(_ reader: ClaimReader) -> String {
        switch reader.name {
        case "device.deviceID": "device.deviceId"
        case "card.nationality_number": "card.national_number"
        default: reader.name
        }
    }

    @Test("a string with an invalid value for its claim is rejected")
    func forms() async throws {
        let login = try await Self.login()
        let most = ClaimReader.all.map(\.bad.count).max() ?? 0
        #expect(most > 10)
        for index in 0..<most {
            let claims = ClaimReader.claims(ClaimReader.all) {
                $0.bad.indices.contains(index) ? $0.bad[index] : nil
            }
            for source in try await both(claims, login) {
                for reader in ClaimReader.all where reader.bad.indices.contains(index) {
                    await expectRejection("claim-rejected \(reader.name)", "\(reader.bad[index])") {
                        _ = try reader.read(source)
                    }
                }
            }
        }
    }

    @Test(
        "a date of birth may have a year, no year, or the year alone",
        arguments: [
            ("1988-02-29", [1988, 2, 29]), ("0000-02-29", [nil, 2, 29]),
            ("1990", [1990, nil, nil]),
            ("0001-01-01", [1, 1, 1]), ("9999", [9_999, nil, nil]), ("1900-02-28", [1_900, 2, 28]),
        ] as [(String, [Int?])])
    func birthdates(_ text: String, _ parts: [Int?]) throws {
        let date = try need(Birthdate(text))
        #expect([date.year, date.month, date.day] == parts)
        #expect(Birthdate(text + " ") == nil && Birthdate(text + "\0") == nil)
    }

    @Test(
        "ISO 8601 timestamps of card readings are read",
        arguments: [
            ("2017-04-01T19:43:37+0000", 1_491_075_817), ("2017-04-01T19:43:37Z", 1_491_075_817),
            ("2017-04-01T21:43:37+02:00", 1_491_075_817),
            ("2017-04-01T14:13:37-0530", 1_491_075_817), ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T00:00:00Z", 951_782_400), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Int64)]) func timestamps(_ text: String, _ seconds: Int64) async throws
    {
        for source in try await both(["card": ["read_date": .string(text)]], Self.login()) {
            #expect(try source.identityCard?.readDate == NumericDate(exactly: seconds))
        }
    }

    @Test("a picture is a URL or the image bytes")
    func pictures() async throws {
        let login = try await Self.login()
        let reader = try need(ClaimReader.all.first { $0.name == "picture" })
        for (text, value) in [
            ("/+8AAQ==", "[255, 239, 0, 1]"), ("AAAA", "[0, 0, 0]"),
            ("https://a.b/c", "address https://a.b/c"),
        ] {
            for source in try await both(["picture": .string(text)], login) {
                #expect(try reader.read(source) as? String == value)
            }
        }
    }

    @Test("one invalid claim leaves the others readable")
    func independence() async throws {
        let login = try await Self.login()
        let claims: [String: JSONValue] = [
            "email": 1, "name": "n", "device": ["rooted": "no", "imei": "1"],
        ]
        for source in try await both(claims, login) {
            #expect(try source.name == "n")
            #expect(try source.device?.imei == "1")
            await expectRejection("claim-rejected email") { _ = try source.email }
            await expectRejection("claim-rejected device.rooted") {
                _ = try source.device?.isRooted
            }
        }
    }

    @Test("device booleans may be the printed strings, and nothing else is a boolean")
    func deviceTruths() async throws {
        let login = try await Self.login()
        let names = ["debugEnabled", "hasSimEnabled", "smsEnabled", "rooted"]
        func read(_ source: any UserClaims) throws -> [() throws -> Bool?] {
            let device = try need(try source.device)
            return [
                { try device.isDebugEnabled }, { try device.hasSIM }, { try device.sendsMessages },
                { try device.isRooted },
            ]
        }
        func claims(_ value: JSONValue) -> [String: JSONValue] {
            var device: JSONObject = [:]
            for name in names { device[name] = value }
            return ["device": .object(device)]
        }
        for (value, truth) in [
            (true, true), (false, false), ("true", true), ("false", false), ("True", true),
            ("False", false),
        ] as [(JSONValue, Bool)] {
            for source in try await both(claims(value), login) {
                for reader in try read(source) { #expect(try reader() == truth) }
            }
        }
        for value in [
            "TRUE", "FALSE", "tRUE", "true ", " True", "yes", "no", "1", "0", "t", "null",
            "\u{ff34}rue", "True\u{301}", 1, 0, ["True"], ["a": true],
        ] as [JSONValue] {
            for source in try await both(claims(value), login) {
                for (name, reader) in try zip(names, read(source)) {
                    await expectRejection("claim-rejected device.\(name)", "\(value)") {
                        _ = try reader()
                    }
                }
            }
        }
    }

    @Test("email_verified and phone_number_verified: a boolean, or the string of one")
    func verifiedTruths() async throws {
        let login = try await Self.login()
        // Only device claims use capitals.
        for (value, truth) in [
            (true, true), (false, false), ("true", true), ("false", false), ("True", nil),
            ("False", nil), ("TRUE", nil), ("true ", nil), ("yes", nil), ("1", nil), (1, nil),
            ([], nil),
        ] as [(JSONValue, Bool?)] {
            for name in ["email_verified", "phone_number_verified"] {
                let reader = try need(ClaimReader.all.first { $0.name == name })
                for source in try await both([name: value], login) {
                    await expectResult(truth == nil ? "claim-rejected \(name)" : nil) {
                        let read = try reader.read(source) as? Bool
                        #expect(read == truth)
                    }
                }
            }
        }
    }

    @Test("claim names that are canonically equivalent in Unicode are different claims")
    func exact() async throws {
        let login = try await Login(
            TestEnvironment(.openID.with { $0.userInfo.names.nationality = "caf\u{e9}" }))
        for source in try await both(["cafe\u{301}": "BE"], login) {
            #expect(try source.nationality == nil)
            #expect(source["cafe\u{301}"] == "BE")
        }
    }
}
