// A resource server with several issuers: the exact iss selects keys and rules, nothing else.

import JOSE
import JOSEOpenID
import Synchronization
import Testing

private final class CountedKeys: KeySource {
    private let set: PublicJWKSet
    private let calls = Mutex(0)
    var count: Int { calls.withLock { $0 } }

    init(_ set: PublicJWKSet) { self.set = set }

    func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet {
        calls.withLock { $0 += 1 }
        return set
    }
}

@Suite("Resource server with several issuers")
struct SeveralIssuersTests {
    static let other = "https://other.example"
    static let resource = "https://api.example"

    private let first: CountedKeys
    private let second: CountedKeys
    private let server: ResourceServer

    init() throws {
        first = CountedKeys(try TestKeys.provider.publicKeys)
        second = CountedKeys(try JWKSet(keys: [TestKeys.unrelated]).publicKeys)
        var strict = ResourceRules()
        strict.algorithms = [.ps256]
        strict.requiresBinding = true
        server = try ResourceServer(
            issuers: [
                ResourceServer.Issuer(TestEnvironment.issuer, keys: first),
                ResourceServer.Issuer(Self.other, keys: second, rules: strict),
            ], audiences: [Self.resource])
    }

    private func token(
        _ issuer: JSONValue?, by key: JWK = TestKeys.providerSigning,
        _ algorithm: SignatureAlgorithm = .rs256, _ change: [String: JSONValue?] = [:]
    ) throws -> String {
        let claims: [String: JSONValue] = [
            "sub": "user-1", "aud": .string(Self.resource), "client_id": "c", "iat": .now(),
            "exp": .now(300), "jti": "j-1", "scope": "read",
        ]
        return try JWTIssuer(
            key: key, algorithm: algorithm, requiresExpiration: false, type: "at+jwt"
        ).issue(JSONValue.object(JSONObject(claims.with(["iss": issuer]).with(change))))
    }

    private func verify(_ token: String, certificate: [UInt8]? = nil) async throws
        -> VerifiedAccessToken
    { try await server.get("Bearer " + token, certificate: certificate) }

    @Test("each issuer's tokens are verified with its own keys, algorithms and binding")
    func own() async throws {
        let access = try await verify(token(.issuer))
        #expect(access.issuer == TestEnvironment.issuer && access.scopes == ["read"])
        #expect(second.count == 0)
        let certificate: [UInt8] = [1, 2, 3]
        let bound = try TokenBinding(clientCertificate: certificate)
        let cnf: [String: JSONValue?] = [
            "cnf": ["x5t#S256": .string(try need(bound.certificateThumbprint))]
        ]
        let other = try await verify(
            token(.string(Self.other), by: TestKeys.unrelated, .ps256, cnf),
            certificate: certificate)
        #expect(other.issuer == Self.other && other.binding == bound)
        // The rules of one issuer do not apply to the other.
        await expectRejection("claim-rejected cnf") {
            _ = try await verify(token(.string(Self.other), by: TestKeys.unrelated, .ps256))
        }
        await expectRejection("algorithm-not-allowed") {
            _ = try await verify(
                token(.string(Self.other), by: TestKeys.unrelated, .rs256, cnf),
                certificate: certificate)
        }
        await expectRejection("algorithm-not-allowed") {
            _ = try await verify(token(.issuer, .ps384))
        }
    }

    @Test("a token never reaches another issuer's keys")
    func mixed() async throws {
        for (issuer, key) in [
            (TestEnvironment.issuer, TestKeys.unrelated), (Self.other, TestKeys.providerSigning),
        ] {
            let algorithm: SignatureAlgorithm = issuer == Self.other ? .ps256 : .rs256
            await expectRejection("key-not-found") {
                _ = try await verify(token(.string(issuer), by: key, algorithm))
            }
            // The same kid as the right issuer's key.
            var renamed = key
            renamed.keyID =
                issuer == Self.other
                ? TestKeys.unrelated.keyID : TestKeys.providerSigning.keyID
            await expectRejection("signature-invalid") {
                _ = try await verify(token(.string(issuer), by: renamed, algorithm))
            }
        }
    }

