// PBES2: only in builds with the package trait, only if a policy allows it, and with limited work.

import JOSE
import JOSECrypto
import Testing

@Suite("Password-based encryption")
struct PasswordTests {
    private let names = ["PBES2-HS256+A128KW", "PBES2-HS384+A192KW", "PBES2-HS512+A256KW"]
    private let password = Array("entrap_o–peter_long–credit_tun".utf8)

    private var rows: [KeyManagementAlgorithm] {
        names.compactMap { KeyManagementAlgorithm(name: $0) }
    }

    @Test("all three algorithms exist or none, and they are never recommended")
    func rowsExist() {
        #expect(rows.isEmpty || rows.count == 3)
        for row in rows {
            #expect(row.status == .legacy)
            #expect(!KeyManagementAlgorithm.recommended.contains(row))
        }
    }

    @Test("without the trait the C core contains no code for it")
    func compiledOut() throws {
        guard rows.isEmpty else { return }
        let key = try JWK(symmetricKey: password).prepared.material.native()
        #expect(throws: CryptoError.unusableKey) {
            _ = try KeyManagementOperation(
                key: key, family: .pbes2, wrapBytes: 16, wrapping: true)
        }
    }

    @Test("only the right password decrypts")
    func roundTrip() throws {
        var options = RecipientOptions()
        options.passwordIterations = 1_000
        for row in rows {
            let key = try JWK(symmetricKey: password)
            for content in ContentEncryptionAlgorithm.all {
                let token = try JWEEncrypter(
                    key: key, algorithm: row, content: content, options: options
                ).encrypt("text")
                let opened = try JWEDecrypter.with(key, row, content)
                    .decrypt(token)
                #expect(opened.unauthenticatedPlaintext == Array("text".utf8))
                let header = try VectorValue(json: opened.header().json)
                #expect(header["p2c"]?.int == 1_000)
                #expect(try Independent.base64URL(need(header["p2s"]?.string)).count == 16)
                // HMAC pads a short key with zeros: only another byte makes another password.
                let others: [[UInt8]] = [Array(password.dropLast()), password + [1], [1]]
                for other in others {
                    let wrong = try JWEDecrypter.with(JWK(symmetricKey: other), row, content)
                    expectRejection("decryption-failed") { _ = try wrong.decrypt(token) }
                }
            }
        }
    }

    /// A general token whose recipients require this number of iterations. No password decrypts it.
    private func token(
        _ recipients: [(row: KeyManagementAlgorithm, iterations: Int)], keyIDs: [String?] = []
    ) -> String {
        let protected = Independent.base64URL(Array(#"{"enc":"A128GCM"}"#.utf8))
        let entries = recipients.enumerated().map { index, recipient in
            let keyID = index < keyIDs.count ? keyIDs[index].map { #""kid":"\#($0)","# } ?? "" : ""
            let header =
                recipient.iterations == 0
                ? #"{\#(keyID)"alg":"\#(recipient.row)"}"#
                : #"{\#(keyID)"alg":"\#(recipient.row)","p2s":"AAAAAAAAAAA","#
                    + #""p2c":\#(recipient.iterations)}"#
            return #"{"header":\#(header),"encrypted_key":"\#(String(repeating: "A", count: 32))"}"#
        }
        return #"{"protected":"\#(protected)","recipients":[\#(entries.joined(separator: ","))],"#
            + #""iv":"AAAAAAAAAAAAAAAA","ciphertext":"AA","tag":"AAAAAAAAAAAAAAAAAAAAAA"}"#
    }

    private func limits(_ most: Int, inAll: Int) -> JOSELimits {
        var limits = JOSELimits.standard
        (limits.maxIterations, limits.tokenIterations) = (most, inAll)
        return limits
    }

    @Test("the total iterations of all recipients are limited before any is computed")
    func sum() throws {
        for row in rows {
            let key = try JWK(symmetricKey: [UInt8](repeating: 7, count: 16))
            func verdict(
                _ iterations: [Int], most: Int = 1_000_000, inAll: Int = 1_000_000,
                keyIDs: [String?] = [], key own: JWK? = nil
            ) throws -> String {
                let decrypter = try JWEDecrypter(
                    key: own ?? key, algorithms: [row, .a128KW], content: [.a128GCM],
                    limits: limits(most, inAll: inAll))
                let token = token(
                    iterations.map { ($0 == 0 ? .a128KW : row, $0) }, keyIDs: keyIDs)
                if iterations.count < 3 { #expect(decrypter.explainJSON(token).error != nil) }
                return try Rejection.verdict { _ = try decrypter.decryptJSON(token) }
            }
            // A day of work if it were done.
            for count in [2, 16] {
                let most = [Int](repeating: 1_000_000, count: count)
                #expect(try verdict(most) == "limit-exceeded")
            }
            #expect(try verdict([1_000, 999_001]) == "limit-exceeded")
            for (iterations, most, inAll, wanted) in [
                ([2_000], 3_000, 3_000, "decryption-failed"),
                ([1_000, 2_000], 3_000, 3_000, "decryption-failed"),
                ([1_000, 2_001], 3_000, 3_000, "limit-exceeded"),
                ([1_000, 1_000, 1_001], 3_000, 3_000, "limit-exceeded"),
                ([1_000, 0, 2_000, 0], 3_000, 3_000, "decryption-failed"),
                ([0, 2_000, 0, 1_001], 3_000, 3_000, "limit-exceeded"),
                // A single derivation is limited by its own number, which may be larger.
                ([3_000], 3_000, 1_000, "decryption-failed"),
                ([1_000, 2_000], 3_000, 0, "decryption-failed"),
                ([1_000, 2_001], 3_000, 0, "limit-exceeded"),
                ([2_000, 2_001], 3_000, 5_000, "decryption-failed"),
                ([3_001, 1_000], 3_000, 5_000, "limit-exceeded"),
            ] as [([Int], Int, Int, String)] {
                let got = try verdict(iterations, most: most, inAll: inAll)
                #expect(got == wanted, "\(iterations) of \(most), \(inAll)")
            }
            // Other parties' recipients cost nothing.
            let named = TestKeys.named(key, "b")
            for (keyIDs, wanted) in [
                (["a", "b", "c"], "decryption-failed"), (["b", "b", "c"], "limit-exceeded"),
                ([nil, "b", "c"], "limit-exceeded"), (["a", "c", "d"], "key-not-found"),
            ] as [([String?], String)] {
                let got = try verdict(
                    [2_000, 2_000, 2_000], most: 3_000, inAll: 3_000, keyIDs: keyIDs, key: named)
                #expect(got == wanted, "\(keyIDs)")
            }
        }
    }

    @Test("an encrypter rejects what its readers would reject")
    func sumOfMaker() throws {
        for row in rows {
            let key = try JWK(symmetricKey: password)
            func recipient(_ iterations: Int) throws -> JWERecipient {
                var options = RecipientOptions()
                options.passwordIterations = iterations
                return try JWERecipient(key: key, algorithm: row, options: options)
            }
            func make(_ iterations: [Int], _ limits: JOSELimits) throws -> String {
                try JWEJSONEncrypter(
                    recipients: iterations.map { try recipient($0) }, content: .a128GCM,
                    limits: limits
                ).encrypt(Array("text".utf8), as: .general)
            }
            let few = limits(3_000, inAll: 3_000)
            let token = try make([1_000, 2_000], few)
            let decrypter = try JWEDecrypter(
                key: key, algorithms: [row], content: [.a128GCM], limits: few)
            #expect(try decrypter.decryptJSON(token).unauthenticatedPlaintext == Array("text".utf8))
            expectRejection("limit-exceeded") { _ = try make([1_000, 2_001], few) }
            expectRejection("limit-exceeded") { _ = try make([600_000, 600_000], .standard) }
            let more = try make([1_000, 2_001], limits(3_000, inAll: 3_001))
            expectRejection("limit-exceeded") { _ = try decrypter.decryptJSON(more) }
        }
    }

    @Test("RFC 7518 4.8.1: iterations and salts outside the limits are rejected before any work")
    func limits() throws {
        for row in rows {
            let key = try JWK(symmetricKey: password)
            let decrypter = try JWEDecrypter.with(key, row, .a128GCM)
            func verdict(_ salt: String, _ count: String) throws -> String {
                let header = #"{"alg":"\#(row)","enc":"A128GCM","p2s":\#(salt),"p2c":\#(count)}"#
                let token = TestToken.forged(header, encryptedKeyBytes: 24)
                return try Rejection.verdict { _ = try decrypter.decrypt(token) }
            }
            func salt(_ count: Int) -> String {
                "\"" + Independent.base64URL([UInt8](repeating: 9, count: count)) + "\""
            }
            for (count, wanted) in [
                ("1000", "decryption-failed"), ("1000.0", "decryption-failed"),
                ("1e3", "decryption-failed"), ("1", "limit-exceeded"), ("2", "limit-exceeded"),
                ("-1", "malformed"), ("0.5", "malformed"), ("1.5", "malformed"),
                ("999", "limit-exceeded"), ("1000001", "limit-exceeded"),
                ("1e18", "limit-exceeded"), ("1e400", "limit-exceeded"), ("0", "malformed"),
                ("-1000", "malformed"), ("\"1000\"", "malformed"), ("null", "malformed"),
                ("1000.5", "malformed"), ("[1000]", "malformed"),
            ] {
                #expect(try verdict(salt(16), count) == wanted, "\(count)")
            }
            for (text, wanted) in [
                (salt(8), "decryption-failed"), (salt(128), "decryption-failed"),
                (salt(7), "malformed"), ("\"\"", "malformed"), ("7", "malformed"),
                (salt(129), "limit-exceeded"), ("null", "malformed"),
                ("\"AAAAAAAAAAA=\"", "malformed"),
            ] {
                #expect(try verdict(text, "1000") == wanted, "\(text)")
            }
            for count in [0, 999, 1_000_001] {
                var options = RecipientOptions()
                options.passwordIterations = count
                expectRejection("misuse") {
                    _ = try JWEEncrypter(
                        key: key, algorithm: row, content: .a128GCM, options: options)
                }
            }
        }
    }
}
