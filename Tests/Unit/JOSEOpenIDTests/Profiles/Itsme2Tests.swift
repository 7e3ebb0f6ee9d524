// itsme, second generation: differences from the first.

import JOSE
import JOSEOpenID
import Testing

@Suite("itsme, second generation")
struct Itsme2Tests {
    let env: TestEnvironment

    init() throws { env = try TestEnvironment(.itsme2) }

    @Test("the Request Object must be signed, then encrypted") func requestObject() async throws {
        let request = env.request(byValue: true)
        let started = try await env.party.start(request, at: .testNow)
        let outer = try urlParameters(started.url)
        #expect(try need(outer["request"]).split(separator: ".").count == 5)
        // A signed one is rejected.
        var weaker = OpenIDProfile.itsme2
        weaker.requestObject.layers = .signed
        let signed = try await TestEnvironment(weaker).party.start(request, at: .testNow)
        let bad = query(signed.url)
        let rejected = try await env.client.browse(bad).rejected()
        #expect(rejected.error.code == .invalidRequestObject)
    }

    @Test("a Request Object's aud is the authorization endpoint, an assertion's the token endpoint")
    func audiences() {
        #expect(env.profile.requestObject.audience == .authorizationEndpoint)
        #expect(env.profile.client.audience == .tokenEndpoint)
        #expect(env.profile.requestObject.allowsReference)
    }

