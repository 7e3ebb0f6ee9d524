// Fetched keys: the same results and explanations as with local keys, and nothing is cached beyond
// its set.

import JOSE
import Synchronization
import Testing

@Suite("Fetched keys")
struct FetchedKeysTests {
    private static let now = NumericDate(exactly: 1_760_000_000)
    private static let claims = #"{"iss":"i","aud":"a","exp":1760000300}"#

    /// A source whose set changes.
    private final class Source: KeySource {
        private let state: Mutex<PublicJWKSet>

        init(_ keys: [JWK]) throws { state = Mutex(try PublicJWKSet(keys: keys)) }

        func publish(_ keys: [JWK], stale: Bool = false) throws {
            let keys = try PublicJWKSet(keys: keys)
            state.withLock { $0 = stale ? keys.markedStale() : keys }
        }

        func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet { state.withLock { $0 } }
    }

    private static func policy() -> ClaimsPolicy {
        var policy = ClaimsPolicy(issuer: "i", audience: "a")
        policy.type = .exactly("x+jwt")
        return policy
    }

    @Test(
        "RFC 7515 5.2: results and explanations equal those of local keys, line by line",
        arguments: [false, true])
    func explanations(isNested: Bool) async throws {
        let published = [TestKeys.signing, TestKeys.decrypting]
        let encryption = isNested ? EncryptionRule.rsa() : .notEncrypted
        let pair = try VerifierPair(
            Self.policy(), encryption, keys: PublicJWKSet(keys: published))
        let good = #"{"alg":"RS256","kid":"sig-1","typ":"x+jwt"}"#
        var tokens = try [
            TestToken.signed(good, Self.claims), TestToken.signed(good, "{}"),
            TestToken.signed(good, Self.claims, by: TestKeys.stranger),
        ]
        for header in [
            #"{"alg":"RS256","kid":"sig-1"}"#, #"{"alg":"RS256","typ":"x+jwt"}"#,
            #"{"alg":"RS256","kid":"enc-1","typ":"x+jwt"}"#, #"{"alg":"none"}"#, "{}",
            #"{"alg":"RS256","kid":"other","typ":"x+jwt"}"#,
            #"{"alg":"RS384","kid":"sig-1","typ":"x+jwt"}"#,
            #"{"alg":"RS256","kid":"SIG-1","typ":"x+jwt"}"#,
        ] {
            tokens.append(try TestToken.signed(header, Self.claims))
        }
        tokens.append("Bearer x")
        for token in tokens {
            let token = isNested ? try TestToken.nested(token) : token
            // More than once, so that a cached header is tested, too.
            for _ in 0..<3 { _ = try await pair.verdict(token, at: Self.now) }
        }
    }

    @Test("a cached header is valid only for the key set that it was accepted with")
    func rotation() async throws {
        let old = TestKeys.named(TestKeys.signing, "k")
        let new = TestKeys.named(TestKeys.stranger, "k")
        let source = try Source([old])
        let verifier = try AsyncJWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: "a"), source: source)
        let header = #"{"alg":"RS256","kid":"k"}"#
        let byOld = try TestToken.signed(header, Self.claims, by: old)
        let byNew = try TestToken.signed(header, Self.claims, by: new)
        for (keys, good, bad) in [(old, byOld, byNew), (new, byNew, byOld), (old, byOld, byNew)] {
            try source.publish([keys])
            for _ in 0..<4 {
                _ = try await verifier.verify(good, at: Self.now)
                await expectRejection("signature-invalid") {
                    _ = try await verifier.verify(bad, at: Self.now)
                }
            }
        }
        try source.publish([TestKeys.named(TestKeys.client, "other")])
        await expectRejection("key-not-found") {
            _ = try await verifier.verify(byOld, at: Self.now)
        }
    }

    @Test(
        "stale keys accept tokens, and what newer keys might accept is unavailable",
        arguments: [false, true])
    func stale(isNested: Bool) async throws {
        let source = try Source([TestKeys.signing])
        let verifier = try AsyncJWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: "a"),
            isNested ? .rsa() : .notEncrypted, source: source)
        func token(_ header: String, by key: JWK, _ claims: String = Self.claims) throws -> String {
            let signed = try TestToken.signed(header, claims, by: key)
            return isNested ? try TestToken.nested(signed) : signed
        }
        let (bare, named) = (#"{"alg":"RS256"}"#, #"{"alg":"RS256","kid":"sig-1"}"#)
        // The token, and the results with current keys and with stale keys.
        let cases: [(token: String, own: String?, stale: String?)] = try [
            (token(named, by: TestKeys.signing), nil, nil),
            (token(bare, by: TestKeys.signing), nil, nil),
            (token(named, by: TestKeys.stranger), "signature-invalid", "signature-invalid"),
            (token(bare, by: TestKeys.stranger), "signature-invalid", "unavailable"),
            (
                token(#"{"alg":"RS256","kid":"other"}"#, by: TestKeys.signing), "key-not-found",
                "unavailable"
            ),
            (token(bare, by: TestKeys.signing, "{}"), "claim-rejected", "claim-rejected"),
            (token(bare, by: TestKeys.signing, "["), "malformed", "malformed"),
            (
                token(#"{"alg":"RS384"}"#, by: TestKeys.signing), "algorithm-not-allowed",
                "algorithm-not-allowed"
            ),
        ]
        func verdict(_ token: String) async -> String? {
            do throws(JOSEError) {
                _ = try await verifier.verify(token, at: Self.now)
                return nil
            } catch {
                return error.code.name
            }
        }
        for round in 0..<4 {
            let isStale = round % 2 == 1
            try source.publish([TestKeys.signing], stale: isStale)
            for each in cases {
                let wanted = isStale ? each.stale : each.own
                #expect(await verdict(each.token) == wanted)
                let last = await verifier.explain(each.token, at: Self.now).lines.last?.description
                #expect(
                    (last?.contains("the key set has expired") ?? false)
                        == (wanted == "unavailable"))
            }
            // Two keys, and a token that names neither.
            try source.publish([TestKeys.signing, TestKeys.client], stale: isStale)
            #expect(await verdict(cases[1].token) == (isStale ? "unavailable" : "key-not-found"))
        }
    }

    @Test("a stale set stays stale under another certificate rule and another acceleration")
    func staleStays() throws {
        let keys = try PublicJWKSet(keys: [TestKeys.signing])
        let stale = keys.markedStale()
        #expect(!keys.isStale && stale.isStale)
        #expect(stale.withAcceleration(.openSSLOnly).isStale)
        #expect(try stale.withCertificateRule(.ignore, at: Self.now).isStale)
        #expect(stale.isSame(as: keys), "what is prepared is shared")
    }
}
