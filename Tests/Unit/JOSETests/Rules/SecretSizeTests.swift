// RFC 7518, 3.2: a secret is at least as long as the digest of the algorithm.

import JOSE
import Testing

@Suite("Sizes of shared secrets")
struct SecretSizeTests {
    private let rows: [(algorithm: SignatureAlgorithm, bytes: Int)] = [
        (.hs256, 32), (.hs384, 48), (.hs512, 64),
    ]

    private func token(_ algorithm: SignatureAlgorithm, _ secret: [UInt8]) throws -> String {
        // Another implementation may sign with a short secret: the padded key is the same.
        let long = secret + [UInt8](repeating: 0, count: 64 - min(secret.count, 64))
        return try JWSSigner(key: JWK(symmetricKey: long), algorithm: algorithm).sign("x")
    }

    @Test("a secret that is long enough for some algorithms verifies only those")
    func some() throws {
        for size in [32, 33, 47, 48, 63, 64, 65] {
            let secret = [UInt8](repeating: 9, count: size)
            let verifier = try JWSVerifier(
                key: JWK(symmetricKey: secret), algorithms: [.hs512, .hs256, .hs384])
            for (algorithm, least) in rows where size <= 64 || algorithm == .hs512 {
                let token = try token(algorithm, secret)
                if size >= least {
                    #expect(try verifier.verify(token).payload == [0x78], "\(algorithm) \(size)")
                } else {
                    expectRejection("key-unusable", "\(algorithm) \(size)") {
                        _ = try verifier.verify(token)
                    }
                }
            }
        }
    }

    @Test("a secret that is too short for all algorithms creates no verifier") func none() throws {
        for size in [1, 16, 31] {
            let key = try JWK(symmetricKey: [UInt8](repeating: 9, count: size))
            for algorithms in [[.hs256], [.hs512, .hs256], SignatureAlgorithm.all] {
                expectRejection("key-unusable") {
                    _ = try JWSVerifier(key: key, algorithms: algorithms)
                }
            }
        }
    }

    @Test("an algorithm that the key is unfit for and one that is not allowed differ in code")
    func reasons() throws {
        let key = try JWK(symmetricKey: [UInt8](repeating: 9, count: 32))
        let verifier = try JWSVerifier(key: key, algorithms: [.hs256, .hs512, .rs256])
        expectRejection("key-unusable") {
            _ = try verifier.verify(TestToken.signed(#"{"alg":"RS256"}"#, "x"))
        }
        let hs384 = try token(.hs384, [UInt8](repeating: 9, count: 32))
        expectRejection("algorithm-not-allowed") { _ = try verifier.verify(hs384) }
    }

    @Test("HMAC ignores checkingEverySignature") func unchecked() throws {
        for (algorithm, least) in rows {
            let key = try JWK(symmetricKey: [UInt8](repeating: 9, count: least))
            let plain = try JWSSigner(key: key, algorithm: algorithm).sign("x")
            let checked = try JWSSigner(key: key.checkingEverySignature(), algorithm: algorithm)
            #expect(try checked.sign("x") == plain)
            let verifier = try JWSVerifier(
                key: key.checkingEverySignature(), algorithms: [algorithm])
            #expect(try verifier.verify(plain).payload == [0x78])
        }
    }
}
