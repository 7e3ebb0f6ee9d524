// The provider recipes: each signs in at the test provider under the same rules, and each
// documented rejection has the documented message.

import Foundation
import JOSE
import JOSEOpenID
import Testing

/// Both sides of a recipe: the registration in the provider's portal, and the HTTP between them.
struct RecipePeers {
    static let callback = "https://rp.example/callback"
    let provider: LoginProvider

    init(
        _ profile: OpenIDProfile, _ issuer: String, clientID: String = "MY_PARTNER_CODE",
        callback: String = RecipePeers.callback, own: JWKSet = TestKeys.provider,
        keys: PublicJWKSet? = nil, secret: ClientSecret? = nil, switches: [String] = []
    ) throws {
        var registration = ClientRegistration(
            clientID: clientID, redirectURIs: [callback], secret: secret)
        registration.appSwitchURIs = switches
        registration.requestURIRules = [.below("https://rp.example:443/request-objects/")]
        provider = try LoginProvider(
            profile, issuer: issuer, keys: own, registration,
            clientKeys: try keys ?? TestKeys.party.publicKeys, signIn: { _ in .reaching(profile) })
    }

    func document() throws -> String { try provider.provider.discoveryResponse().body }
    func theirs() throws -> PublicJWKSet {
        try PublicJWKSet(json: provider.provider.keySetResponse().body)
    }

    func post(_ request: TokenRequest) async throws -> OpenIDHTTPResponse {
        #expect(request.url.hasSuffix("/token"))
        return try await provider.token(request.body, request.authorization)
    }

    func get(_ request: OpenIDHTTPRequest) async throws -> OpenIDHTTPResponse {
        func header(_ name: String) -> String? {
            request.header(name)
        }
        return try await provider.userInfo(
            request.method, header("Authorization"), header("Content-Type"), request.body)
    }

    /// The browser: returns the URL query or form of the callback. The provider fetches the request
    /// object if there is one.
    func browse(
        _ started: AuthorizationStart, object: OpenIDHTTPResponse? = nil
    ) async throws -> String {
        try await provider.authorize(query(started.url)) { address in
            #expect(address.hasPrefix("https://rp.example:443/request-objects/"))
            return try need(object).body
        }.parameters.encoded
    }
}

extension UserAuthentication {
    /// A user who meets every requirement of the profile.
    static func reaching(_ profile: OpenIDProfile) -> UserAuthentication {
        UserAuthentication(
            subject: "user-1-of-32-characters-in-total", time: .now,
            acr: profile.authorization.acr.weakestFirst.last)
    }
}

extension LoginProvider {
    func tell(_ claims: [String: JSONValue]) { self.claims = claims }
}

/// The thrown error as a log shows it.
func said(_ body: () async throws -> Void) async -> String {
    do {
        try await body()
        return "accepted"
    } catch let rejected as TokenError {
        return rejected.code.name
    } catch {
        return "\(error)"
    }
}

extension OpenIDLogin {
    func finish(
        _ query: String, _ session: AuthorizationSession,
        remove: @Sendable () async throws -> Void = {}
    ) async throws -> VerifiedUserInfo {
        let response = try await party.authorizationResponse(query: query, for: session)
        return try await finish(response, session, remove: remove).user
    }
}

extension NetsLogin {
    func finish(
        _ form: String, _ session: AuthorizationSession
    ) async throws -> VerifiedIDToken { try await finish(form, session) {} }
}

extension BankClient {
    func finish(
        _ query: String, _ session: AuthorizationSession
    ) async throws -> TokenResponse { try await finish(query, session) {} }
}

/// A session store with one session, which can be removed once.
actor StoredSession {
    struct Gone: Error {}
    private(set) var isStored = true
    /// The number of token requests.
    private(set) var requestCount = 0

    func remove() throws {
        guard isStored else { throw Gone() }
        isStored = false
    }

    func countRequest() { requestCount += 1 }
}

@Suite("Provider recipes")
struct RecipeTests {
    static let folder = TestKeys.vectors.deletingLastPathComponent()
        .appending(path: "Sources/JOSEOpenID/JOSEOpenID.docc")

