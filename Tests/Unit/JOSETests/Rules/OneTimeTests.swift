// Verification with a replay store: the use is recorded last, succeeds once, and its failures have
// their own codes.

import JOSE
import JOSEOpenID
import Synchronization
import Testing

@Suite("One-time verification")
struct OneTimeTests {
    private static let now = NumericDate(exactly: 1_760_000_000) ?? .earliest
    private static let header = #"{"alg":"RS256","kid":"sig-1"}"#

    /// A store that records its calls and returns what the test sets.
    private final class Store: ReplayStore {
        private let state = Mutex<(uses: [ReplayEntry], now: [NumericDate])>(([], []))
        private let failure: ReplayStoreError?

        init(_ failure: ReplayStoreError? = nil) { self.failure = failure }

        var uses: [ReplayEntry] { state.withLock { $0.uses } }
        var times: [NumericDate] { state.withLock { $0.now } }

        func markUsed(_ use: ReplayEntry, at now: NumericDate) async throws(ReplayStoreError) {
            state.withLock { state in
                state.uses.append(use)
                state.now.append(now)
            }
            if let failure { throw failure }
        }
    }

    private static func policy(_ audiences: [String] = ["a"]) -> ClaimsPolicy {
        var policy = ClaimsPolicy(issuer: "i", audience: .anyOf(audiences))
        policy.leewaySeconds = 30
        return policy
    }

    private static func verifiers(
        _ policy: ClaimsPolicy = policy()
    ) throws -> (JWTVerifier, AsyncJWTVerifier) {
        let pair = try VerifierPair(policy)
        return (pair.local, pair.fetched)
    }

    private static func token(
        _ members: String = #","jti":"j""#, audience: String = #""a""#,
        by key: JWK = TestKeys.signing
    ) throws -> String {
        try TestToken.signed(
            header, "{\"iss\":\"i\",\"aud\":\(audience),\"exp\":1760000300\(members)}", by: key)
    }

    /// The results of both verifiers for a token, one after the other.
    private static func verdicts(
        _ token: String, once store: some ReplayStore, by policy: ClaimsPolicy = policy(),
        purpose: String = "p", expecting expectation: ClaimsExpectation = .none,
        at now: NumericDate = now
    ) async throws -> [String] {
        let (atHand, fetched) = try verifiers(policy)
        return [
            try await Rejection.asyncResult {
                _ = try await atHand.verifyOnce(
                    token, expecting: expectation, in: store, purpose: purpose, at: now)
            },
            try await Rejection.asyncResult {
                _ = try await fetched.verifyOnce(
                    token, expecting: expectation, in: store, purpose: purpose, at: now)
            },
        ]
    }

