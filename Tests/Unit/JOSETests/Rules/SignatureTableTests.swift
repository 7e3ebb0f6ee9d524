// Every entry of the signature table: round trips, and every small change to a token is rejected.

import JOSE
import Testing

@Suite("Signature algorithms: every entry")
struct SignatureTableTests {
    @Test(
        "RFC 7515 5.1 and 5.2: signed messages of every size verify",
        arguments: SignatureAlgorithm.all)
    func roundTrip(_ algorithm: SignatureAlgorithm) throws {
        let key = try TestKeys.signer(for: algorithm)
        let signer = try JWSSigner(key: key, algorithm: algorithm)
        let verifier = try JWSVerifier(key: TestKeys.otherSide(key), algorithms: [algorithm])
        var random = SeededGenerator(seed: 1)
        for size in [0, 1, 2, 3, 4, 31, 32, 33, 63, 64, 65, 255, 256, 600, 4_095, 65_537, 190_000] {
            let payload = random.bytes(size)
            let token = try signer.sign(payload)
            #expect(try verifier.verify(token).payload == payload, "\(size) bytes")
            #expect(try verifier.verify(Array(token.utf8)).payload == payload)
            let bytes = Array(token.utf8)
            let lent = try [UInt8](capacity: size) { out in
                try verifier.verify(bytes.span, payload: &out)
            }
            #expect(lent == payload)
        }
    }

    @Test("a public key verifies and never signs", arguments: SignatureAlgorithm.all)
    func publicKey(_ algorithm: SignatureAlgorithm) throws {
        let key = try TestKeys.signer(for: algorithm)
        expectRejection("key-unusable") {
            _ = try JWSSigner(key: key.publicKey, algorithm: algorithm)
        }
        let token = try JWSSigner(key: key, algorithm: algorithm).sign("x")
        // A private key verifies, too, since it contains the public one.
        #expect(try JWSVerifier(key: key, algorithms: [algorithm]).verify(token).payload == [0x78])
    }

    @Test("RFC 7515 5.2: a change of any character is rejected", arguments: SignatureAlgorithm.all)
    func tampered(_ algorithm: SignatureAlgorithm) throws {
        let (verifier, token) = try sample(algorithm)
        for index in token.indices {
            for changed in Tampering.characters(besides: token[index]) {
                var bytes = token
                bytes[index] = changed
                expectRejected(by: verifier, bytes, "character \(index) is \(changed)")
            }
        }
    }

    @Test(
        "RFC 7515 7.1: a token truncated at either end is rejected",
        arguments: SignatureAlgorithm.all)
    func cut(_ algorithm: SignatureAlgorithm) throws {
        let (verifier, token) = try sample(algorithm)
        for count in 0..<token.count {
            expectRejected(by: verifier, Array(token.prefix(count)), "first \(count)")
            expectRejected(by: verifier, Array(token.suffix(count)), "last \(count)")
        }
    }

    @Test(
        "a signature of a wrong length is rejected before it is verified",
        arguments: SignatureAlgorithm.all)
    func signatureLength(_ algorithm: SignatureAlgorithm) throws {
        let (verifier, token) = try sample(algorithm)
        let text = String(decoding: token, as: UTF8.self)
        let signature = try Independent.base64URL(TestToken.parts(text)[2])
        let wrong: [[UInt8]] = [
            [], [0], Array(signature.dropLast()), Array(signature.dropFirst()), signature + [0],
            [0] + signature, signature + signature,
            [UInt8](repeating: 0, count: signature.count),
            [UInt8](repeating: 0xff, count: signature.count),
        ]
        for bytes in wrong {
            let changed = TestToken.replacing(2, of: text, by: Independent.base64URL(bytes))
            expectRejection("signature-invalid", "\(bytes.count) bytes") {
                _ = try verifier.verify(changed)
            }
        }
    }

    @Test("another key of the same kind does not verify", arguments: SignatureAlgorithm.all)
    func otherKey(_ algorithm: SignatureAlgorithm) throws {
        let key = try TestKeys.signer(for: algorithm)
        let token = try JWSSigner(key: key, algorithm: algorithm).sign("x")
        // Keys other than RSA are generated for each test.
        let other =
            key.keyType == .rsa
            ? TestKeys.bare(TestKeys.stranger) : try TestKeys.signer(for: algorithm)
        let verifier = try JWSVerifier(key: TestKeys.otherSide(other), algorithms: [algorithm])
        expectRejection("signature-invalid") { _ = try verifier.verify(token) }
    }

