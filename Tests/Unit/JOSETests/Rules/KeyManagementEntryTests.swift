// Only the properties of a key management entry decide. Tested with entries that no RFC has.

import JOSE
import JOSEBytes
import JOSECrypto
import Testing

@Suite("Key management algorithms: properties")
struct KeyManagementEntryTests {
    /// `dir` as if it encrypted the content itself, with AES-GCM and without `enc`.
    private static let integrated: KeyManagementAlgorithm = {
        var row = KeyManagementAlgorithm.direct
        row.contentKey = .integrated(.a128GCM)
        return row
    }()

    private let key: JWK

    init() throws { key = try JWK(symmetricKey: [UInt8](repeating: 7, count: 16)) }

    @Test("the entries match the RFCs: number of recipients, parameters, trial decryption")
    func rows() {
        for row in KeyManagementAlgorithm.all {
            let name = row.name.description
            #expect(row.hasOneRecipient == ["dir", "ECDH-ES"].contains(name), "\(name)")
            #expect(row.integratedContent == nil && row.defaultContent == .a128CBCHS256, "\(name)")
            #expect(row.mayBeTried == name.hasPrefix("RSA-OAEP"), "\(name)")
            let members = row.form.parameters.map(\.member.rawValue.description)
            let wanted =
                name.hasPrefix("ECDH-ES")
                ? ["epk", "apu", "apv"]
                : name.hasSuffix("GCMKW")
                    ? ["iv", "tag"] : name.hasPrefix("PBES2") ? ["p2s", "p2c"] : []
            #expect(members == wanted, "\(name)")
        }
    }

    @Test("integrated encryption: enc is neither written nor read, nor checked by the policy")
    func roundTrip() throws {
        let encrypter = try JWEEncrypter(key: key, algorithm: Self.integrated, content: nil)
        let decrypter = try JWEDecrypter(key: key, algorithms: [Self.integrated], content: [])
        let other = try JWEDecrypter.with(key, Self.integrated, .a256CBCHS512)
        // Several in a row: a cached header is not parsed again.
        for round in 0..<5 {
            let token = try encrypter.encrypt("text \(round)")
            #expect(try TestToken.header(token) == #"{"alg":"dir"}"#)
            for decrypter in [decrypter, other] {
                let opened = try decrypter.decrypt(token)
                #expect(opened.unauthenticatedPlaintext == Array("text \(round)".utf8))
                #expect(try opened.header().encryption == nil)
                for part in 1...4 {
                    let bad = TestToken.replacing(
                        part, of: token, by: Independent.base64URL([UInt8](repeating: 1, count: 16))
                    )
                    expectRejection("decryption-failed", "\(part)") {
                        _ = try decrypter.decrypt(bad)
                    }
                }
            }
        }
        let own = try encrypter.encrypt(Array("x".utf8), header: HeaderParameters(type: "t"))
        #expect(try TestToken.header(own) == #"{"alg":"dir","typ":"t"}"#)
        #expect(try decrypter.decrypt(own).unauthenticatedPlaintext == Array("x".utf8))
    }

    @Test("integrated encryption: a token with enc is malformed, elsewhere one without it")
    func mixed() throws {
        let integrated = try JWEDecrypter.with(key, Self.integrated, .a128GCM)
        let direct = try JWEDecrypter.with(key, .direct, .a128GCM)
        let without = try JWEEncrypter(key: key, algorithm: Self.integrated, content: nil).encrypt(
            "x")
        let with = try JWEEncrypter.with(key, .direct, .a128GCM).encrypt("x")
        for _ in 0..<3 {
            #expect(try integrated.decrypt(without).unauthenticatedPlaintext == [0x78])
            #expect(try direct.decrypt(with).unauthenticatedPlaintext == [0x78])
            let rejected = expectRejection("malformed") { _ = try integrated.decrypt(with) }
            #expect(rejected?.step == .header)
            expectRejection("malformed") { _ = try direct.decrypt(without) }
        }
        // The policy allows no such algorithm, so the name does not matter, but the syntax error is
        // reported first.
        for (header, wanted) in [
            (#"{"alg":"A128KW"}"#, "malformed"),
            (#"{"alg":"A128KW","enc":"A128GCM"}"#, "algorithm-not-allowed"),
        ] {
            let token = TestToken.replacing(0, of: with, by: Independent.base64URL(header.utf8))
            for decrypter in [integrated, direct] {
                expectRejection(wanted, header) { _ = try decrypter.decrypt(token) }
            }
        }
    }

    @Test("content encryption must be named only if the algorithm does not define it")
    func misuse() throws {
        let key = self.key
        for row in KeyManagementAlgorithm.all {
            let recipient = try TestKeys.otherSide(TestKeys.decrypter(for: row, .a128GCM))
            expectRejection("misuse", "\(row)") {
                _ = try JWEEncrypter(key: recipient, algorithm: row, content: nil)
            }
            expectRejection("misuse", "\(row)") {
                _ = try JWEJSONEncrypter(
                    recipients: [JWERecipient(key: recipient, algorithm: row)], content: nil)
            }
            expectRejection("misuse", "\(row)") {
                _ = try JWEDecrypter(
                    key: TestKeys.decrypter(for: row, .a128GCM),
                    algorithms: [row, Self.integrated], content: [])
            }
        }
        expectRejection("misuse") {
            _ = try JWEEncrypter.with(key, Self.integrated, .a128GCM)
        }
        expectRejection("misuse") {
            _ = try JWTRecipient(key: key, algorithm: Self.integrated, content: .a128GCM)
        }
        expectRejection("misuse") {
            let one = try JWERecipient(key: key, algorithm: Self.integrated)
            _ = try JWEJSONEncrypter(recipients: [one, one], content: nil)
        }
    }

    @Test("RFC 7516 7.2.1: integrated encryption in the JSON serialisations, with aad")
    func json() throws {
        let encrypter = try JWEJSONEncrypter(
            recipients: [JWERecipient(key: key, algorithm: Self.integrated)], content: nil)
        let decrypter = try JWEDecrypter(key: key, algorithms: [Self.integrated], content: [])
        let direct = try JWEDecrypter.with(key, .direct, .a128GCM)
        for form in [JSONForm.flattened, .general] {
            let token = try encrypter.encrypt(
                Array("text".utf8), as: form, additionalData: [1, 2])
            #expect(!token.contains("enc\""))
            let opened = try decrypter.decryptJSON(token)
            #expect(opened.unauthenticatedPlaintext == Array("text".utf8))
            #expect(opened.additionalData == [1, 2])
            expectRejection("malformed") { _ = try direct.decryptJSON(token) }
        }
    }

    @Test("integrated encryption: the protected header names the algorithm") func place()
        throws
    {
        let decrypter = try JWEDecrypter(key: key, algorithms: [Self.integrated], content: [])
        let iv = Independent.base64URL([UInt8](repeating: 1, count: 12))
        let tag = Independent.base64URL([UInt8](repeating: 1, count: 16))
        for (protected, header, wanted) in [
            (#"{"alg":"dir"}"#, #"{"typ":"x"}"#, "decryption-failed"),
            (#"{"typ":"x"}"#, #"{"alg":"dir"}"#, "malformed"),
        ] {
            let text = Independent.base64URL(protected.utf8)
            for name in ["header", "unprotected"] {
                let token =
                    #"{"protected":"\#(text)","\#(name)":\#(header),"iv":"\#(iv)","#
                    + #""ciphertext":"AA","tag":"\#(tag)"}"#
                expectRejection(wanted, token) { _ = try decrypter.decryptJSON(token) }
            }
        }
    }
}
