// Threads that share keys, sets, signers and verifiers get the same results as one thread
// (catalogue 120).
//
// Small enough for the thread sanitizer: swift test --sanitize=thread --filter Concurrency

import JOSE
import JOSEBytes
import Synchronization
import Testing

@Suite("Concurrency")
struct ConcurrencyTests {
    private static let tasks = 8
    private static let now = NumericDate(exactly: 1_760_000_000)

    /// Runs `body` in many tasks at once, each with its number.
    private func together(_ body: @escaping @Sendable (Int) throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<Self.tasks { group.addTask { try body(index) } }
            try await group.waitForAll()
        }
    }

    @Test("one verifier with one key handles valid and invalid tokens together")
    func verifying() async throws {
        let verifier = try JWSVerifier.rs256(TestKeys.signing.publicKey)
        let signer = try JWSSigner(key: TestKeys.signing, algorithm: .rs256)
        let tokens = try (0..<10).map { try signer.sign("payload \($0)") }
        let attacks = try VectorFile.named("attacks.json").negative.filter { $0.catalogue == 12 }
        let wrong = try attacks.map { try need($0["compact"]) }
        try await together { task in
            for round in 0..<40 {
                let index = (round + task) % tokens.count
                let payload = try verifier.verify(tokens[index]).payload
                #expect(payload == Array("payload \(index)".utf8))
                expectRejection("signature-invalid") {
                    _ = try verifier.verify(wrong[(round + task) % wrong.count])
                }
            }
        }
    }

    @Test("one signer gives each message one RS256 signature") func signing() async throws {
        let signer = try JWSSigner(key: TestKeys.signing, algorithm: .rs256)
        let expected = try (0..<20).map { try signer.sign("message \($0)") }
        try await together { task in
            for round in 0..<20 {
                let index = (round * 7 + task) % expected.count
                let token = try signer.sign("message \(index)")
                #expect(token == expected[index])
            }
        }
    }

    @Test("one set, one issuer and one recipient handle nested tokens") func nested() async throws {
        let recipient = try JWTRecipient.rsa()
        let issuer = try JWTIssuer(key: TestKeys.signing, algorithm: .rs256)
        let verifier = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: "a"),
            .rsa(keys: [TestKeys.decrypting]),
            signature: .rs256(keys: PublicJWKSet(keys: [TestKeys.signing, TestKeys.client])))
        let seen = Lock<Set<String>>([])
        try await together { task in
            for round in 0..<15 {
                let json = Array(
                    #"{"iss":"i","aud":"a","exp":2000000000,"jti":"\#(task)-\#(round)"}"#.utf8)
                let token = try issuer.issue(json: json, encryptedFor: recipient)
                #expect(
                    try verifier.verify(token, at: need(Self.now)).jwtID == "\(task)-\(round)")
                #expect(
                    seen.withLock { $0.insert(token).inserted },
                    "every token has its own key and IV")
                // The character before the last one has six bits of the tag.
                let corrupted =
                    token.dropLast(2) + (token.dropLast().last == "A" ? "B" : "A") + token.suffix(1)
                let error = #expect(throws: JOSEError.self) {
                    try verifier.verify(String(corrupted), at: need(Self.now))
                }
                #expect(error?.code == .decryptionFailed || error?.code == .malformed)
            }
        }
    }

    @Test("keys prepared by many threads at once are prepared once and correctly") func preparing()
        async throws
    {
        let text = try PublicJWKSet(keys: [TestKeys.signing, TestKeys.client, TestKeys.decrypting])
            .json()
        let secret = try JWKSet(keys: [TestKeys.decrypting, TestKeys.signing]).privateJSON()
        let token = try JWSSigner(key: TestKeys.signing, algorithm: .rs256).sign("x")
        for _ in 0..<5 {
            let set = try PublicJWKSet(json: text)
            let ours = try JWKSet(json: secret)
            try await together { task in
                let verifier = try JWSVerifier.rs256(keys: set)
                #expect(try verifier.verify(token).keyID == "sig-1")
                #expect(set.keys().count == 3)
                #expect(try set.key(keyID: "client-1").thumbprint() == TestKeys.client.thumbprint())
                let recipient = try set.key(use: .encryption)
                let sealed = try JWEEncrypter.with(recipient, .rsaOAEP, .a128CBCHS256).encrypt(
                    "\(task)")
                let decrypter = try JWEDecrypter(
                    keys: ours, algorithms: [.rsaOAEP], content: [.a128CBCHS256])
                #expect(
                    try decrypter.decrypt(sealed).unauthenticatedPlaintext == Array("\(task)".utf8))
            }
        }
    }

    @Test("all hostile inputs give the same codes, concurrently and in other orders") func hostile()
        async throws
    {
        let attacks = try VectorFile.named("attacks.json").negative.filter {
            $0.catalogue.map { $0 < 107 } ?? false
        }
        try await together { task in
            for index in stride(from: task, to: attacks.count, by: Self.tasks) {
                guard case .verdict(let verdict) = try AttackRunner(attacks[index]).verdict() else {
                    continue
                }
                #expect(
                    verdict == HostileTests.verdicts[attacks[index].id]?.string,
                    "\(attacks[index].id)")
            }
        }
    }
}
