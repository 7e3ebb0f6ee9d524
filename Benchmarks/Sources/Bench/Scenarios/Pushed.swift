// A pushed request of 2 KB, its parameters in an object that is signed and encrypted, and its
// client proved by a signed assertion, beside the raw calls for both.

@_spi(Bench) import JOSEBenchmark
import JOSE
import JOSEOpenID

/// Requests in one iteration: the task is woken for all of them once.
private let many = 16

/// What a client pushed, and who takes it.
private struct PushedPeers {
    let client: RegisteredClient
    let store: MemoryPushedRequestStore
    let body: String
    /// The signed token inside the object, and the assertion.
    let inner: String
    let assertion: String
    let now = NumericDate.now

    init(_ env: TestEnvironment) throws {
        let issuer = "https://idp.example.com"
        let redirect = "https://rp.example.com/callback"
        var profile = OpenIDProfile.openID
        profile.algorithms.keyManagement = [.rsaOAEP256]
        profile.algorithms.content = [.a128CBCHS256]
        profile.requestObject.layers = .signedThenEncrypted
        profile.requestObject.delivery = .byValue
        profile.client.authentication = .assertion(.signed)
        let metadata = try ProviderMetadata(
            issuer: issuer, authorizationEndpoint: issuer + "/authorization",
            tokenEndpoint: issuer + "/token", userInfoEndpoint: issuer + "/userinfo",
            jwksURI: issuer + "/jwkSet", pushedRequestEndpoint: issuer + "/par",
            profile: profile)
        store = MemoryPushedRequestStore()
        // Each side has the benchmark's keys.
        let keys = JWKSet(keys: [env.signingKey, env.decryptionKey])
        let theirs = try PublicJWKSet(keys: [env.verificationKey, env.encryptionKey])
        let provider = try OpenIDProvider(
            profile: profile, metadata: metadata, keys: keys, replays: FreshStore(),
            pushedRequests: store)
        client = try provider.client(
            ClientRegistration(clientID: "s6BhdRkqt3", redirectURIs: [redirect]), keys: theirs)
        let party = try RelyingParty(
            profile: profile, metadata: metadata, clientID: "s6BhdRkqt3", redirectURI: redirect,
            keys: keys, providerKeys: theirs)
        var request = AuthorizationRequest(scopes: ["profile", "email"])
        request.locales = ["nl-BE", "fr-BE", "de-BE"]
        let pushed = try CallingThread().run { [request, now] in
            try await party.push(request, at: now)
        }
        body = pushed.request.body
        try require(1_800...2_600 ~= body.utf8.count, "the request has \(body.utf8.count) bytes")
        guard let object = pushed.request.parameters["request"],
            let assertion = pushed.request.parameters["client_assertion"]
        else { throw BenchmarkFailure("no object, or no assertion") }
        self.assertion = assertion
        let decrypter = try JWEDecrypter(
            keys: keys, algorithms: [.rsaOAEP256], content: [.a128CBCHS256])
        inner = String(
            decoding: try decrypter.decrypt(object).unauthenticatedPlaintext, as: UTF8.self)
    }
}

/// Raw calls that one task at a time makes.
private struct BaselineWork: @unchecked Sendable {
    let run: () throws -> Void
}

func pushedScenarios(_ env: TestEnvironment) -> [Scenario] {
    [
        Scenario("openid/par-baseline", gated: false) {
            let sides = try PushedPeers(env)
            let verifyAssertion = try verifyBaseline(env, sides.assertion)
            let decrypt = try decryptBaseline(env, Array(sides.inner.utf8))
            let verifyObject = try verifyBaseline(env, sides.inner)
            // On a thread of the pool, as the other: what differs is the work alone.
            let baseline = BaselineWork {
                try verifyAssertion(1, 0)
                try decrypt(1, 0)
                try verifyObject(1, 0)
            }
            return { iterations, _ in
                try waiting { for _ in 0..<iterations * many { try baseline.run() } }
            }
        },
        // Not held by the gate: its allocations are another thread's, which are counted apart.
        Scenario("openid/par", baseline: "openid/par-baseline", bound: .ratio(1.03), gated: false) {
            let sides = try PushedPeers(env)
            return { iterations, _ in
                try waiting {
                    for _ in 0..<iterations * many {
                        let result = await sides.client.receivePushedRequest(
                            sides.body, at: sides.now)
                        guard case .accepted(let kept) = result else {
                            throw BenchmarkFailure("rejected")
                        }
                        try await sides.store.remove(kept.reference, at: sides.now)
                    }
                }
            }
        },
    ]
}