    /// The keys with certificates of a CA, from leaf to root.
    private static func certified(_ keys: JWKSet) throws -> JWKSet {
        let until = NumericDate.now.advanced(by: .seconds(86_400))
        let root = try TestKeys.unrelated.selfSignedAuthority(
            subject: CertificateSubject(commonName: "root"), from: .now, until: until)
        let subject = CertificateSubject(commonName: "client")
        return JWKSet(
            keys: try keys.keys.map {
                try $0.withCertificate(issuedBy: root, subject: subject, from: .now, until: until)
            })
    }

    /// Checks a rejection, and that the page has an entry with exactly this message.
    private func told(_ page: String, _ rejections: [String]) throws {
        let text = try String(
            contentsOf: RecipeTests.folder.appending(path: page + ".md"), encoding: .utf8)
        for rejection in rejections {
            #expect(text.contains("| `\(rejection)` |"), "\(page): \(rejection)")
        }
    }

    /// The user's denial is thrown with its error code.
    private func rejects(_ login: () async throws -> Void) async {
        let rejected = await #expect(throws: AuthorizationError.self) { try await login() }
        #expect(rejected?.code == .accessDenied)
    }

    /// Compiles only if the value is `Sendable`.
    private func shared(_: [any Sendable.Type]) {}

    @Test("one recipe value serves all requests of a service") func shared() {
        shared([OpenIDLogin.self, NetsLogin.self, BankClient.self, DeviceLogin.self])
    }

    private func itsme2(_ keys: JWKSet = TestKeys.party) throws -> (RecipePeers, OpenIDLogin) {
        let sides = try RecipePeers(.itsme2, "https://idp.e2e.itsme.services/v2")
        let party = try Itsme2.party(sides.document(), keys, sides.theirs())
        return (sides, OpenIDLogin(party: party, post: sides.post, get: sides.get))
    }

    @Test("itsme, second generation: a full login, and a login denied by the user")
    func itsme2() async throws {
        let (sides, login) = try itsme2()
        await sides.provider.tell([
            "given_name": "Zoë", "http://itsme.services/v2/claim/BENationalNumber": "90010112345",
        ])
        let started = try await login.party.start(Itsme2.request())
        let user = try await login.finish(sides.browse(started), started.session)
        #expect(user.subject == "user-1-of-32-characters-in-total")
        #expect(try user.givenName == "Zoë")
        #expect(try user.nationalNumber == "90010112345")
        let no = "error=access_denied&state=" + started.session.state
        await rejects { _ = try await login.finish(no, started.session) }
    }

    @Test("itsme, second generation: each failure produces the documented message")
    func itsme2Faults() async throws {
        let (sides, login) = try itsme2()
        let document = try sides.document()
        let started = try await login.party.start(Itsme2.request())
        let back = try await sides.browse(started)
        let other = try await login.party.start(Itsme2.request())
        var rejections: [String] = []
        rejections.append(
            await said {
                _ = try ProviderMetadata(
                    json: document, issuer: "https://idp.e2e.itsme.services/v2/",
                    profile: .itsme2)
            })
        rejections.append(
            await said { _ = try await login.party.start(AuthorizationRequest()) })
        rejections.append(
            await said {
                var request = AuthorizationRequest(serviceCode: "MY_LOGIN")
                request.maxAge = .seconds(60)
                _ = try await login.party.start(request)
            })
        rejections.append(await said { _ = try await login.finish(back, other.session) })
        // itsme knows other public keys of the client.
        let strangers = try RecipePeers(
            .itsme2, "https://idp.e2e.itsme.services/v2",
            keys: JWKSet(keys: [TestKeys.unrelated, TestKeys.partyDecrypting]).publicKeys)
        var plain = AuthorizationRequest(serviceCode: "MY_LOGIN")
        plain.delivery = RequestObjectDelivery.none
        let unknown = try await login.party.start(plain)
        let unknownBack = try await strangers.browse(unknown)
        rejections.append(
            await said {
                _ = try await OpenIDLogin(
                    party: login.party, post: strangers.post, get: strangers.get
                ).finish(unknownBack, unknown.session)
            })
        rejections.append(
            try OpenIDParameters(decoding: await strangers.browse(started))["error"] ?? "")
        let explanation = await login.party.explain(idToken: "e.e.e", for: started.session)
        #expect(explanation.error?.code == .malformed)
        // The provider encrypts to a key that the client does not have.
        for ours in [
            [TestKeys.partySigning, TestKeys.partyDecrypting2], [TestKeys.partySigning],
        ] {
            let late = try itsme2(JWKSet(keys: ours)).1
            let started = try await login.party.start(Itsme2.request())
            let back = try await sides.browse(started)
            rejections.append(
                await said {
                    _ = try await OpenIDLogin(
                        party: late.party, post: sides.post, get: sides.get
                    ).finish(back, started.session)
                })
        }
        try told("Itsme2", rejections)
    }