    @Test("the client assertion must be signed, then encrypted") func assertion() async throws {
        let login = try await Login(env)
        let request = try await login.tokenRequest()
        #expect(
            try need(request.parameters["client_assertion"]).split(separator: ".").count == 5)
        var weaker = OpenIDProfile.itsme2
        weaker.client.authentication = .assertion(.signed)
        let signed = try await TestEnvironment(weaker).party.tokenRequest(
            code: "c", for: login.started.session, at: .testNow)
        await expectRejection("malformed") { _ = try await env.client.receive(signed) }
    }

    @Test("acr: v2 and V2 are the same segment, all else is case-sensitive")
    func acrValues() async throws {
        var request = env.request
        request.acrValues = ["http://itsme.services/V2/claim/acr_basic"]
        let login = try await Login(env, request)
        for (given, isGood) in [
            ("http://itsme.services/v2/claim/acr_basic", true),
            ("http://itsme.services/V2/claim/acr_basic", true),
            ("http://itsme.services/V2/claim/acr_advanced", true),
            ("http://itsme.services/v2/claim/ACR_advanced", false),
            ("http://ITSME.services/v2/claim/acr_advanced", false),
            ("http://itsme.services/v3/claim/acr_advanced", false),
        ] {
            let token = try login.altered(["acr": .string(given)])
            await expectResult(isGood ? nil : "claim-rejected acr", given) {
                let acr = try await login.open(token).acr
                #expect(acr == given)
            }
        }
        request.acrValues = ["http://itsme.services/V2/claim/acr_advanced"]
        let strict = try await Login(env, request)
        await expectRejection("claim-rejected acr") {
            _ = try await strict.open(["acr": "http://itsme.services/v2/claim/acr_basic"])
        }
    }

    @Test("both OAEP variants are accepted, and RSA-OAEP-256 is used if the provider supports it")
    func bothVariants() async throws {
        let login = try await Login(env)
        for algorithm in [KeyManagementAlgorithm.rsaOAEP, .rsaOAEP256] {
            let token = try env.sealed(login.goodClaims, .signedThenEncrypted, algorithm: algorithm)
            #expect(try await login.open(token).subject == "user-1-of-32-characters-in-total")
        }
        func header(_ env: TestEnvironment) async throws -> String? {
            let url = try await env.start { $0.delivery = .byValue }.url
            return try TokenText.header(need(urlParameters(url)["request"]))["alg"] as? String
        }
        #expect(try await header(env) == "RSA-OAEP-256")
        let old = try TestEnvironment(
            .itsme2,
            additional: ["request_object_encryption_alg_values_supported": ["RSA-OAEP"]])
        #expect(try await header(old) == "RSA-OAEP")
    }

    @Test("a client that registered an algorithm gets it") func registered() async throws {
        let login = try await Login(env)
        var registration = TestEnvironment.registration(secret: nil)
        for algorithm in [KeyManagementAlgorithm.rsaOAEP, .rsaOAEP256] {
            registration.keyManagement = [algorithm]
            let token = try env.provider.tokenIssuer(
                for: registration, keys: TestKeys.party.publicKeys
            ).idToken(for: login.received, login.user, at: .testNow)
            #expect(try TokenText.header(token)["alg"] as? String == "\(algorithm)")
            #expect(try await login.open(token).subject == "user-1-of-32-characters-in-total")
        }
        registration.keyManagement = []
        let none = try env.provider.tokenIssuer(
            for: registration, keys: TestKeys.party.publicKeys)
        await expectRejection("key-not-found") {
            _ = try none.idToken(for: login.received, login.user, at: .testNow)
        }
    }

    @Test("a provider ignores unknown acr values")
    func unknownACRValues() async throws {
        let started = try await env.start()
        let received = try await env.client.receiveAuthorizationRequest(
            query(started.url) + "&acr_values=http%3A%2F%2Fitsme.services%2Fx"
        ).accepted()
        let user = TestEnvironment.user("http://itsme.services/v2/claim/acr_basic")
        _ = try await env.client.tokenIssuer().idToken(for: received, user, at: .testNow)
    }

    @Test("both headers have kid, and cty is JWT") func headers() async throws {
        let login = try await Login(env)
        let token = try await login.idToken()
        let outer = try TokenText.header(token)
        #expect(outer["kid"] as? String == "rp-enc" && outer["cty"] as? String == "JWT")
        let decrypter = try JWEDecrypter(
            key: TestKeys.partyDecrypting, algorithms: [.rsaOAEP256], content: [.a128CBCHS256])
        let inner = String(
            decoding: try decrypter.decrypt(token).unauthenticatedPlaintext, as: UTF8.self)
        #expect(try TokenText.header(inner)["kid"] as? String == "op-sig")
    }

    @Test("with several encryption keys kid selects one, and without kid a few are tried")
    func severalKeys() async throws {
        let keys = JWKSet(keys: [
            TestKeys.partySigning, TestKeys.partyDecrypting, TestKeys.partyDecrypting2,
        ])
        let env = try TestEnvironment(.itsme2, partyKeys: keys)
        let login = try await Login(env)
        for key in [TestKeys.partyDecrypting, TestKeys.partyDecrypting2] {
            let byName = try env.sealed(login.goodClaims, .signedThenEncrypted, for: key)
            #expect(try await login.open(byName).subject == "user-1-of-32-characters-in-total")
            var nameless = key
            nameless.keyID = nil
            let without = try env.sealed(login.goodClaims, .signedThenEncrypted, for: nameless)
            #expect(try await login.open(without).subject == "user-1-of-32-characters-in-total")
            // The first generation requires kid, so no keys are tried.
            var strict = OpenIDProfile.itsme2
            strict.algorithms.missingKeyID = .requireUnique
            let careful = try TestEnvironment(strict, partyKeys: keys)
            await expectRejection("key-not-found") {
                _ = try await careful.party.open(without, login.started)
            }
        }
        var stranger = TestKeys.unrelated
        stranger.keyID = nil
        stranger.use = .encryption
        let foreign = try env.sealed(login.goodClaims, .signedThenEncrypted, for: stranger)
        await expectRejection("decryption-failed") { _ = try await login.open(foreign) }
    }

    @Test("the first generation's rules apply here too") func asAbove() async {
        let changes: [(String, (inout AuthorizationRequest) -> Void)] = [
            ("service:<code>", { $0.serviceCode = nil }),
            ("port :443", { $0.delivery = .byReference("https://rp.example/o") }),
            ("display=page", { $0.display = "touch" }),
        ]
        for (rule, change) in changes { await expectRule(rule) { _ = try await env.start(change) } }
    }

    @Test("a registered redirect_uri may be http, as the guide does not require https")
    func plainRedirect() async throws {
        let address = "http://rp.example/callback"
        let client = try env.provider.client(
            ClientRegistration(clientID: TestEnvironment.clientID, redirectURIs: [address]))
        let party = try TestEnvironment.party(
            .itsme2, env.metadata, redirectURI: address, secret: nil)
        let sent = await query(try party.start(env.request, at: .testNow).url)
        let received = try await client.receiveAuthorizationRequest(sent).accepted()
        #expect(received.redirectURI == address)
        // It is matched exactly like any other.
        await expectRejection("claim-rejected redirect_uri") {
            _ = try await client.receiveAuthorizationRequest(
                query(env.start().url))
        }
        await expectRejection("claim-rejected redirect_uri") {
            _ = try await env.client.receiveAuthorizationRequest(sent)
        }
    }
}