    @Test("RFC 7519 4.1.7: the first use is accepted, every later one is replayed") func once()
        async throws
    {
        let store = MemoryReplayStore()
        let token = try Self.token()
        for (token, purpose, first) in [
            (token, "logout", "accepted"), (token, "logout", "replayed"),
            (token, "invitation", "accepted"),
            (try Self.token(#","jti":"k""#), "logout", "accepted"),
        ] {
            let verdicts = try await Self.verdicts(token, once: store, purpose: purpose)
            #expect(verdicts == [first, "replayed"])
        }
        // Verifying without the store records nothing.
        #expect(try Self.verifiers().0.verify(token, at: Self.now).jwtID == "j")
    }

    @Test("of many tasks with one token only one succeeds") func race() async throws {
        let store = MemoryReplayStore()
        let token = try Self.token()
        let verdicts = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask { try await Self.verdicts(token, once: store) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(verdicts.filter { $0 == "accepted" }.count == 1)
        #expect(verdicts.filter { $0 == "replayed" }.count == 15)
    }

    @Test("the replay entry has purpose, iss, all of aud, jti, iat, exp and the longest leeway")
    func use() async throws {
        let store = Store()
        let (atHand, fetched) = try Self.verifiers(Self.policy(["b", "a"]))
        let token = try Self.token(
            #","jti":"j","iat":1759999990"#, audience: #"["x","b","a"]"#)
        _ = try await atHand.verifyOnce(token, in: store, purpose: "p", at: Self.now)
        _ = try await fetched.verifyOnce(token, in: store, purpose: "p", at: Self.now)
        let wanted = ReplayEntry(
            purpose: "p", issuer: "i", audience: "1:a1:b1:x", tokenID: "j",
            issuedAt: NumericDate(exactly: 1_759_999_990), leeway: .seconds(30),
            expires: try need(NumericDate(exactly: 1_760_000_601)))
        #expect(store.uses == [wanted, wanted])
        #expect(store.times == [Self.now, Self.now])
        // Own names in another order, more or fewer of them give the same use, as does a policy
        // without any.
        let other = try Self.verifiers(Self.policy(["a", "0", "b"])).0
        _ = try await other.verifyOnce(token, in: store, purpose: "p", at: Self.now)
        #expect(store.uses.last == wanted)
        var any = Self.policy()
        any.audience = .any
        _ = try await Self.verifiers(any).0.verifyOnce(token, in: store, purpose: "p", at: Self.now)
        #expect(try need(store.uses.last).digest() == wanted.digest())
    }

    @Test(
        "a token without a unique name is rejected, and the store is not called",
        arguments: [
            ("", "claim-rejected jti"), (#","jti":"""#, "claim-rejected jti"),
            (#","jti":null"#, "claim-rejected jti"), (#","jti":1"#, "claim-rejected jti"),
            (
                ",\"jti\":\"\(String(repeating: "x", count: 1_025))\"", "claim-rejected jti"
            ),
            (#","jti":"j","nbf":1760009999"#, "claim-rejected nbf"),
        ])
    func unnamed(_ members: String, _ wanted: String) async throws {
        let store = Store()
        let verdicts = try await Self.verdicts(Self.token(members), once: store)
        #expect(verdicts == [wanted, wanted])
        #expect(store.uses.isEmpty)
    }

    @Test("one-time verification requires exp and iss, whatever the policy allows") func required()
        async throws
    {
        let store = Store()
        for (claims, wanted) in [
            (#"{"iss":"i","jti":"j"}"#, "claim-rejected exp"),
            (#"{"jti":"j","exp":1760000300}"#, "claim-rejected iss"),
        ] {
            let token = try TestToken.signed(Self.header, claims)
            let verdicts = try await Self.verdicts(token, once: store, by: .any)
            #expect(verdicts == [wanted, wanted])
        }
        #expect(store.uses.isEmpty)
    }

    @Test("the store is called after all other checks: nonce, custom checks, claim types")
    func last() async throws {
        let store = Store()
        var policy = Self.policy()
        policy.require("n") { $0["n"] != .bool(false) }
        struct Claims: Decodable { var n: Int }
        let good = try Self.token(#","jti":"j","n":1"#)
        for (token, nonce, wanted) in [
            (good, "x", "claim-rejected nonce"),
            (try Self.token(#","jti":"j","n":false"#), nil, "claim-rejected n"),
            (try Self.token(by: TestKeys.stranger), nil, "signature-invalid"),
        ] as [(String, String?, String)] {
            let verdicts = try await Self.verdicts(
                token, once: store, by: policy, expecting: .init(nonce: nonce))
            #expect(verdicts == [wanted, wanted])
        }
        let (atHand, fetched) = try Self.verifiers(policy)
        let text = try Self.token(#","jti":"j","n":"1""#)
        await expectRejection("claim-rejected n") {
            _ = try await atHand.verifyOnce(
                text, as: Claims.self, in: store, purpose: "p", at: Self.now)
        }
        await expectRejection("claim-rejected n") {
            _ = try await fetched.verifyOnce(
                text, as: Claims.self, in: store, purpose: "p", at: Self.now)
        }
        #expect(store.uses.isEmpty)
        let claims = try await atHand.verifyOnce(
            good, as: Claims.self, in: store, purpose: "p", at: Self.now)
        let others = try await fetched.verifyOnce(
            good, as: Claims.self, in: store, purpose: "p", at: Self.now)
        #expect(claims.n == 1 && others.n == 1 && store.uses.count == 2)
    }

    @Test(
        "an error of the store rejects the token",
        arguments: [
            (ReplayStoreError.used, "replayed"), (.full, "unavailable"),
            (.unavailable, "unavailable"),
            (.quotaExceeded, "limit-exceeded"), (.lifetimeTooLong, "limit-exceeded"),
        ])
    func failures(_ failure: ReplayStoreError, _ wanted: String) async throws {
        let verdicts = try await Self.verdicts(Self.token(), once: Store(failure))
        #expect(verdicts == [wanted, wanted])
    }

    @Test("verifiers that share a store accept a token once, whatever their leeway and names")
    func shared() async throws {
        let names = [["a"], ["b"], ["a", "b"], ["b", "0", "a"]]
        let token = try Self.token(#","jti":"j""#, audience: #"["b","a"]"#)
        for first in [0, 60, 300] {
            for (index, own) in names.enumerated() {
                let store = MemoryReplayStore()
                var policy = Self.policy(own)
                policy.leewaySeconds = first
                let early = Self.now.advanced(by: .seconds(299))
                _ = try await Self.verifiers(policy).0.verifyOnce(
                    token, in: store, purpose: "p", at: early)
                var others = names.map { Self.policy($0) }
                others.append(ClaimsPolicy(issuer: "i", audience: .any))
                for var other in others {
                    other.leewaySeconds = 300
                    for second in [299, 300, 301, 305, 361, 599] {
                        let late = Self.now.advanced(by: .seconds(second))
                        let verdicts = try await Self.verdicts(
                            token, once: store, by: other, at: late)
                        #expect(
                            verdicts == ["replayed", "replayed"], "\(first) \(index) \(second)")
                    }
                }
            }
        }
    }

    @Test("audiences that are joined differently are different") func audiences() async throws {
        let store = Store()
        var policy = Self.policy()
        policy.audience = .any
        let verifier = try Self.verifiers(policy).0
        for audience in [
            #""a""#, #"["a","b"]"#, #"["ab"]"#, #""1:a1:b""#, #"["a1:b"]"#, #"["a","b","b"]"#,
            #"["\u00e9"]"#, #"["e\u0301"]"#, #"["","a"]"#,
        ] {
            _ = try await verifier.verifyOnce(
                Self.token(audience: audience), in: store, purpose: "p", at: Self.now)
        }
        #expect(try Set(store.uses.map { try $0.digest() }).count == 9)
    }

    @Test("an entry is kept as long as the token is accepted, including the leeway") func expiry()
        async throws
    {
        let store = MemoryReplayStore()
        let token = try Self.token()
        for (second, wanted) in [
            (0, ["accepted", "replayed"]), (329, ["replayed", "replayed"]),
            (330, ["claim-rejected exp", "claim-rejected exp"]),
        ] {
            let now = Self.now.advanced(by: .seconds(second))
            #expect(try await Self.verdicts(token, once: store, at: now) == wanted)
        }
    }
}
