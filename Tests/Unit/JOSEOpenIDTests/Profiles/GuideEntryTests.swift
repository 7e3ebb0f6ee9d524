// Guide rules that concern more than one preset.

import JOSE
import JOSEOpenID
import Testing

@Suite("Entries of the provider guides")
struct GuideEntryTests {
    static let itsme: [OpenIDProfile] = [.itsme0, .itsme1, .itsme2]
    private static let subject = "user-1-of-32-characters-in-total"

    /// UserInfo with these claims, signed and encrypted by the profile's provider.
    private func userInfo(
        _ login: Login, _ claims: [String: JSONValue], contentType: String? = nil
    ) async throws -> VerifiedUserInfo {
        let idToken = try await login.open(try await login.idToken())
        var all = claims
        all["sub"] = .string(Self.subject)
        let layers = login.env.profile.userInfo.layers
        let body =
            layers == nil
            ? try jsonText(.object(all)) : try login.env.sealed(all, layers)
        return try await login.env.party.verifyUserInfo(
            body, for: idToken, contentType: contentType, at: .testNow)
    }

    // MARK: Levels

    private static let undefined = [
        "foo", "", "tag:sixdots.be,2016-06:acr_", "tag:sixdots.be,2016-06:acr_extreme",
        "tag:sixdots.be,2016-06:acr_basic ", "TAG:sixdots.be,2016-06:acr_basic",
        "tag:itsmetag:sixdots.be,2017-05:acr_basic", "http://itsme.services/v3/claim/acr_basic",
        "http://itsme.services/v2/claim/ACR_basic", "http://itsme.services/v2/CLAIM/acr_basic",
        "http://itsme.services/V3/claim/acr_basic",
        "http://itsme.services/vV/claim/acr_basic", "http://itsme.services/V2/claim/acr_Basic",
        "http://itsme.servicesV2/claim/acr_basic/", "urn:mace:incommon:iap:silver", "0",
    ]

    @Test(
        "an acr that the guide does not define is rejected in ID Token and UserInfo",
        arguments: itsme)
    func undefined(_ profile: OpenIDProfile) async throws {
        let login = try await Login(TestEnvironment(profile))
        for acr in Self.undefined {
            await expectRejection("claim-rejected acr", acr) {
                _ = try await login.open(["acr": .string(acr)])
            }
            await expectRejection("claim-rejected acr", acr) {
                _ = try await userInfo(login, ["acr": .string(acr)])
            }
            await expectRule("does not define") { _ = try await login.idToken(acr: acr) }
        }
        for acr in [1, ["acr"], [:], true] as [JSONValue] {
            await expectRejection("claim-rejected acr") {
                _ = try await userInfo(login, ["acr": acr])
            }
        }
    }

    @Test("if a profile defines no values, any acr that was not excluded is accepted")
    func free() async throws {
        let login = try await Login(TestEnvironment(.openID))
        #expect(try await login.open(try await login.idToken(acr: "foo")).acr == "foo")
        #expect(try await userInfo(login, ["acr": "foo"]).acr == "foo")
    }

    private static let sixdots = "tag:sixdots.be,2016-06:"
    private static let services = "http://itsme.services/"

    @Test(
        "the provider writes the level in the guide's response spelling",
        arguments: [
            (OpenIDProfile.itsme0, "tag:itsmetag:sixdots.be,2016-06:", sixdots, "acr_advanced"),
            (.itsme0, sixdots, sixdots, "acr_advanced"),
            (.itsme1, sixdots, sixdots, "acr_advanced"), (.itsme1, sixdots, sixdots, "acr_basic"),
            (.itsme2, services + "v2/claim/", services + "V2/claim/", "acr_advanced"),
            (.itsme2, services + "V2/claim/", services + "V2/claim/", "acr_advanced"),
            (.itsme2, services + "v2/claim/", services + "V2/claim/", "acr_basic"),
        ]) func written(
            _ profile: OpenIDProfile, _ before: String, _ after: String, _ level: String
        ) async throws
    {
        let login = try await Login(TestEnvironment(profile))
        let (given, acr) = (before + level, after + level)
        #expect(try await login.open(try await login.idToken(acr: given)).acr == acr)
    }