    @Test("an issuer that is not configured is rejected before keys are fetched")
    func unknown() async throws {
        for issuer: JSONValue? in [
            nil, .null, 1, [], [.issuer], "", "https://evil.example",
            .string(TestEnvironment.issuer + "/"), "https://idp.example/V2",
            "https://other.example\u{301}", .string(TestEnvironment.issuer + "\u{0}"),
            "http://169.254.169.254/keys",
        ] {
            await expectRejection("claim-rejected iss", "\(issuer as Any)") {
                _ = try await verify(token(issuer))
            }
        }
        await expectRejection("malformed", "iss twice") {
            _ = try await verify(
                twice("iss", TestEnvironment.issuer, Self.other))
        }
        #expect(first.count == 0 && second.count == 0)
    }

    /// A signed token whose claims have a member twice.
    private func twice(_ name: String, _ a: String, _ b: String) throws -> String {
        try JWSSigner(key: TestKeys.providerSigning, algorithm: .rs256).sign(
            Array("{\"\(name)\":\"\(a)\",\"\(name)\":\"\(b)\"}".utf8))
    }

    @Test("each issuer has its own limits, in either order of the issuers")
    func limits() async throws {
        var deep = ResourceRules()
        deep.limits.jsonDepth = 64
        deep.limits.tokenBytes = 16_384
        var flat = ResourceRules()
        flat.limits.jsonDepth = 8
        flat.limits.tokenBytes = 4_096
        let a = ResourceServer.Issuer(
            TestEnvironment.issuer, keys: try TestKeys.provider.publicKeys, rules: deep)
        let b = ResourceServer.Issuer(
            Self.other, keys: try JWKSet(keys: [TestKeys.unrelated]).publicKeys, rules: flat)
        var nested: JSONValue = 1
        for _ in 0..<40 { nested = [nested] }
        var shallow: JSONValue = 1
        for _ in 0..<12 { shallow = [shallow] }
        let long = JSONValue.string(String(repeating: "a", count: 6_000))
        for issuers in [[a, b], [b, a]] {
            let server = try ResourceServer(issuers: issuers, audiences: [Self.resource])
            func verify(_ issuer: String, _ key: JWK, _ claim: JSONValue) async throws {
                let text = try token(.string(issuer), by: key, .rs256, ["x": claim])
                try await server.get("Bearer " + text)
            }
            for claim in [nested, shallow, long, 1] {
                try await verify(TestEnvironment.issuer, TestKeys.providerSigning, claim)
            }
            try await verify(Self.other, TestKeys.unrelated, 1)
            for claim in [nested, shallow, long] {
                await expectRejection("limit-exceeded") {
                    try await verify(Self.other, TestKeys.unrelated, claim)
                }
            }
        }
    }

    @Test("no issuer, two of the same name and invalid rules are misuse")
    func misuse() async throws {
        let keys = try TestKeys.provider.publicKeys
        var late = ResourceRules()
        late.leeway = .seconds(301)
        let a = ResourceServer.Issuer("a", keys: keys)
        let b = ResourceServer.Issuer("b", keys: keys, rules: late)
        for issuers in [[], [ResourceServer.Issuer("", keys: keys)], [a, a], [a, b]] {
            await expectRejection("misuse") {
                _ = try ResourceServer(issuers: issuers, audiences: [Self.resource])
            }
        }
        await expectRejection("misuse") { _ = try ResourceServer(issuers: [a], audiences: []) }
        for realm in ["", "a\"b", "a\\b", "a\nb", "é"] {
            await expectRejection("misuse", realm) {
                _ = try ResourceServer(issuers: [a], audiences: ["b"], realm: realm)
            }
        }
    }

    @Test("proofs of equal clients and users of two issuers count against different quotas")
    func quotas() async throws {
        let prover = try DPoPProver.fresh()
        let server = try ResourceServer(
            issuers: [
                ResourceServer.Issuer(TestEnvironment.issuer, keys: first),
                ResourceServer.Issuer(Self.other, keys: second),
            ], audiences: [Self.resource],
            proofs: DPoPVerifier(
                server: Self.resource, replays: MemoryReplayStore(capacity: 10, quota: 1)))
        let cnf: [String: JSONValue?] = ["cnf": ["jkt": .string(prover.keyThumbprint)]]
        func use(_ issuer: String, _ key: JWK) async throws {
            let token = try token(.string(issuer), by: key, .rs256, cnf)
            let proof = try prover.proof(
                method: "GET", url: Self.resource, accessToken: token, at: .testNow)
            try await server.get("DPoP " + token, proofs: [proof])
        }
        try await use(Self.other, TestKeys.unrelated)
        await expectRejection("limit-exceeded") { try await use(Self.other, TestKeys.unrelated) }
        try await use(TestEnvironment.issuer, TestKeys.providerSigning)
    }
}
