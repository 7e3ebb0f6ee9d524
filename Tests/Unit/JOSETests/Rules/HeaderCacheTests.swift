// A header that was accepted before is not parsed again. Everything else of a token is checked as
// always.

import JOSE
import Testing

@Suite("Cached headers")
struct HeaderCacheTests {
    private let secret = JWK.secret(7, 64)
    private let other = JWK.secret(8, 64)
    private let shared = JWK.secret(9, 32)

    private func changed(_ token: String, _ part: Int) throws -> String {
        var bytes = try Independent.base64URL(TestToken.parts(token)[part])
        bytes[bytes.count / 2] ^= 1
        return TestToken.replacing(part, of: token, by: Independent.base64URL(bytes))
    }

    @Test("a cached header with a wrong signature, payload or serialisation") func signed() throws {
        let verifier = try JWSVerifier(key: secret, algorithms: [.hs256])
        let signer = try JWSSigner(key: secret, algorithm: .hs256)
        let stranger = try JWSSigner(key: other, algorithm: .hs256)
        for round in 0..<6 {
            let token = try signer.sign("payload \(round)")
            #expect(try verifier.verify(token).payload == Array("payload \(round)".utf8))
            #expect(try verifier.verify(token).header().algorithm == "HS256")
            expectRejection("signature-invalid") {
                _ = try verifier.verify(stranger.sign("payload \(round)"))
            }
            for part in 1...2 {
                expectRejection("signature-invalid") {
                    _ = try verifier.verify(changed(token, part))
                }
            }
            let parts = TestToken.parts(token)
            for bad in [parts[0], parts[0] + ".", parts[0] + "..", token + ".", "." + token] {
                expectRejection(bad == parts[0] + ".." ? "signature-invalid" : "malformed", bad) {
                    _ = try verifier.verify(bad)
                }
            }
        }
    }

    @Test("alternating headers, and one that no key may use") func turns() throws {
        let verifier = try JWSVerifier(key: secret, algorithms: [.hs256, .hs384])
        let tokens = try [SignatureAlgorithm.hs256, .hs384].map {
            try JWSSigner(key: secret, algorithm: $0).sign("x")
        }
        let notAllowed = try JWSSigner(key: secret, algorithm: .hs512).sign("x")
        for pattern in [[0, 1, 0, 1, 0], [0, 0, 0, 1, 1, 1, 0], [1, 1, 0, 0, 1, 0, 0, 0]] {
            for index in pattern {
                #expect(try verifier.verify(tokens[index]).payload == [0x78])
                expectRejection("algorithm-not-allowed") { _ = try verifier.verify(notAllowed) }
            }
        }
    }

    @Test("a rejected token is not cached") func rejected() throws {
        let verifier = try JWSVerifier(key: secret, algorithms: [.hs256])
        let foreign = try JWSSigner(key: other, algorithm: .hs256).sign("x")
        for _ in 0..<4 {
            expectRejection("signature-invalid") { _ = try verifier.verify(foreign) }
        }
        let token = try JWSSigner(key: secret, algorithm: .hs256).sign("x")
        #expect(try verifier.verify(token).payload == [0x78])
    }

