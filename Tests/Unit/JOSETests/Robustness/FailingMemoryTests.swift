// Allocations below the public API fail one after the other: the error is `internal`, or there is
// none.

import Foundation
import JOSE
import Testing

/// Replaces libcrypto's allocator in a separate process and fails once, at a given number.
private enum FailingMemory {
    // Only the test's single thread uses libcrypto here.
    nonisolated(unsafe) static var countdown = 0
    nonisolated(unsafe) static var hasFailed = false

    static func mayTake() -> Bool {
        guard countdown > 0 else { return true }
        countdown -= 1
        guard countdown == 0 else { return true }
        hasFailed = true
        return false
    }

    /// Call this before libcrypto's first allocation, or libcrypto rejects it.
    static func install() throws {
        typealias Take =
            @convention(c) (Int, UnsafePointer<CChar>?, Int32) -> UnsafeMutableRawPointer?
        typealias Again =
            @convention(c) (UnsafeMutableRawPointer?, Int, UnsafePointer<CChar>?, Int32) ->
            UnsafeMutableRawPointer?
        typealias Give =
            @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, Int32) -> Void
        let symbol = try need(dlsym(dlopen(nil, RTLD_NOW), "CRYPTO_set_mem_functions"))
        let set = unsafeBitCast(
            symbol, to: (@convention(c) (Take, Again, Give) -> Int32).self)
        let isSet = set(
            { size, _, _ in size > 0 && FailingMemory.mayTake() ? malloc(size) : nil },
            { memory, size, _, _ in FailingMemory.mayTake() ? realloc(memory, size) : nil },
            { memory, _, _ in free(memory) })
        try #require(isSet == 1)
    }

    /// Runs `body` with the allocation of this number failing, and returns whether it was reached.
    static func attempt(_ number: Int, _ body: () throws -> Void) -> (Result<Void, any Error>, Bool)
    {
        (countdown, hasFailed) = (number, false)
        let result = Result { try body() }
        let failed = hasFailed
        countdown = 0
        return (result, failed)
    }

    /// Runs `body` repeatedly, each time with the next allocation failing, and returns the number
    /// of rejections.
    static func exhaust(_ name: String, _ body: () throws -> Void) throws -> Int {
        try body()
        var rejections = 0
        for number in 1...100_000 {
            let (result, failed) = attempt(number, body)
            guard failed else {
                try result.get()
                return rejections
            }
            guard case .failure(let error) = result else { continue }
            rejections += 1
            try #require(
                (error as? JOSEError)?.code == .internal, "\(name), allocation \(number): \(error)")
        }
        return rejections
    }
}

