// Batches of private operations: each token has the same result as alone, whatever the others.

import JOSECrypto
import Testing

@testable import JOSE

@Suite("A batch issues, decrypts and verifies each token separately")
struct PrivateBatchTests {
    private static let counts = [0, 1, 2, 3, 4, 9, 64, 130]
    private static let now = NumericDate(exactly: 1_760_000_000)
    private static let content: [ContentEncryptionAlgorithm] = [.a128CBCHS256, .a256GCM]

    private struct Claims: Codable, Equatable {
        var sub: String
        var exp: Int?
    }

    /// The same results: equal values or equal errors.
    private func expectSame<Value, Seen: Equatable>(
        _ batch: [Result<Value, JOSEError>], _ alone: [Result<Value, JOSEError>],
        _ seen: (Value) throws -> Seen
    ) throws {
        #expect(batch.count == alone.count)
        for (index, (one, other)) in zip(batch, alone).enumerated() {
            switch (one, other) {
            case (.success(let one), .success(let other)):
                #expect(try seen(one) == seen(other), "\(index)")
            case (.failure(let one), .failure(let other)): #expect(one == other, "\(index)")
            default: Issue.record("\(index): in the batch \(one), alone \(other)")
            }
        }
    }

    private static func alone(
        _ tokens: [String], _ decrypter: JWEDecrypter
    ) -> [Result<DecryptedJWE, JOSEError>] {
        tokens.map { token in Result { () throws(JOSEError) in try decrypter.decrypt(token) } }
    }

    // MARK: issuing

    private static let issuers = Result {
        let rsa = TestKeys.bare(TestKeys.signing)
        let keys: [(JWK, SignatureAlgorithm)] = [
            (rsa.withAcceleration(.withPrivateKeys), .rs256),
            (rsa.withAcceleration(.withPrivateKeysAndFloatingPoint), .ps384),
            (TestKeys.bare(TestKeys.large).withAcceleration(.withPrivateKeys), .rs512),
            (rsa, .ps256), (rsa.withAcceleration(.openSSLOnly), .rs256),
            (try TestKeys.signer(for: .es256), .es256),
        ]
        return try keys.map { key, algorithm in
            (
                issuer: try JWTIssuer(key: key, algorithm: algorithm),
                verifier: try JWSVerifier(key: key.publicKey, algorithms: [algorithm])
            )
        }
    }

    @Test("one issuer, signed and nested; claims that cannot be issued", arguments: counts)
    func issuing(_ count: Int) throws {
        let claims = (0..<count).map {
            Claims(sub: "\($0)", exp: $0 % 5 == 3 ? nil : 2_000_000_000)
        }
        let encrypting = try TestKeys.bare(TestKeys.decrypting).publicKey
        let recipient = try JWTRecipient(
            key: encrypting, algorithm: .rsaOAEP256, content: .a128CBCHS256)
        let decrypter = try JWEDecrypter.with(
            TestKeys.bare(TestKeys.decrypting), .rsaOAEP256, .a128CBCHS256)
        for (issuer, verifier) in try Self.issuers.get() {
            for recipient in [nil, recipient] {
                let batch = issuer.issueBatch(claims, encryptedFor: recipient)
                #expect(batch.count == count)
                for (index, result) in batch.enumerated() {
                    guard index % 5 != 3 else {
                        expectRejection("misuse") { _ = try result.get() }
                        continue
                    }
                    var token = Array(try result.get().utf8)
                    if recipient != nil {
                        token = try decrypter.decrypt(token).unauthenticatedPlaintext
                    }
                    let payload = try verifier.verify(token).payload
                    #expect(payload == Array(#"{"sub":"\#(index)","exp":2000000000}"#.utf8))
                }
            }
        }
    }