    @Test("000: UserInfo may have acr and auth_time, which are read and not required")
    func authentication() async throws {
        let login = try await Login(TestEnvironment(.itsme0))
        let info = try await userInfo(
            login,
            [
                "acr": "tag:sixdots.be,2016-06:acr_basic", "auth_time": .now(-5),
            ])
        #expect(try info.acr == "tag:sixdots.be,2016-06:acr_basic")
        #expect(try info.authenticatedAt?.seconds == TestEnvironment.now.seconds - 5)
        let none = try await userInfo(login, [:])
        #expect(try none.acr == nil && none.authenticatedAt == nil)
        // The guide says that amr and azp are absent. If present they are no error.
        let more = try await userInfo(login, ["amr": ["pin"], "azp": "client-2", "name": "n"])
        #expect(try more.name == "n" && more["amr"] == ["pin"])
        // In one place the guide writes the media type in capitals.
        #expect(try await userInfo(login, [:], contentType: "application/JWT").acr == nil)
        for time in ["now", -1, 253_402_300_800, true] as [JSONValue] {
            let bad = try await userInfo(login, ["auth_time": time])
            await expectRejection("claim-rejected auth_time") { _ = try bad.authenticatedAt }
        }
    }

    // MARK: Certificates

    /// PublishedKeyTests covers what each rule accepts.
    @Test("000: the preset publishes only complete chains, whose certificates can be exported")
    func chains() throws {
        #expect(OpenIDProfile.itsme0.publishedCertificates == .completeChain)
        let whole = try TestChain().issued(TestKeys.party)
        #expect(
            try OpenIDHTTPResponse.keySet(whole, for: .itsme0, at: .testNow).body.contains("x5c"))
        // The guide's certificate file is the first certificate as DER.
        let der = try need(whole.keys[1].certificateChain?.first)
        #expect(try KeyFileContents(der).certificates == [der])
    }

    // MARK: Hints and claims

    @Test("000: phone_number is a claim value in an encrypted object, and never in a URL")
    func telephone() async throws {
        let env = try TestEnvironment(
            .itsme0.with { $0.requestObject.layers = .signedThenEncrypted })
        let login = try await Login(env) {
            $0.delivery = .byValue
            $0.claims = ClaimsRequest(userInfo: ["phone_number": .value("+32470123456")])
        }
        #expect(!login.started.url.contains("470123456"))
        let object = try need(urlParameters(login.started.url)["request"])
        #expect(object.split(separator: ".").count == 5)
        #expect(login.received.claims?.userInfo["phone_number"]?.value == "+32470123456")
        #expect(login.received.isSigned("claims") && login.received.loginHints.isEmpty)
        // The preset's provider accepts such an object, and a signed one.
        let strict = try TestEnvironment(.itsme0)
        _ = try await strict.client.browse(login.started).accepted()
    }

    @Test("claims of a scope are in UserInfo and not in the ID Token", arguments: itsme)
    func scopes(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let login = try await Login(env) { $0.scopes = ["profile", "email", "phone", "address"] }
        let token = try await login.open(try await login.idToken())
        let claims = profile.userInfo.scopeClaims.claims(of: login.received.scopes)
        #expect(
            claims == [
                "family_name", "given_name", "gender", "birthdate", "locale", "email",
                "email_verified", "phone_number", "phone_number_verified", "address",
            ])
        for claim in claims { #expect(token[claim] == nil, "\(claim)") }
    }

    @Test("our UserInfo omits absent claims, and never contains null or an empty string")
    func empty() async throws {
        for profile in TestEnvironment.all {
            let responses = try await TestEnvironment(profile).client.tokenIssuer()
            for value: JSONValue in ["", .null] {
                await expectRule("omit it") {
                    _ = try responses.userInfo(
                        subject: Self.subject, claims: JSONValue.object(["given_name": value]),
                        at: .testNow)
                }
            }
            _ = try responses.userInfo(
                subject: Self.subject,
                claims: JSONValue.object(["given_name": " ", "x": [""], "y": ["z": ""]]),
                at: .testNow)
        }
    }

    @Test("the response list of 002: card, device, transaction and address by short names")
    func bareMembers() async throws {
        let info = try await userInfo(
            Login(TestEnvironment(.itsme1)),
            [
                "nationality": "BE", "place of birth": "Gent", "e-ID Picture": "AQID",
                "eid": "592-1", "issuance_locality": "Gent",
                "validity_from": "2017-04-01T19:43:37+0000", "nationality_number": "85",
                "os": "iOS", "deviceId": "d", "rooted": "false", "debugEnabled": "True",
                "hasSimEnabled": true,
                "securityLevel": "SIM_AND_SOFT", "bindLevel": "SOFT_ONLY", "mcc": 206,
                "street_address": "Wetstraat 16", "country": "BE",
            ])
        #expect(try info.nationality == "BE" && info.cityOfBirth == "Gent")
        #expect(try info.photo == [1, 2, 3])
        let card = try need(try info.identityCard)
        #expect(try card.number == "592-1" && card.issuanceLocality == "Gent")
        #expect(try card.validFrom?.seconds == 1_491_075_817 && card.nationalNumber == "85")
        let device = try need(try info.device)
        #expect(try device.system == .ios && device.identifier == "d" && device.hasSIM == true)
        #expect(try device.isRooted == false && device.isDebugEnabled == true)
        // Members of another object do not count.
        #expect(device["eid"] == nil && device["sub"] == nil && device["os"] == "iOS")
        #expect(device.members.count == 5 && card.members.count == 4)
        let transaction = try need(try info.transaction)
        #expect(
            try transaction.security == .simAndSoftware && transaction.binding == .softwareOnly)
        #expect(try transaction.mobileCountryCode == 206)
        #expect(try info.address?.streetAddress == "Wetstraat 16")
        #expect(try info.address?.country == "BE")
    }

    @Test("the response list of 001: SNN, place and country of birth, eid, national_number, device")
    func bareNames() async throws {
        let info = try await userInfo(
            Login(TestEnvironment(.itsme2)),
            [
                "place of Birth": "Gent", "country of Birth": "BE", "eid": "592-1",
                "national_number": "85", "SNN": "L1", "e-ID Picture": "AQID", "os": "ANDROID",
                "imei": "1", "mcc": 206,
            ])
        #expect(try info.placeOfBirth == "Gent" && info.countryOfBirth == "BE")
        #expect(try info.cardSerialNumber == "592-1" && info.nationalNumber == "85")
        #expect(try info.luxTrustSerialNumber == "L1" && info.photo == [1, 2, 3])
        #expect(try info.device?.system == .android && info.device?.imei == "1")
        #expect(try info.transaction?.mobileCountryCode == 206)
        // This guide has no object for the card: eid is its serial number.
        #expect(try info.identityCard == nil)
    }

    @Test(
        "claims documented as always returned or constant are read but not required",
        arguments: itsme)
    func alwaysReturned(_ profile: OpenIDProfile) async throws {
        let login = try await Login(TestEnvironment(profile))
        let bare = try await userInfo(login, [:])
        #expect(try bare.familyName == nil && bare.givenName == nil && bare.phoneNumber == nil)
        #expect(try bare.phoneNumberVerified == nil && bare.device == nil)
        let mail = try await userInfo(login, ["email": "a@b.example"])
        #expect(try mail.email == "a@b.example" && mail.emailVerified == nil)
        let whole = try await userInfo(
            login,
            [
                "email": "a@b.example", "email_verified": "false", "phone_number_verified": true,
                "phone_number": "+32 422010099",
            ])
        #expect(try whole.emailVerified == false && whole.phoneNumberVerified == true)
        #expect(try whole.phoneNumber == "+32 422010099")
        let other = try await userInfo(
            login,
            [
                "email": "a@b.example", "email_verified": true, "phone_number_verified": false,
                "phone_number": "0422 01 00 99", "gender": "x", "locale": "it",
                need(profile.userInfo.names.device?.preferred): [
                    "rooted": true, "hasSimEnabled": false, "deviceId": "d", "imei": "1",
                ],
            ])
        #expect(try other.emailVerified == true && other.phoneNumberVerified == false)
        #expect(try other.phoneNumber == "0422 01 00 99" && other.gender == "x")
        #expect(try other.locale == "it" && other.device?.isRooted == true)
        #expect(try other.device?.hasSIM == false && other.device?.identifier == "d")
        await expectRejection("claim-rejected sub") {
            _ = try await login.env.party.userInfo(
                login.env.sealed(["email": "a@b.example"], .signedThenEncrypted),
                login.open(login.forged(login.goodClaims)))
        }
    }

    @Test("a long name takes precedence, wrong types are rejected by name, nothing is invented")
    func bareConflicts() async throws {
        let login = try await Login(TestEnvironment(.itsme1))
        let device = "tag:sixdots.be,2017-05:claim_device"
        let both = try await userInfo(
            login, [device: ["os": "ANDROID"], "os": "iOS", "deviceId": "other"])
        #expect(try both.device?.system == .android && both.device?.identifier == nil)
        let empty = try await userInfo(login, [device: [:], "os": "iOS"])
        #expect(try empty.device?.system == nil)
        for value in [1, ["ANDROID"], [:], true] as [JSONValue] {
            let bad = try await userInfo(login, ["os": value])
            await expectRejection("claim-rejected os") { _ = try bad.device?.system }
        }
        let wrong = try await userInfo(login, [device: "ANDROID", "os": "iOS"])
        await expectRejection("claim-rejected \(device)") { _ = try wrong.device }
        let none = try await userInfo(login, ["name": "x", "SUB": "y"])
        #expect(try none.device == nil && none.identityCard == nil && none.transaction == nil)
        #expect(try none.address == nil)
        // Profiles whose guide prints objects read no members without them.
        for profile in [OpenIDProfile.itsme0, .openID, .signicatMobileID, .netsEIDBroker] {
            let other = try await userInfo(
                Login(TestEnvironment(profile)),
                ["os": "iOS", "eid": "1", "mcc": 206, "country": "BE"])
            #expect(try other.device == nil && other.identityCard == nil)
            #expect(try other.transaction == nil && other.address == nil)
        }
    }

    // MARK: Refresh tokens and times

    @Test("itsme has no refresh tokens: none is issued, sent or accepted", arguments: itsme)
    func refresh(_ profile: OpenIDProfile) async throws {
        let env = try TestEnvironment(profile)
        let login = try await Login(env)
        await expectRule("no refresh tokens") {
            _ = try env.client.refreshFamily(for: login.received, lifetime: .seconds(60))
        }
        await expectRule("no refresh tokens") {
            _ = try await env.party.refreshRequest(refreshToken: "r", at: .testNow)
        }
        let other = try TestEnvironment(profile.withRefreshTokens)
        let request = try await other.party.refreshRequest(refreshToken: "r", at: .testNow)
        await expectTokenError(.unsupportedGrantType, "unsupported") {
            _ = try await env.client.receiveRefreshRequest(request.body, at: .testNow)
        }
        #expect(env.metadata.list("grant_types_supported") == ["authorization_code"])
        // An unexpected one does not end the login.
        let asked = try await login.tokenRequest()
        let tokens = try TokenResponse(
            json: #"{"access_token":"a","token_type":"Bearer","id_token":"i","refresh_token":"r"}"#,
            to: asked)
        #expect(tokens.idToken == "i")
    }

    @Test(
        "exp is checked with the profile's leeway of 60 seconds, and strictly if it is 0",
        arguments: itsme)
    func leeway(_ profile: OpenIDProfile) async throws {
        for (leeway, ago, isGood) in [
            (60, Int64(0), true), (60, 59, true), (60, 60, false), (0, -1, true), (0, 0, false),
            (0, 1, false),
        ] {
            var profile = profile
            #expect(profile.leeway == .seconds(60))
            profile.leeway = .seconds(leeway)
            let login = try await Login(TestEnvironment(profile))
            let token = try login.altered(["iat": .now(-100), "exp": .now(-ago)])
            await login.expect(token, isGood ? nil : "claim-rejected exp")
        }
    }

    // MARK: Signicat and Nets

    @Test("003: a request without nonce is accepted, and its ID Token has none")
    func withoutNonce() async throws {
        let env = try TestEnvironment(.signicatMobileID)
        let started = try await env.start()
        let sent = query(started.url).split(separator: "&").filter { !$0.hasPrefix("nonce=") }
            .joined(separator: "&")
        let received = try await env.client.browse(sent).accepted()
        #expect(received.nonce == nil)
        let token = try await env.client.tokenIssuer().idToken(
            for: received, UserAuthentication(subject: "u", time: TestEnvironment.now), at: .testNow
        )
        // Our relying party always sends one, and accepts no token without it.
        await expectRejection("claim-rejected nonce") {
            _ = try await env.party.open(token, started)
        }
    }

    @Test(
        "004: idp_params in a signed object is a JSON object or a string that holds one",
        arguments: [false, true])
    func identityProviderParameters(_ isText: Bool) async throws {
        var profile = OpenIDProfile.netsEIDBroker
        if isText { profile.requestObject.textParameters = ["idp_params"] }
        let env = try TestEnvironment(profile)
        let parameters = AuthorizationRequest.appSwitch(
            system: "ios", url: "https://app.example/back")
        let started = try await env.start { $0.identityProviderParameters = parameters }
        let object = try need(urlParameters(started.url)["request"])
        let claims = try TestEnvironment.partyClaims(object)
        #expect((claims["idp_params"]?.string != nil) == isText)
        // A provider with the preset reads both.
        let received = try await TestEnvironment(.netsEIDBroker).client.receive(started)
        #expect(received.identityProviderParameters == parameters)
        #expect(received.isSigned("idp_params"))
    }

    @Test(
        "004: a string in idp_params without a valid JSON object is rejected",
        arguments: [
            "", " ", "{", "[]", "null", #""{}""#, "1", #"{"mitid":{}} x"#, #"{"a":1,"a":2}"#,
            #"{"mitid":"x"}"#, #"{"mitid":{"app_switch_os":"windows"}}"#,
            #"{"mitid":{"app_switch_url":"http://app.example/"}}"#,
            #"{"mitid":{"enable_app_switch":"true"}}"#,
        ])
    func badText(_ text: String) async throws {
        let env = try TestEnvironment(.netsEIDBroker)
        let object = try jwt(
            [
                "iss": .clientID, "aud": .issuer, "iat": .now(), "exp": .now(60),
                "client_id": .clientID, "response_type": "code", "scope": "openid",
                "redirect_uri": .redirectURI, "state": "s", "nonce": "n",
                "response_mode": "form_post", "idp_params": .string(text),
            ], by: TestKeys.partySigning)
        let sent = TestEnvironment.form(["request": object])
        let rejected = try await env.client.browse(sent).rejected()
        #expect([.invalidRequest, .invalidRequestObject].contains(rejected.error.code))
    }

    @Test("other JSON members stay JSON: a string as an object's claims is rejected")
    func otherText() async throws {
        let env = try TestEnvironment(.itsme1)
        let object = try jwt(
            [
                "iss": .clientID, "aud": .string(env.metadata.authorizationEndpoint),
                "response_type": "code", "client_id": .clientID, "scope": "openid service:LOGIN",
                "redirect_uri": .redirectURI, "claims": #"{"userinfo":{}}"#,
            ], by: TestKeys.partySigning)
        let sent = await query(try env.start().url) + "&request=" + object
        let rejected = try await env.client.browse(sent).rejected()
        #expect(rejected.error.code == .invalidRequestObject)
    }
}