    @Test("RFC 8725 2.1: a public key is never a shared secret, whatever the policy allows")
    func publicKeyAsSecret() throws {
        let all = SignatureAlgorithm.all
        for algorithm in all where algorithm.family != .hmac {
            let key = try TestKeys.signer(for: algorithm).publicKey
            let verifier = try JWSVerifier(key: key, algorithms: all)
            let set = try JWSVerifier(keys: PublicJWKSet(keys: [key]), algorithms: all)
            var texts = try [Array(key.publicJSON().utf8)]
            if key.keyType == .rsa {
                texts += try [key.publicKeyFile(.pem), key.publicKeyFile(.der)]
            }
            for secret in texts where secret.count >= 32 {
                let token = try JWSSigner(key: JWK(symmetricKey: secret), algorithm: .hs256).sign(
                    "x")
                expectRejection("key-unusable") { _ = try verifier.verify(token) }
                expectRejection("key-not-found") { _ = try set.verify(token) }
            }
        }
        let secret = try JWK.generate(.symmetric(bits: 512))
        expectRejection("key-unusable") { _ = try PublicJWKSet(keys: [secret]) }
    }

    @Test("RFC 8037 3.1, RFC 9864 2.2: EdDSA accepts both curves, the full names one each")
    func edwards() throws {
        let rows: [(SignatureAlgorithm, [JWKCurve])] = [
            (.edDSA, [.ed25519, .ed448]), (.ed25519, [.ed25519]), (.ed448, [.ed448]),
        ]
        for (algorithm, curves) in rows {
            for curve in curves {
                let key = try JWK.generate(.curve(curve))
                let token = try JWSSigner(key: key, algorithm: algorithm).sign("x")
                let verifier = try JWSVerifier(key: key.publicKey, algorithms: [algorithm])
                #expect(try verifier.verify(token).payload == [0x78])
                for other in SignatureAlgorithm.all where other != algorithm {
                    guard other.kinds.contains(KeyKind(curve)) else { continue }
                    let strict = try JWSVerifier(key: key.publicKey, algorithms: [other])
                    expectRejection("algorithm-not-allowed") { _ = try strict.verify(token) }
                }
            }
        }
    }

    @Test("the recommended algorithms are the advisable ones, none with a shared secret")
    func recommended() {
        #expect(
            SignatureAlgorithm.recommended.map(\.description) == [
                "RS256", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519",
            ])
        #expect(Set(SignatureAlgorithm.all.map(\.id)).count == SignatureAlgorithm.all.count)
    }

    @Test("a signature is verified before it is returned if the key checks every signature")
    func checked() throws {
        for algorithm in SignatureAlgorithm.all {
            let key = try TestKeys.signer(for: algorithm).checkingEverySignature()
            let token = try JWSSigner(key: key, algorithm: algorithm).sign("x")
            let verifier = try JWSVerifier(key: TestKeys.otherSide(key), algorithms: [algorithm])
            #expect(try verifier.verify(token).payload == [0x78])
        }
    }

    @Test("RFC 8725 3.1: an algorithm that is not allowed is rejected, whatever the signature")
    func notAllowed() throws {
        let verifier = try JWSVerifier.rs256()
        for name in [
            "none", "RS384", "PS256", "ES256", "HS256", "EdDSA", "rs256", "RS256 ", "RS25", "",
        ] {
            let token = try TestToken.signed(#"{"alg":"\#(name)"}"#, "x")
            expectRejection("algorithm-not-allowed", name) { _ = try verifier.verify(token) }
        }
    }

    private func sample(_ algorithm: SignatureAlgorithm) throws -> (JWSVerifier, [UInt8]) {
        let key = try TestKeys.signer(for: algorithm)
        let token = try JWSSigner(key: key, algorithm: algorithm).sign(
            "{\"sub\":\"alice\",\"n\":1}")
        let verifier = try JWSVerifier(key: TestKeys.otherSide(key), algorithms: [algorithm])
        return (verifier, Array(token.utf8))
    }

    /// Rejected, with one of the codes that a corrupted token can have.
    private func expectRejected(
        by verifier: JWSVerifier, _ token: [UInt8], _ comment: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let codes: Set<JOSEError.Code> = [.malformed, .algorithmNotAllowed, .signatureInvalid]
        do throws(JOSEError) {
            _ = try verifier.verify(token)
            Issue.record("accepted: \(comment)", sourceLocation: sourceLocation)
        } catch {
            if !codes.contains(error.code) {
                Issue.record("\(error): \(comment)", sourceLocation: sourceLocation)
            }
        }
    }
}

/// The replacement for a character of a token.
enum Tampering {
    static func characters(besides character: UInt8) -> [UInt8] {
        let candidates: [UInt8] = [
            character ^ 1, character ^ 0x20, UInt8(ascii: "A"), UInt8(ascii: "."),
            UInt8(ascii: "="), 0,
            character | 0x80,
        ]
        return Array(Set(candidates).subtracting([character])).sorted()
    }
}