@Suite("Memory allocation failures")
struct FailingMemoryTests {
    @Test("RSA: importing a key, signing and verifying fail with `internal`, or not at all")
    func signatures() async {
        await #expect(processExitsWith: .success) {
            try FailingMemory.install()
            let json = try TestKeys.signing.privateJSON()
            let publicJSON = try TestKeys.signing.publicJSON()
            let token = try JWSSigner(key: TestKeys.signing, algorithm: .rs256).sign("text")
            let signing = try FailingMemory.exhaust("signing") {
                let made = try JWSSigner(key: JWK(json: json), algorithm: .rs256).sign("text")
                #expect(made == token)
            }
            #expect(signing > 0)
            let verifying = try FailingMemory.exhaust("verifying") {
                let verifier = try JWSVerifier.rs256(JWK(json: publicJSON))
                let payload = try verifier.verify(token).payload
                #expect(payload == Array("text".utf8))
            }
            #expect(verifying > 0)
        }
    }

    /// The allocator must be installed before the key is created.
    private static func expectInternal(
        _ algorithm: KeyManagementAlgorithm, _ key: () throws -> JWK
    ) throws {
        try FailingMemory.install()
        let json = try key().privateJSON()
        var token = ""
        let encrypting = try FailingMemory.exhaust("encrypting") {
            let key = try JWK(json: json)
            token = try JWEEncrypter.with(
                key.keyType == .oct ? key : key.publicKey, algorithm, .a128CBCHS256
            ).encrypt("text")
        }
        #expect(encrypting > 0)
        let decrypting = try FailingMemory.exhaust("decrypting") {
            let decrypter = try JWEDecrypter.with(JWK(json: json), algorithm, .a128CBCHS256)
            let opened = try decrypter.decrypt(token)
            #expect(opened.unauthenticatedPlaintext == Array("text".utf8))
        }
        #expect(decrypting > 0)
    }

    @Test("A256KW: encrypting and decrypting fail with `internal`, or not at all")
    func wrapping() async {
        await #expect(processExitsWith: .success) {
            try FailingMemoryTests.expectInternal(.a256KW) {
                try JWK.generate(.symmetric(bits: 256))
            }
        }
    }

    @Test("ECDH-ES: encrypting and decrypting fail with `internal`, or not at all")
    func agreement() async {
        await #expect(processExitsWith: .success) {
            try FailingMemoryTests.expectInternal(.ecdhES) { try JWK.generate(.curve(.p256)) }
        }
    }

    @Test("RSA-OAEP-256: encrypting and decrypting fail with `internal`, or not at all")
    func transport() async {
        await #expect(processExitsWith: .success) {
            try FailingMemoryTests.expectInternal(.rsaOAEP256) {
                TestKeys.bare(TestKeys.decrypting)
            }
        }
    }

    @Test(
        "a failed allocation for one key's certificates affects no other key and no later use"
    )
    func neighbours() async {
        await #expect(processExitsWith: .success) {
            try FailingMemory.install()
            let root = try TestAuthority(TestKeys.bare(TestKeys.decrypting))
            let now = try TestChains.date(TestChains.now)
            let keys = try [(TestKeys.signing, "a"), (TestKeys.client, "b")].map { key, name in
                try TestChains.key(TestKeys.named(key, name, use: .signature), [root.leaf(key)])
            }
            let json = try PublicJWKSet(keys: keys).json()
            let tokens = try keys.map {
                try JWTIssuer(key: $0, algorithm: .rs256, lifetime: .seconds(600))
                    .issue(["sub": "a"], at: now)
            }
            var (skips, isDone) = (0, false)
            for number in stride(from: 1, to: 100_000, by: 5) where !isDone {
                let set = try PublicJWKSet(json: json)
                let rule = CertificateRule.require(try TrustStore(anchors: [root.certificate]))
                var checked = set
                let (result, failed) = FailingMemory.attempt(number) {
                    checked = try set.withCertificateRule(rule, at: now)
                }
                isDone = !failed
                try result.get()
                try #require(checked.skipped.count <= 1)
                // Some of libcrypto's errors hide the allocation failure: such a key stays
                // rejected.
                let hidden = checked.skipped.first {
                    !$0.reason.contains("memory")
                }
                skips += checked.skipped.count - (hidden == nil ? 0 : 1)
                let verifier = try JWTVerifier.checking(signature: .rs256(keys: checked))
                for (position, token) in tokens.enumerated() where position != hidden?.index {
                    _ = try verifier.verify(token, at: now)
                }
            }
            #expect(isDone && skips > 0)
        }
    }

    @Test("a set with undetermined certificates is `internal` and is validated again")
    func trust() async {
        await #expect(processExitsWith: .success) {
            try FailingMemory.install()
            let root = try TestAuthority(TestKeys.bare(TestKeys.decrypting))
            let leaf = try root.leaf(TestKeys.signing) { $0.start = TestChains.now - 1_000 }
            let key = try TestChains.key(TestKeys.named(TestKeys.signing, "a"), [leaf])
            let json = try PublicJWKSet(keys: [key]).json()
            let now = try TestChains.date(TestChains.now)
            let early = try TestChains.date(TestChains.now - 2_000)
            for header in [#"{"alg":"RS256","kid":"a"}"#, #"{"alg":"RS256"}"#] {
                let token = try TestToken.signed(header, #"{"exp":1900000000}"#)
                var (failures, isDone) = (0, false)
                for number in stride(from: 1, to: 100_000, by: 5) where !isDone {
                    // Not yet valid when it is read, so that its use validates it again.
                    let set = try PublicJWKSet(
                        json: json,
                        certificates: .require(TrustStore(anchors: [root.certificate])), at: early)
                    let verifier = try JWTVerifier.checking(signature: .rs256(keys: set))
                    let (result, failed) = FailingMemory.attempt(number) {
                        _ = try verifier.verify(token, at: now)
                    }
                    isDone = !failed
                    guard case .failure(let error) = result else { continue }
                    // A real rejection remains one for the second.
                    let again = try Rejection.verdict { _ = try verifier.verify(token, at: now) }
                    let code = (error as? JOSEError)?.code
                    try #require(code == .internal ? again == "accepted" : again == code?.name)
                    if code == .internal { failures += 1 }
                }
                #expect(isDone && failures > 0)
            }
        }
    }
}