    @Test("itsme, first generation: a full login with a photo, and a login denied by the user")
    func itsme1() async throws {
        let sides = try RecipePeers(.itsme1, "https://e2emerchant.itsme.be/oidc")
        let party = try Itsme1.party(sides.document(), TestKeys.party, sides.theirs())
        let login = OpenIDLogin(party: party, post: sides.post, get: sides.get)
        await sides.provider.tell([
            "given_name": "Zoë", "tag:sixdots.be,2017-05:claim_photo": "AQID",
            "tag:sixdots.be,2016-06:claim_eid": ["eid": "592-1"],
        ])
        let started = try await login.party.start(Itsme1.request("1-of-many"))
        let object = try started.requestObjectResponse()
        // The object is sent by request_uri only. Its URL has the port, and the server serves the
        // object.
        #expect(
            query(started.url).hasSuffix(
                "request_uri=https%3A%2F%2Frp.example%3A443%2Frequest-objects%2F1-of-many"))
        #expect(try OpenIDParameters(decoding: query(started.url))["request"] == nil)
        #expect(
            object?.header("Content-Type") == "application/oauth-authz-req+jwt"
                && object?.status == 200)
        let user = try await login.finish(
            sides.browse(started, object: object), started.session)
        #expect(try user.photo == [1, 2, 3])
        let no = "error=access_denied&state=" + started.session.state
        await rejects { _ = try await login.finish(no, started.session) }
        var rejections = [
            await said {
                _ = try await login.party.start(AuthorizationRequest(serviceCode: ""))
            }
        ]
        var request = AuthorizationRequest(serviceCode: "MY_LOGIN")
        request.prompt = ["login"]
        rejections.append(await said { [request] in _ = try await login.party.start(request) })
        request.prompt = []
        request.delivery = .byReference("https://rp.example:8443/objects/1")
        rejections.append(await said { [request] in _ = try await login.party.start(request) })
        try told("Itsme1", rejections)
    }

    @Test("itsme, oldest guide: a full login whose level comes from the request object")
    func itsme0() async throws {
        let own = try RecipeTests.certified(TestKeys.provider)
        let ours = try RecipeTests.certified(TestKeys.party)
        let sides = try RecipePeers(.itsme0, "https://merchant.itsme.be/oidc", own: own)
        let party = try Itsme0.party(sides.document(), ours, sides.theirs())
        let login = OpenIDLogin(party: party, post: sides.post, get: sides.get)
        await sides.provider.tell([
            "given_name": "Zoë", "tag:itsmetag:sixdots.be,2016-06:claim_eid": ["eid": "592-1"],
        ])
        // The number is only in the encrypted object.
        let started = try await login.party.start(Itsme0.request(telephone: "+32470123456"))
        #expect(!started.url.contains("470123456"))
        let object = try need(OpenIDParameters(decoding: query(started.url))["request"])
        #expect(object.split(separator: ".").count == 5)
        let user = try await login.finish(sides.browse(started), started.session)
        #expect(try user.givenName == "Zoë")
        #expect(try user.identityCard?.number == "592-1")
        #expect(
            try PublicJWKSet(json: OpenIDHTTPResponse.keySet(ours, for: .itsme0).body).count == 2)
        await expectRejection("untrusted-key", "a chain is missing") {
            _ = try OpenIDHTTPResponse.keySet(TestKeys.party, for: .itsme0)
        }
        let old = try Itsme0.forOldApps(
            ProviderMetadata(
                json: sides.document(), issuer: "https://merchant.itsme.be/oidc",
                profile: .itsme0))
        let second = try RelyingParty(
            profile: Itsme0.profile, metadata: old, clientID: "MY_PARTNER_CODE",
            redirectURI: RecipePeers.callback, keys: ours, providerKeys: sides.theirs())
        let other = try await second.start(Itsme0.request())
        #expect(other.url.hasPrefix("https://mobileapp.sixdots.be/mobile/authorize?"))
        let third = try await login.finish(sides.browse(other), other.session)
        #expect(try third.givenName == "Zoë")
        let no = "error=access_denied&state=" + started.session.state
        await rejects { _ = try await login.finish(no, started.session) }
        var rejections: [String] = []
        var request = AuthorizationRequest(serviceCode: "MY_LOGIN")
        request.delivery = .byReference("https://rp.example/objects/1")
        rejections.append(await said { [request] in _ = try await party.start(request) })
        request.delivery = .byValue
        request.scopes = ["offline_access"]
        rejections.append(await said { [request] in _ = try await party.start(request) })
        try told("Itsme0", rejections)
    }

    @Test("Signicat: registration and authentication, from the app URL to the claims")
    func signicat() async throws {
        let issuer = "https://id.signicat.example/oidc"
        let secret = ClientSecret("only for this client")
        let sides = try RecipePeers(
            .signicatMobileID, issuer, clientID: "MY_CLIENT",
            callback: "https://merchant.example/callback", secret: secret)
        let party = try SignicatMobileID.party(
            sides.document(), issuer: issuer, secret: secret, sides.theirs())
        let login = OpenIDLogin(party: party, post: sides.post, get: sides.get)
        for started in [
            try await party.start(
                SignicatMobileID.registration(
                    account: "zoe", device: "Zoë's phone", artifact: "a-1")),
            try await party.start(SignicatMobileID.authentication(account: "zoe", deviceID: "d-1")),
        ] {
            let response = ActivationResponse.started(
                ActivationStart(
                    activationCode: "123456", statusURL: nil,
                    completeURL: "https://id.signicat.example/complete/1"))
            let next = try SignicatMobileID.activation(try response.response().body)
            guard case .activate("123456", nil, let complete) = next else {
                Issue.record("\(next)")
                continue
            }
            #expect(complete == "https://id.signicat.example/complete/1")
            await sides.provider.tell(["externalRef": "zoe", "deviceName": "Zoë's phone"])
            let user = try await login.finish(sides.browse(started), started.session)
            #expect(try user.externalReference == "zoe")
        }
        let rejected = ActivationResponse.failed(
            code: "urn:signicat:error:idp:ACCESS_DENIED", message: nil,
            completeURL: "https://id.signicat.example/complete/2")
        guard
            case .rejected("urn:signicat:error:idp:ACCESS_DENIED", let complete) =
                try SignicatMobileID.activation(try rejected.response().body)
        else { throw Login.NoCode() }
        #expect(complete == "https://id.signicat.example/complete/2")
        let started = try await party.start(
            SignicatMobileID.authentication(account: "zoe", deviceID: "d-1"))
        let back = try await sides.browse(started)
        let wrong = try SignicatMobileID.party(
            sides.document(), issuer: issuer, secret: ClientSecret("another"), sides.theirs())
        let no =
            "error=access_denied&state="
            + started.session.state.replacing(":", with: "%3A")
        await rejects { _ = try await login.finish(no, started.session) }
        try told(
            "SignicatMobileID",
            [
                await said {
                    _ = try await OpenIDLogin(party: wrong, post: sides.post, get: sides.get)
                        .finish(back, started.session)
                },
                await said { _ = try await party.start(AuthorizationRequest()) },
                await said {
                    var request = AuthorizationRequest.mobileIDAuthentication(
                        method: "m", deviceID: "d", externalReference: "e")
                    request.loginHints.removeLast()
                    _ = try await party.start(request)
                },
                await said { _ = try SignicatMobileID.activation("<html>") },
            ])
    }

    @Test("Nets eID Broker: a login with and without app switch, by form_post to the backend")
    func nets() async throws {
        let issuer = "https://broker.example/op"
        let sides = try RecipePeers(
            .netsEIDBroker, issuer, clientID: "MY_CLIENT",
            callback: "https://backend.example/callback")
        let party = try NetsLogin.party(
            sides.document(), issuer: issuer, TestKeys.party, sides.theirs())
        let login = NetsLogin(party: party, post: sides.post)
        for system in ["ios", "android", nil] {
            let started = try await login.start(system: system)
            let user = try await login.finish(sides.browse(started), started.session)
            #expect(user.subject == "user-1-of-32-characters-in-total")
        }
        let started = try await login.start(system: nil)
        let no = "error=access_denied&state=" + started.session.state
        await rejects { _ = try await login.finish(no, started.session) }
        try told(
            "NetsEIDBroker",
            [
                await said { _ = try await login.start(system: "windows") },
                await said {
                    var request = AuthorizationRequest()
                    request.identityProviderParameters = AuthorizationRequest.appSwitch(
                        system: "ios", url: "https://app.example/")
                    request.delivery = RequestObjectDelivery.none
                    _ = try await party.start(request)
                },
                await said {
                    _ = try await party.authorizationResponse(
                        query: sides.browse(started), for: started.session)
                },
                await said {
                    let scheme = try RelyingParty(
                        profile: .netsEIDBroker,
                        metadata: ProviderMetadata(
                            json: sides.document(), issuer: issuer, profile: .netsEIDBroker),
                        clientID: "MY_CLIENT", redirectURI: "my-app://callback",
                        keys: TestKeys.party, providerKeys: sides.theirs())
                    _ = try await scheme.start(AuthorizationRequest())
                },
            ])
    }

    @Test("any other provider: a full login with a client secret and PKCE")
    func core() async throws {
        let issuer = "https://op.example"
        let sides = try RecipePeers(
            .openID, issuer, clientID: "my-client", secret: ClientSecret("s3cr:t"))
        func login(_ secret: String) throws -> OpenIDLogin {
            OpenIDLogin(
                party: try CoreProvider.party(
                    sides.document(), issuer: issuer, secret: secret, sides.theirs()),
                post: sides.post, get: sides.get)
        }
        await sides.provider.tell(["name": "Zoë"])
        let started = try await login("s3cr:t").party.start(CoreProvider.request())
        let back = try await sides.browse(started)
        let user = try await login("s3cr:t").finish(back, started.session)
        #expect(try user.name == "Zoë")
        let again = await said { _ = try await login("s3cr:t").finish(back, started.session) }
        #expect(again == "invalid_grant")
        let next = try await login("x").party.start(CoreProvider.request())
        let wrong = try await sides.browse(next)
        let rejected = await said { _ = try await login("x").finish(wrong, next.session) }
        #expect(rejected == "invalid_client")
        let no = "error=access_denied&state=" + next.session.state
        await rejects { _ = try await login("s3cr:t").finish(no, next.session) }
    }

    @Test("any other provider: an error without state ends no login, an outage has its status")
    func coreFaults() async throws {
        let issuer = "https://op.example"
        let sides = try RecipePeers(
            .openID, issuer, clientID: "my-client", secret: ClientSecret("s3cr:t"))
        let party = try CoreProvider.party(
            sides.document(), issuer: issuer, secret: "s3cr:t", sides.theirs())
        let login = OpenIDLogin(party: party, post: sides.post, get: sides.get)
        let started = try await login.party.start(CoreProvider.request())
        let error = await #expect(throws: AuthorizationError.self) {
            _ = try await login.finish("error=invalid_request_object", started.session)
        }
        #expect(error?.isAuthenticated == false && error?.code == .invalidRequestObject)
        let back = try await sides.browse(started)
        #expect(try await login.finish(back, started.session).subject.utf8.count == 32)

        let away = try OpenIDHTTPResponse(status: 502, body: "<html>Bad Gateway</html>")
        for login in [
            OpenIDLogin(party: party, post: { _ in away }, get: sides.get),
            OpenIDLogin(party: party, post: sides.post, get: { _ in away }),
        ] {
            let next = try await login.party.start(CoreProvider.request())
            let back = try await sides.browse(next)
            let error = await expectRejection("unavailable") {
                _ = try await login.finish(back, next.session)
            }
            #expect(error?.message.contains("502") == true)
        }
    }

    @Test("any other provider: an acr value that only the client knows is rejected") func moon()
        async throws
    {
        let issuer = "https://op.example"
        let sides = try RecipePeers(
            .openID, issuer, clientID: "my-client", secret: ClientSecret("s3cr:t"))
        let party = try CoreProvider.party(
            sides.document(), issuer: issuer, secret: "s3cr:t", sides.theirs())
        var request = AuthorizationRequest()
        request.claims = ClaimsRequest(
            idToken: ["acr": .init(isEssential: true, value: "the moon")])
        let started = try await party.start(request)
        let back = try OpenIDParameters(decoding: await sides.browse(started))
        #expect(back["error"] == "unmet_authentication_requirements" && back["code"] == nil)
    }

    /// Finishes a login with responses that must keep the session, then twice with the code.
    private func endsOnce(
        _ stored: StoredSession, _ session: AuthorizationSession, code: String, other: String,
        finish: (_ callback: String) async throws -> Void
    ) async throws {
        // Neither response proves that the provider received this login's request.
        await #expect(throws: AuthorizationError.self) {
            try await finish("error=invalid_request_object")
        }
        await #expect(throws: JOSEError.self) { try await finish(other) }
        #expect(await stored.isStored)
        #expect(await stored.requestCount == 0)
        try await finish(code)
        let count = await stored.requestCount
        #expect(await !stored.isStored)
        #expect(count > 0)
        await #expect(throws: StoredSession.Gone.self) { try await finish(code) }
        #expect(await stored.requestCount == count)
    }

    @Test("OpenIDLogin removes the session before the token request, and sends a code once")
    func coreSession() async throws {
        let issuer = "https://op.example"
        let sides = try RecipePeers(
            .openID, issuer, clientID: "my-client", secret: ClientSecret("s3cr:t"))
        let party = try CoreProvider.party(
            sides.document(), issuer: issuer, secret: "s3cr:t", sides.theirs())
        for isDenied in [false, true] {
            let stored = StoredSession()
            let login = OpenIDLogin(
                party: party,
                post: {
                    #expect(await !stored.isStored)
                    await stored.countRequest()
                    return try await sides.post($0)
                }, get: sides.get)
            let started = try await party.start(CoreProvider.request())
            if isDenied {
                await rejects {
                    _ = try await login.finish(
                        "error=access_denied&state=" + started.session.state, started.session
                    ) { try await stored.remove() }
                }
                #expect(await !stored.isStored)
                #expect(await stored.requestCount == 0)
                continue
            }
            let other = try await sides.browse(party.start(CoreProvider.request()))
            try await endsOnce(
                stored, started.session, code: sides.browse(started), other: other
            ) {
                _ = try await login.finish($0, started.session) { try await stored.remove() }
            }
        }
    }

    @Test("NetsLogin removes the session before the token request, and sends a code once")
    func netsSession() async throws {
        let issuer = "https://broker.example/op"
        let sides = try RecipePeers(
            .netsEIDBroker, issuer, clientID: "MY_CLIENT",
            callback: "https://backend.example/callback")
        let party = try NetsLogin.party(
            sides.document(), issuer: issuer, TestKeys.party, sides.theirs())
        let stored = StoredSession()
        let login = NetsLogin(party: party) {
            #expect(await !stored.isStored)
            await stored.countRequest()
            return try await sides.post($0)
        }
        let started = try await login.start(system: nil)
        let other = try await sides.browse(login.start(system: nil))
        try await endsOnce(stored, started.session, code: sides.browse(started), other: other) {
            _ = try await login.finish($0, started.session) { try await stored.remove() }
        }
    }

    @Test("BankClient removes the session before the token request, and sends a code once")
    func bankSession() async throws {
        let bank = try await RecipeBank(.fapi2)
        let stored = StoredSession()
        let customer = BankClient(party: bank.party, prover: try .fresh()) {
            if !$0.url.hasSuffix("/par") {
                #expect(await !stored.isStored)
                await stored.countRequest()
            }
            return try await bank.post($0)
        }
        let started = try await customer.start(AuthorizationRequest(scopes: ["accounts"]))
        let next = try await customer.start(AuthorizationRequest(scopes: ["accounts"]))
        let (code, other) = try await (bank.browse(started.url), bank.browse(next.url))
        try await endsOnce(stored, started.session, code: code, other: other) {
            _ = try await customer.finish($0, started.session) { try await stored.remove() }
        }
    }
}