    @Test("a header that differs in one character is another header") func similar() throws {
        let verifier = try JWSVerifier(key: TestKeys.bare(secret), algorithms: [.hs256])
        let header = #"{"alg":"HS256","x":"abc"}"#
        let token = try TestToken.signed(header, "x", by: secret, .hs256)
        for _ in 0..<3 { _ = try verifier.verify(token) }
        for (text, verdict) in [
            (#"{"alg":"HS256","x":"abd"}"#, "accepted"),
            (#"{"alg":"HS256","x":"abc" "#, "malformed"),
            (#"{"alg":"HS384","x":"abc"}"#, "algorithm-not-allowed"),
            (#"{"alg":"HS256","alg":"a"}"#, "malformed"),
            (#"{"alg":"HS256","crit":[]}"#, "malformed"),
        ] {
            #expect(text.utf8.count == header.utf8.count)
            let other = try TestToken.signed(text, "x", by: secret, .hs256)
            #expect(try Rejection.verdict { _ = try verifier.verify(other) } == verdict, "\(text)")
        }
    }

    @Test(
        "RFC 8725 3.11: the same header with another rule for typ is checked again",
        arguments: [false, true])
    func types(isEncrypted: Bool) throws {
        let claims = #"{"iss":"i","aud":"a","exp":2000000000}"#
        let (encryption, signature, token) =
            isEncrypted
            ? (
                EncryptionRule.rsa(TestKeys.bare(TestKeys.decrypting)),
                SignatureRule.insecureNotSigned,
                try TestToken.encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, claims)
            )
            : (
                .notEncrypted, .rs256(),
                try TestToken.signed(#"{"alg":"RS256","kid":"sig-1"}"#, claims)
            )
        let now = try need(NumericDate(exactly: 1_760_000_000))
        for _ in 0..<3 {
            var policy = ClaimsPolicy(issuer: .any, audience: .any)
            let lax = try JWTVerifier.checking(policy, encryption, signature: signature)
            for _ in 0..<3 { _ = try lax.verify(token, at: now) }
            policy.type = .exactly("at+jwt")
            let strict = try JWTVerifier.checking(policy, encryption, signature: signature)
            for _ in 0..<3 {
                expectRejection("claim-rejected typ") { _ = try strict.verify(token, at: now) }
            }
        }
    }

    @Test("a cached header of an encrypted token", arguments: [false, true])
    func encrypted(byRSA: Bool) throws {
        let key = byRSA ? TestKeys.bare(TestKeys.decrypting) : shared
        let algorithm = byRSA ? KeyManagementAlgorithm.rsaOAEP : .direct
        let decrypter = try JWEDecrypter(
            key: key, algorithms: [algorithm], content: [.a128CBCHS256, .a256GCM])
        for content in [ContentEncryptionAlgorithm.a128CBCHS256, .a256GCM, .a128CBCHS256] {
            let encrypter = try JWEEncrypter.with(TestKeys.otherSide(key), algorithm, content)
            for round in 0..<4 {
                let token = try encrypter.encrypt("text \(round)")
                let opened = try decrypter.decrypt(token)
                #expect(opened.unauthenticatedPlaintext == Array("text \(round)".utf8))
                #expect(try opened.header().encryption == content)
                for part in (byRSA ? 1 : 2)...4 {
                    expectRejection("decryption-failed") {
                        _ = try decrypter.decrypt(changed(token, part))
                    }
                }
                // A direct token with an encrypted key (RFC 7516, 5.2, step 10).
                guard !byRSA else { continue }
                let extra = TestToken.replacing(1, of: token, by: "AAAA")
                expectRejection("decryption-failed") { _ = try decrypter.decrypt(extra) }
            }
        }
    }

    // MARK: with another rule

    private static func encrypted(_ signature: SignatureRule) throws -> JWTVerifier {
        try JWTVerifier.checking(
            .any, .rsa(TestKeys.bare(TestKeys.decrypting)), signature: signature)
    }

    /// Encrypted with the same header each time.
    private static func sealed(_ text: String) throws -> String {
        try TestToken.encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, text)
    }

    @Test("RFC 7519 5.2: a header without cty has no nested token, cached or not")
    func nested() throws {
        let signature = SignatureRule.rs256(TestKeys.bare(try TestKeys.signing.publicKey))
        let signed = try TestToken.signed(#"{"alg":"RS256"}"#, #"{"sub":"s"}"#)
        let plain = try Self.encrypted(.insecureNotSigned)
        let nested = try Self.encrypted(signature)
        for _ in 0..<2 {
            for round in 0..<3 {
                let verified = try plain.verify(Self.sealed("{\"sub\":\"\(round)\"}"))
                #expect(verified.subject == "\(round)")
            }
            let token = try Self.sealed(signed)
            let error = expectRejection("malformed") { _ = try nested.verify(token) }
            #expect(error?.step == .header)
        }
    }

    @Test("RFC 7516 7.1: a dot in the ciphertext makes six parts, with a cached header or not")
    func dots() throws {
        // Before and within the last bytes, in which the last dot is searched.
        for size in [0, 100, 5_000] {
            let text = #"{"sub":"s","filling":"\#(String(repeating: "f", count: size))"}"#
            let token = try Self.sealed(text)
            let parts = TestToken.parts(token)
            let before = parts[0..<3].joined(separator: ".").utf8.count + 1
            let length = parts[3].utf8.count
            for knows in [false, true] {
                for index in [0, length / 2, length] {
                    let verifier = try Self.encrypted(.insecureNotSigned)
                    // The third of a kind is cached.
                    for _ in 0..<(knows ? 3 : 0) { _ = try verifier.verify(Self.sealed(text)) }
                    var bytes = Array(token.utf8)
                    bytes.insert(UInt8(ascii: "."), at: before + index)
                    let longer = String(decoding: bytes, as: UTF8.self)
                    bytes.remove(at: before + index)
                    bytes[before + min(index, length - 1)] = UInt8(ascii: ".")
                    for wrong in [longer, String(decoding: bytes, as: UTF8.self)] {
                        let error = expectRejection("malformed") {
                            _ = try verifier.verify(wrong)
                        }
                        #expect(error?.step == .token)
                    }
                    #expect(try verifier.verify(token).subject == "s")
                }
            }
        }
    }

    @Test("many threads share one verifier and one decrypter") func threads() async throws {
        let verifier = try JWSVerifier(key: secret, algorithms: [.hs256, .hs384])
        let decrypter = try JWEDecrypter(
            key: shared, algorithms: [.direct], content: [.a128CBCHS256, .a256GCM])
        let signed = try [SignatureAlgorithm.hs256, .hs384].map {
            try JWSSigner(key: secret, algorithm: $0).sign("x")
        }
        let sealed = try [ContentEncryptionAlgorithm.a128CBCHS256, .a256GCM].map {
            try JWEEncrypter.with(shared, .direct, $0).encrypt("x")
        }
        let right = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<200).count { round in
                        let index = round / (task + 1) % 2
                        return (try? verifier.verify(signed[index]).payload) == [0x78]
                            && (try? decrypter.decrypt(sealed[index]).unauthenticatedPlaintext)
                                == [0x78]
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(right == 1_600)
    }
}

extension JWK {
    /// A secret whose bytes all have one value, without a kid.
    fileprivate static func secret(_ byte: UInt8, _ count: Int) -> JWK {
        do {
            return try JWK(symmetricKey: [UInt8](repeating: byte, count: count))
        } catch {
            preconditionFailure("no key: \(error)")
        }
    }
}