    @Test("JSON claims of several issuers")
    func issuers() throws {
        let issuers = try Self.issuers.get()
        let texts = ["{\"exp\":2000000000}", "{}", "[]", "", "{\"exp\":2000000000,\"n\":1}"]
        let batch = (0..<70).map { index in
            (
                issuer: issuers[index % issuers.count].issuer,
                claims: Array(texts[index % texts.count].utf8), recipient: JWTRecipient?.none
            )
        }
        for (index, result) in JWTIssuer.issueBatch(batch).enumerated() {
            let (issuer, claims, _) = batch[index]
            let alone = Result { () throws(JOSEError) in try issuer.issue(json: claims) }
            switch (alone, result) {
            case (.success, .success(let token)):
                let verifier = issuers[index % issuers.count].verifier
                #expect(try verifier.verify(token).payload == claims)
            case (.failure(let one), .failure(let other)): #expect(one == other)
            default: Issue.record("alone \(alone), in the batch \(result)")
            }
        }
        let one = issuers[0].issuer.issueBatch(json: batch.map(\.claims))
        #expect(one.count { (try? $0.get()) != nil } == 28)
    }

    @Test("an external key is misuse for each of its tokens")
    func external() throws {
        let key = try TestKeys.bare(TestKeys.signing).publicKey.withExternalKey(NoKey())
        let issuer = try JWTIssuer(key: key, algorithm: .rs256)
        for result in issuer.issueBatch([Claims(sub: "s", exp: 1), Claims(sub: "t", exp: 1)]) {
            expectRejection("misuse") { _ = try result.get() }
        }
        let decrypter = try JWEDecrypter(
            key: key, algorithms: [.rsaOAEP], content: Self.content)
        let token = try TestToken.encrypted(
            #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, "p", to: key.publicKey)
        for result in decrypter.decryptBatch([token, token, token]) {
            expectRejection("misuse") { _ = try result.get() }
        }
    }

    // MARK: decrypting

    private static let keys = Result {
        [
            TestKeys.named(TestKeys.decrypting, "a").withAcceleration(.withPrivateKeys),
            TestKeys.named(TestKeys.signing, "b")
                .withAcceleration(.withPrivateKeysAndFloatingPoint),
            TestKeys.named(TestKeys.large, "c").withAcceleration(.withPrivateKeys),
            TestKeys.named(TestKeys.stranger, "d"),
            TestKeys.named(try TestKeys.decrypter(for: .ecdhES), "e"),
        ]
    }

    private static let algorithms: [KeyManagementAlgorithm] = [
        .rsaOAEP, .rsaOAEP256, .ecdhESA128KW,
    ]

    private static func decrypter() throws -> JWEDecrypter {
        try JWEDecrypter(
            keys: JWKSet(keys: keys.get()), algorithms: algorithms, content: content,
            compression: [.deflate])
    }

    private static func token(_ index: Int, _ plaintext: String? = nil) throws -> String {
        let keys = try keys.get()
        let key = keys[index % 3 < 2 ? 0 : index % keys.count]
        let algorithm =
            key.keyType == .rsa ? (index % 2 == 0 ? .rsaOAEP : .rsaOAEP256) : Self.algorithms[2]
        return try JWEEncrypter(
            key: key.publicKey, algorithm: algorithm, content: content[index % 7 == 5 ? 1 : 0],
            header: HeaderParameters(contentType: plaintext == nil ? nil : "JWT"),
            compression: index % 11 == 4 ? .deflate : nil
        ).encrypt(plaintext ?? "plaintext \(index)")
    }

    /// Every kind of invalid token. `decryptionFailed` begins at `firstHidden`.
    private static let firstHidden = 6
    private static func damaged(_ token: String, _ kind: Int) throws -> String {
        let parts = token.split(separator: ".").map(String.init)
        let zeros = String(repeating: "A", count: parts[1].utf8.count)
        return switch kind {
        case 0: ""
        case 1: "." + token
        case 2: token + "="
        case 3: TestToken.replacing(0, of: token, by: "eyJhbGciOiJub25lIn0")
        case 4: TestToken.replacing(3, of: token, by: parts[3] + "A")
        case 5: TestToken.replacing(1, of: token, by: "!")
        case 6: TestToken.replacing(1, of: token, by: "")
        case 7: TestToken.replacing(1, of: token, by: zeros)
        case 8:  // not below the modulus, where the key is RSA
            TestToken.replacing(
                1, of: token,
                by: Independent.base64URL(
                    [UInt8](repeating: 0xff, count: parts[1].utf8.count * 3 / 4)))
        case 9: TestToken.replacing(1, of: token, by: String(parts[1].dropFirst(4)))
        case 10: TestToken.replacing(2, of: token, by: "AAAA" + parts[2].dropFirst(4))
        case 11: TestToken.replacing(3, of: token, by: "AAAA" + parts[3].dropFirst(4))
        case 12: TestToken.replacing(4, of: token, by: "AAAA" + parts[4].dropFirst(4))
        default: TestToken.replacing(4, of: token, by: String(parts[4].dropFirst(4)))
        }
    }

    @Test("any mix of keys and algorithms, valid and altered tokens", arguments: counts)
    func decrypting(_ count: Int) throws {
        let decrypter = try Self.decrypter()
        let tokens = try (0..<count).map { index in
            let honest = try Self.token(index)
            return index % 4 == 3 ? try Self.damaged(honest, index / 4 % 14) : honest
        }
        let alone = Self.alone(tokens, decrypter)
        let batch = decrypter.decryptBatch(tokens)
        try expectSame(batch, alone) {
            [
                String(decoding: $0.unauthenticatedPlaintext, as: UTF8.self), $0.keyID ?? "",
                try $0.header().json,
            ]
        }
        for (index, result) in batch.enumerated() {
            #expect((try? result.get()) != nil || index % 4 == 3)
        }
    }

    @Test("all failures from the encrypted key to the tag are one error")
    func uniform() throws {
        let key = try Self.keys.get()[0]
        let decrypter = try JWEDecrypter(key: key, algorithms: [.rsaOAEP], content: Self.content)
        let token = try TestToken.encrypted(
            #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, "p", to: key.publicKey)
        let tokens = try (Self.firstHidden..<14).map { try Self.damaged(token, $0) }
        let results = decrypter.decryptBatch([token] + tokens + [token])
        #expect(try results.first?.get().unauthenticatedPlaintext == Array("p".utf8))
        #expect(try results.last?.get().unauthenticatedPlaintext == Array("p".utf8))
        for result in results.dropFirst().dropLast() {
            #expect(throws: JOSEError.decryptionFailed) { _ = try result.get() }
        }
    }

    @Test("a token that public facts exclude costs no private operation", arguments: content)
    func excluded(_ content: ContentEncryptionAlgorithm) throws {
        let key = try Self.keys.get()[0]
        let decrypter = try JWEDecrypter.with(key, .rsaOAEP, content)
        let token = try JWEEncrypter.with(key.publicKey, .rsaOAEP, content)
            .encrypt("p")
        func isEnqueued(_ token: String) throws -> Bool {
            var batch = try PrivateBatch(capacity: 1)
            let (message, _, _) = try decrypter.opening.message(token.utf8.span, .any, .any, nil)
            return try message.enqueue(by: decrypter.opening, in: &batch) != nil
        }
        #expect(try isEnqueued(token))
        let modulus = try need(key.prepared.material as? RSAKeyMaterial).modulus
        let zeros = [UInt8](repeating: 0, count: modulus.count)
        let isGCM = content == .a256GCM
        let excluded: [(part: Int, bytes: [[UInt8]])] = [
            (
                1,
                [
                    [], zeros, zeros.dropLast(), zeros.dropLast() + [1], modulus,
                    modulus.dropLast() + [modulus[modulus.count - 1] - 1],
                ]
            ),
            (2, [[], [UInt8](repeating: 1, count: isGCM ? 11 : 15)]),
            (3, isGCM ? [] : [[], [1], zeros.prefix(15) + [], zeros.prefix(17) + []]),
            (4, [[], [UInt8](repeating: 1, count: 15)]),
        ]
        for (part, values) in excluded {
            for value in values {
                let wrong = TestToken.replacing(part, of: token, by: Independent.base64URL(value))
                #expect(try !isEnqueued(wrong), "part \(part), \(value.count) bytes")
                for result in decrypter.decryptBatch([wrong, wrong, wrong]) {
                    #expect(throws: JOSEError.decryptionFailed) { _ = try result.get() }
                }
            }
        }
    }

    @Test("tokens without kid that several keys may open; two decrypters in one batch")
    func several() throws {
        let keys = try Self.keys.get()
        let trying = try JWEDecrypter(
            keys: JWKSet(keys: [keys[1], keys[0]]), algorithms: [.rsaOAEP], content: Self.content,
            missingKeyID: .tryEligible(atMost: 4))
        let other = try JWEDecrypter(
            key: keys[3], algorithms: [.rsaOAEP], content: Self.content)
        let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#
        let batch = try (0..<12).map { index in
            let key = keys[[0, 1, 3][index % 3]]
            return (
                decrypter: index % 4 == 3 ? other : trying,
                token: try TestToken.encrypted(header, "\(index)", to: key.publicKey)
            )
        }
        let alone = batch.map { one in
            Result { () throws(JOSEError) in try one.decrypter.decrypt(one.token) }
        }
        try expectSame(JWEDecrypter.decryptBatch(batch), alone) { $0.unauthenticatedPlaintext }
        #expect(alone.count { (try? $0.get()) != nil } == 7)
    }

    @Test("a sixth part is the same error alone, with a cached header, and in a batch")
    func sixthPart() throws {
        let key = try Self.keys.get()[0]
        let decrypter = try JWEDecrypter.with(key, .rsaOAEP, .a128CBCHS256)
        let honest = try JWEEncrypter.with(key.publicKey, .rsaOAEP, .a128CBCHS256).encrypt("text")
        let tokens = [
            honest + ".AAAA", TestToken.replacing(1, of: honest, by: "AAAA") + ".", honest,
        ]
        let first = Self.alone(tokens, decrypter)
        try expectSame(Self.alone(tokens, decrypter), first) { $0.unauthenticatedPlaintext }
        try expectSame(decrypter.decryptBatch(tokens), first) { $0.unauthenticatedPlaintext }
        #expect(first.count { (try? $0.get()) != nil } == 1)
    }

    // MARK: nested

    @Test("nested tokens: of one issuer, of a table of issuers, and with any error inside")
    func nested() throws {
        let key = try Self.keys.get()[0]
        let decrypting = EncryptionRule.required(
            keys: JWKSet(keys: try Self.keys.get()), algorithms: Self.algorithms,
            content: Self.content, compression: [.deflate])
        let signing = TestKeys.signing
        let header = #"{"alg":"RS256","kid":"sig-1"}"#
        let inner = try ["i", "j"].map {
            try TestToken.signed(header, #"{"iss":"\#($0)","aud":"a","exp":2000000000}"#)
        }
        let plaintexts =
            inner + [
                "{}", "x", "", try TestToken.signed(header, "{}", by: TestKeys.stranger),
                try TestToken.signed(header, #"{"iss":"i","aud":"b","exp":2000000000}"#),
            ]
        var tokens = try (0..<60).map { index in
            let token = try Self.token(index, plaintexts[index % plaintexts.count])
            return index % 9 == 8 ? try Self.damaged(token, index % 14) : token
        }
        tokens.append(inner[0])
        tokens.append(try Self.token(0))
        let rule = try SignatureRule.required(key: signing.publicKey, algorithms: [.rs256])
        let table = try ["i", "j"].map {
            try JWTVerifier(issuer: $0, audience: "a", signature: rule)
        }
        let verifiers = [
            try JWTVerifier(issuer: "i", audience: "a", encryption: decrypting, signature: rule),
            try JWTVerifier(byIssuer: table, encryption: decrypting), table[0],
            try JWTVerifier(
                issuer: "i", audience: "a", encryption: decrypting,
                signature: .insecureNotSigned),
            try JWTVerifier(
                issuer: "i", audience: "a",
                encryption: .required(
                    key: key.withAcceleration(.automatic), algorithms: Self.algorithms,
                    content: Self.content),
                signature: rule),
        ]
        for (index, verifier) in verifiers.enumerated() {
            let alone = tokens.map { token in
                Result { () throws(JOSEError) in try verifier.verify(token, at: Self.now) }
            }
            let batch = verifier.verifyBatch(tokens, at: Self.now)
            try expectSame(batch, alone) {
                [
                    $0.issuer ?? "", $0.keyID ?? "", try $0.header().json,
                    try $0.encryptionHeader()?.json ?? "",
                ]
            }
            let accepted = alone.count { (try? $0.get()) != nil }
            #expect(index == 3 ? accepted == 0 : accepted > 0, "\(index)")
        }
    }
}

/// An external key that computes nothing.
private struct NoKey: ExternalKey {
    let capabilities = ExternalKeyCapabilities(signatures: [.rs256], keyManagement: [.rsaOAEP])
}
