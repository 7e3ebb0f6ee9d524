// Every combination of key management and content encryption: round trips, and every change
// rejected with one error.

import JOSE
import JOSECrypto
import Testing

@Suite("Encryption algorithms: every combination")
struct EncryptionTableTests {
    @Test(
        "RFC 7516 5.1 and 5.2: encrypted text of every size decrypts",
        arguments: KeyManagementAlgorithm.all, ContentEncryptionAlgorithm.all)
    func roundTrip(_ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm)
        throws
    {
        let key = try TestKeys.decrypter(for: algorithm, content)
        let encrypter = try JWEEncrypter(
            key: TestKeys.otherSide(key), algorithm: algorithm, content: content,
            options: TestKeys.options)
        let decrypter = try JWEDecrypter.with(key, algorithm, content)
        var random = SeededGenerator(seed: 2)
        for size in [0, 1, 15, 16, 17, 31, 32, 33, 255, 600, 4_095, 65_537, 190_000] {
            let plaintext = random.bytes(size)
            let token = try encrypter.encrypt(plaintext)
            #expect(
                try decrypter.decrypt(token).unauthenticatedPlaintext == plaintext, "\(size) bytes")
            #expect(try decrypter.decrypt(Array(token.utf8)).unauthenticatedPlaintext == plaintext)
        }
    }

    @Test(
        "a change of any character is rejected, after the header with a single error",
        arguments: KeyManagementAlgorithm.all,
        [ContentEncryptionAlgorithm.a128CBCHS256, .a256GCM])
    func tampered(_ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm) throws
    {
        let (decrypter, token) = try sample(algorithm, content)
        let headerCount = try need(token.firstIndex(of: UInt8(ascii: ".")))
        for index in token.indices {
            for changed in Tampering.characters(besides: token[index]) {
                var bytes = token
                bytes[index] = changed
                expectRejected(
                    by: decrypter, bytes, isBehindHeader: index > headerCount,
                    "character \(index) is \(changed)")
            }
        }
    }

    @Test("a token truncated at either end is rejected", arguments: KeyManagementAlgorithm.all)
    func cut(_ algorithm: KeyManagementAlgorithm) throws {
        let (decrypter, token) = try sample(algorithm, .a128CBCHS256)
        for count in 0..<token.count {
            expectRejected(
                by: decrypter, Array(token.prefix(count)), isBehindHeader: false, "first \(count)")
            expectRejected(
                by: decrypter, Array(token.suffix(count)), isBehindHeader: false, "last \(count)")
        }
    }

    @Test(
        "RFC 7516 11.5: a part of another length or token is the single decryption failure",
        arguments: KeyManagementAlgorithm.all, ContentEncryptionAlgorithm.all)
    func values(_ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm) throws {
        let (decrypter, bytes) = try sample(algorithm, content)
        let token = String(decoding: bytes, as: UTF8.self)
        let key = try TestKeys.decrypter(for: algorithm, content)
        let failure: JOSEError? = .decryptionFailed
        let uniform = ErrorTests.printed(failure as Any)
        let other = try TestToken.parts(
            JWEEncrypter(
                key: TestKeys.otherSide(key), algorithm: algorithm, content: content,
                options: TestKeys.options
            ).encrypt("other"))
        for part in 1...4 {
            let value = try Independent.base64URL(TestToken.parts(token)[part])
            let wrong: [[UInt8]] = [
                [], [0], Array(value.dropLast()), Array(value.dropFirst()), value + [0],
                [0] + value,
                value + value, [UInt8](repeating: 0, count: value.count),
                [UInt8](repeating: 0xff, count: value.count),
                [UInt8](repeating: 7, count: 1_500), try Independent.base64URL(other[part]),
            ]
            for bytes in wrong where bytes != value {
                let changed = TestToken.replacing(part, of: token, by: Independent.base64URL(bytes))
                let error = expectRejection(
                    "decryption-failed", "part \(part), \(bytes.count) bytes"
                ) {
                    _ = try decrypter.decrypt(changed)
                }
                #expect(error?.step == .decryption)
                #expect(ErrorTests.printed(error as Any) == uniform)
            }
        }
    }

    @Test("RFC 7516 5.1: every token has its own key and IV", arguments: KeyManagementAlgorithm.all)
    func fresh(_ algorithm: KeyManagementAlgorithm) throws {
        let key = try TestKeys.otherSide(TestKeys.decrypter(for: algorithm, .a128CBCHS256))
        let encrypter = try JWEEncrypter(
            key: key, algorithm: algorithm, content: .a128CBCHS256, options: TestKeys.options)
        var seen: Set<String> = []
        // An ephemeral key, a salt, or the IV of AES-GCM key wrapping is in the header.
        let isInHeader =
            !algorithm.kinds.contains(.rsa) && ![.direct, .aesKW].contains(algorithm.family)
        for _ in 0..<300 {
            let parts = try TestToken.parts(encrypter.encrypt("same"))
            for part in (isInHeader ? 0 : 1)...4 where !parts[part].isEmpty {
                #expect(seen.insert(parts[part]).inserted)
            }
        }
    }

    @Test(
        "a key of another size and another key give the same failure",
        arguments: KeyManagementAlgorithm.all)
    func otherKey(_ algorithm: KeyManagementAlgorithm) throws {
        let (_, bytes) = try sample(algorithm, .a128CBCHS256)
        for other in [TestKeys.bare(TestKeys.stranger), TestKeys.bare(TestKeys.large)] {
            guard algorithm.keyTypes.contains(other.keyType) else { continue }
            let decrypter = try JWEDecrypter.with(other, algorithm, .a128CBCHS256)
            expectRejection("decryption-failed") { _ = try decrypter.decrypt(bytes) }
        }
        guard !algorithm.kinds.contains(.rsa) else { return }
        let decrypter = try JWEDecrypter.with(
            TestKeys.decrypter(for: algorithm, .a128CBCHS256), algorithm, .a128CBCHS256)
        expectRejection("decryption-failed") { _ = try decrypter.decrypt(bytes) }
    }

    @Test("RFC 7518 4.5: a direct key must have the size of the content encryption key")
    func directSize() throws {
        for content in ContentEncryptionAlgorithm.all {
            let size = content.content.keyBytes
            for bytes in [size - 1, size, size + 1] {
                let key = try JWK(symmetricKey: [UInt8](repeating: 5, count: bytes))
                let verdict = try Rejection.verdict {
                    _ = try JWEEncrypter.with(key, .direct, content)
                }
                #expect(verdict == (bytes == size ? "accepted" : "key-unusable"))
            }
        }
    }

    @Test("RFC 7518 4.6, RFC 8037 3.2: every curve, with and without apu and apv")
    func curves() throws {
        for curve in [JWKCurve.p256, .p384, .p521, .x25519, .x448] {
            let key = TestKeys.bare(try JWK.generate(.curve(curve)))
            for algorithm in KeyManagementAlgorithm.all where algorithm.family == .ecdhES {
                for parties in [([], []), (Array("Alice".utf8), []), ([0], [UInt8](1...200))] {
                    var options = RecipientOptions()
                    options.partyU = parties.0
                    options.partyV = parties.1
                    let token = try JWEEncrypter(
                        key: key.publicKey, algorithm: algorithm, content: .a256CBCHS512,
                        options: options
                    ).encrypt("text")
                    let decrypter = try JWEDecrypter.with(key, algorithm, .a256CBCHS512)
                    let opened = try decrypter.decrypt(token)
                    #expect(opened.unauthenticatedPlaintext == Array("text".utf8))
                    let header = try VectorValue(json: opened.header().json)
                    #expect(header["epk"]?["crv"]?.string == curve.name)
                    #expect(
                        header["apu"]?.string
                            == (parties.0.isEmpty ? nil : Independent.base64URL(parties.0)))
                    #expect(
                        header["apv"]?.string
                            == (parties.1.isEmpty ? nil : Independent.base64URL(parties.1)))
                    let other = try JWEDecrypter.with(
                        TestKeys.bare(JWK.generate(.curve(curve))), algorithm, .a256CBCHS512)
                    expectRejection("decryption-failed") { _ = try other.decrypt(token) }
                }
            }
        }
    }

    @Test("RFC 8725 3.1: an algorithm that is not allowed is rejected before the key is used")
    func notAllowed() throws {
        let key = TestKeys.bare(TestKeys.decrypting)
        let token = try JWEEncrypter.rsa(key)
            .encrypt("x")
        let decrypter = try JWEDecrypter.with(key, .rsaOAEP256, .a128CBCHS256)
        expectRejection("algorithm-not-allowed") { _ = try decrypter.decrypt(token) }
        for (alg, enc) in [
            ("RSA1_5", "A128CBC-HS256"), ("dir", "A128CBC-HS256"), ("RSA-OAEP-256", "A128GCM"),
            ("RSA-OAEP-256", "A128CBC+HS256"), ("rsa-oaep-256", "A128CBC-HS256"),
            ("RSA-OAEP-256", ""),
            ("none", "none"),
        ] {
            let header = Independent.base64URL(#"{"alg":"\#(alg)","enc":"\#(enc)"}"#.utf8)
            let changed = TestToken.replacing(0, of: token, by: header)
            expectRejection("algorithm-not-allowed", "\(alg) \(enc)") {
                _ = try decrypter.decrypt(changed)
            }
        }
    }

    private func sample(
        _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm
    ) throws -> (JWEDecrypter, [UInt8]) {
        let key = try TestKeys.decrypter(for: algorithm, content)
        let token = try JWEEncrypter(
            key: TestKeys.otherSide(key), algorithm: algorithm, content: content,
            options: TestKeys.options
        )
        .encrypt("the plaintext, two blocks of it..")
        let decrypter = try JWEDecrypter.with(key, algorithm, content)
        return (decrypter, Array(token.utf8))
    }

    private func expectRejected(
        by decrypter: JWEDecrypter, _ token: [UInt8], isBehindHeader: Bool, _ comment: String
    ) {
        do throws(JOSEError) {
            _ = try decrypter.decrypt(token)
            Issue.record("accepted: \(comment)")
        } catch {
            let isRight: Bool
            switch error.code {
            case .malformed: isRight = error.step == .token || error.step == .header
            case .decryptionFailed: isRight = error == .decryptionFailed
            case .algorithmNotAllowed, .limitExceeded: isRight = !isBehindHeader
            default: isRight = false
            }
            if !isRight { Issue.record("\(error): \(comment)") }
        }
    }
}
