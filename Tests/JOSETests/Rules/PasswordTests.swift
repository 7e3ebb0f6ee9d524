// PBES2: only in builds with the package trait, only where a policy names it, and with bounded work.

import JOSE
import JOSECrypto
import Testing

@Suite("Encryption to passwords")
struct PasswordTests {
    private let names = ["PBES2-HS256+A128KW", "PBES2-HS384+A192KW", "PBES2-HS512+A256KW"]
    private let password = Array("entrap_o–peter_long–credit_tun".utf8)

    private var rows: [KeyManagementAlgorithm] {
        names.compactMap { KeyManagementAlgorithm.named($0) }
    }

    @Test("all three rows exist, or none; never recommended")
    func rowsExist() {
        #expect(rows.isEmpty || rows.count == 3)
        for row in rows {
            #expect(row.status == .legacy)
            #expect(!KeyManagementAlgorithm.recommended.contains(row))
        }
    }

    @Test("without the trait the C core has no code for it")
    func compiledOut() throws {
        guard rows.isEmpty else { return }
        let key = try JWK(symmetricKey: password).prepared.material.native()
        #expect(throws: CryptoFault.unusableKey) {
            _ = try KeyManagementOperation(
                key: key, family: .pbes2, wrapBytes: 16, wrapping: true)
        }
    }

    @Test("what was encrypted to a password is read with it, and with no other")
    func roundTrip() throws {
        var options = RecipientOptions()
        options.passwordIterations = 1_000
        for row in rows {
            let key = try JWK(symmetricKey: password)
            for content in ContentEncryptionAlgorithm.all {
                let token = try JWEEncrypter(
                    key, algorithm: row, content: content, options: options
                ).encrypt("text")
                let opened = try JWEDecrypter(key: key, algorithms: [row], content: [content])
                    .decrypt(token)
                #expect(opened.unauthenticatedPlaintext == Array("text".utf8))
                let header = try VectorValue(json: opened.header.json)
                #expect(header["p2c"]?.int == 1_000)
                #expect(try Independent.base64URL(need(header["p2s"]?.string)).count == 16)
                // HMAC pads a short key with zeros: only another byte makes another password.
                let others: [[UInt8]] = [Array(password.dropLast()), password + [1], [1]]
                for other in others {
                    let wrong = try JWEDecrypter(
                        key: JWK(symmetricKey: other), algorithms: [row],
                        content: [content])
                    expectRefusal("decryption-failed") { _ = try wrong.decrypt(token) }
                }
            }
        }
    }

    @Test("RFC 7518 4.8.1: iterations and salts outside the limits are refused before any work")
    func limits() throws {
        for row in rows {
            let key = try JWK(symmetricKey: password)
            let decrypter = try JWEDecrypter(key: key, algorithms: [row], content: [.a128GCM])
            func verdict(_ salt: String, _ count: String) throws -> String {
                let header = #"{"alg":"\#(row)","enc":"A128GCM","p2s":\#(salt),"p2c":\#(count)}"#
                let parts: [[UInt8]] = [
                    Array(header.utf8), [UInt8](repeating: 1, count: 24),
                    [UInt8](repeating: 2, count: 12), [3], [UInt8](repeating: 4, count: 16),
                ]
                let token = parts.map { Independent.base64URL($0) }.joined(separator: ".")
                return try Refusal.verdict { _ = try decrypter.decrypt(token) }
            }
            func salt(_ count: Int) -> String {
                "\"" + Independent.base64URL([UInt8](repeating: 9, count: count)) + "\""
            }
            for (count, wanted) in [
                ("1000", "decryption-failed"), ("1000.0", "decryption-failed"),
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
                expectRefusal("misuse") {
                    _ = try JWEEncrypter(
                        key, algorithm: row, content: .a128GCM, options: options)
                }
            }
        }
    }
}
