// Every entry point of the verifier gives the same result: string, bytes, fetched keys,
// explanation.

import JOSE
import Testing

@Suite("Entry points of the verifier")
struct EntryPointTests {
    @Test("each hostile token and control has the same result at every entry point")
    func sameResult() async throws {
        let file = try VectorFile.named("attacks.json")
        var count = 0
        for attack in file.vectors + file.negative
        where ["jwt", "nested", "jwks"].contains(attack.kind) && attack.input["jwk"] == nil {
            let runner = AttackRunner(attack)
            guard runner.waiting == nil, let keys = try? runner.signerKeys() else { continue }
            count += 1
            let token = try runner.token()
            let profile = try TestProfile(attack)
            let (expectation, now) = (profile.expectation, profile.now)
            let encryption = try runner.encryption()
            let verifier = try JWTVerifier.checking(
                profile.policy, encryption, signature: .rs256(keys: keys))
            let asynchronous = try AsyncJWTVerifier.checking(
                profile.policy, encryption, source: keys)
            let text = ending { () throws(JOSEError) in
                try verifier.verify(token, expecting: expectation, at: now)
            }
            let bytes = ending { () throws(JOSEError) in
                try verifier.verify(Array(token.utf8), expecting: expectation, at: now)
            }
            #expect(bytes == text, "\(attack.id)")
            let decoded = ending { () throws(JOSEError) in
                try verifier.verify(
                    token, as: [String: JSONValue].self, expecting: expectation, at: now)
            }
            #expect(decoded == text, "\(attack.id)")
            #expect(
                verifier.explain(token, expecting: expectation, at: now).error == text,
                "\(attack.id)")
            let fetched: JOSEError?
            do throws(JOSEError) {
                _ = try await asynchronous.verify(token, expecting: expectation, at: now)
                fetched = nil
            } catch {
                fetched = error
            }
            #expect(fetched == text, "\(attack.id), fetched keys")
        }
        #expect(count > 350)
    }

    private func ending(_ body: () throws(JOSEError) -> some Any) -> JOSEError? {
        do throws(JOSEError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    /// Counts its calls.
    private actor Source: KeySource {
        private(set) var asked: [String?] = []
        private let response: Result<PublicJWKSet, JOSEError>

        init(_ response: Result<PublicJWKSet, JOSEError>) { self.response = response }

        func keys(keyID: String?) async throws(JOSEError) -> PublicJWKSet {
            asked.append(keyID)
            return try response.get()
        }
    }

    @Test("keys are fetched once, with the kid, and never for a malformed token")
    func fetching() async throws {
        let source = Source(.success(try PublicJWKSet(keys: [TestKeys.signing])))
        let verifier = try AsyncJWTVerifier.checking(.any, source: source)
        for header in [
            #"{"alg":"none"}"#, #"{"alg":"HS256","kid":"sig-1"}"#, "{}",
            #"{"alg":"RS256","typ":"at+jwt"}"#,
            #"{"alg":"RS256","crit":["x"],"x":1}"#, #"{"alg":"RS256","kid":1}"#,
        ] {
            let token = try TestToken.signed(header, "{}")
            await #expect(throws: JOSEError.self) { try await verifier.verify(token) }
            _ = await verifier.explain(token)
        }
        for token in ["", "..", "a.b", "a.b.c.d.e", String(repeating: ".", count: 300_000)] {
            await #expect(throws: JOSEError.self) { try await verifier.verify(token) }
        }
        #expect(await source.asked.isEmpty)
        let named = try TestToken.signed(#"{"alg":"RS256","kid":"sig-1"}"#, "{}")
        for _ in 0..<5 { _ = try await verifier.verify(named) }
        _ = try await verifier.verify(TestToken.signed(#"{"alg":"RS256"}"#, "{}"))
        await #expect(throws: JOSEError.self) {
            try await verifier.verify(TestToken.signed(#"{"alg":"RS256","kid":"\u0061"}"#, "{}"))
        }
        #expect(await source.asked == Array(repeating: "sig-1", count: 5) + [nil, "a"])
        expectRejection("misuse") {
            _ = try AsyncJWTVerifier(policy: .any, keys: source, algorithms: [])
        }
    }

    @Test("a failing key source ends the call with its own error") func noKeys() async throws {
        let failure = expectRejection("key-not-found") {
            _ = try JWSVerifier.rs256(keys: PublicJWKSet(json: #"{"keys":[]}"#))
                .verify(TestToken.signed(#"{"alg":"RS256"}"#, "{}"))
        }
        let source = Source(.failure(try need(failure)))
        let verifier = try AsyncJWTVerifier.checking(
            ClaimsPolicy(issuer: .any, audience: .any), source: source)
        let token = try TestToken.signed(#"{"alg":"RS256"}"#, "{}")
        let error = await #expect(throws: JOSEError.self) { try await verifier.verify(token) }
        #expect(error == failure)
    }
}
