// Headers that differ in the ephemeral key alone: what a decrypter knows of them never changes a verdict.

import JOSE
import Testing

@Suite("Headers with an ephemeral key that come again")
struct EphemeralHeaderTests {
    /// A recipient on one curve, with a decrypter that has accepted three tokens.
    private struct Recipient {
        let key: JWK
        let experienced: JWEDecrypter

        init(_ curve: JWKCurve, options: RecipientOptions = RecipientOptions()) throws {
            key = TestKeys.bare(try JWK.generate(curve: curve))
            experienced = try Recipient.decrypter(key)
            for round in 0..<3 { try open(token("text \(round)", options), "text \(round)") }
        }

        private static func decrypter(_ key: JWK) throws -> JWEDecrypter {
            try JWEDecrypter(key: key, algorithms: [.ecdhESA128KW], content: [.a128GCM])
        }

        func token(
            _ text: String, _ options: RecipientOptions = RecipientOptions()
        ) throws -> String {
            try JWEEncrypter(
                key: key.publicKey, algorithm: .ecdhESA128KW, content: .a128GCM, options: options
            ).encrypt(text)
        }

        func open(_ token: String, _ text: String) throws {
            let opened = try experienced.decrypt(token)
            #expect(opened.unauthenticatedPlaintext == Array(text.utf8))
        }

        /// The verdict of both, which is one.
        func verdict(_ token: String) throws -> String {
            let verdict = try Refusal.verdict { _ = try experienced.decrypt(token) }
            let expected = try Refusal.verdict {
                _ = try Recipient.decrypter(key).decrypt(token)
            }
            #expect(verdict == expected)
            return verdict
        }
    }

    @Test(
        "each token of a row is opened, and damage to any part refused as ever",
        arguments: [JWKCurve.p256, .p384, .p521, .x25519, .x448])
    func rows(curve: JWKCurve) throws {
        let recipient = try Recipient(curve)
        for round in 0..<4 {
            let token = try recipient.token("next \(round)")
            try recipient.open(token, "next \(round)")
            for part in 1...4 {
                var bytes = try Independent.base64URL(TestToken.parts(token)[part])
                bytes[bytes.count / 2] ^= 1
                let bad = TestToken.replacing(part, of: token, by: Independent.base64URL(bytes))
                #expect(try recipient.verdict(bad) == "decryption-failed")
            }
        }
    }

    @Test(
        "every byte of the header changed: the verdict of one that knows nothing",
        arguments: [JWKCurve.p256, .x25519])
    func everyByte(curve: JWKCurve) throws {
        let recipient = try Recipient(curve)
        let token = try recipient.token("x")
        let header = try Independent.base64URL(TestToken.parts(token)[0])
        var verdicts: [String: Int] = [:]
        for index in header.indices {
            for byte in Array("A\"\\ }=".utf8) + [header[index] ^ 0x20, 0x80, 0] {
                var changed = header
                changed[index] = byte
                let other = TestToken.replacing(0, of: token, by: Independent.base64URL(changed))
                verdicts[try recipient.verdict(other), default: 0] += 1
            }
        }
        for verdict in ["accepted", "malformed", "decryption-failed", "algorithm-not-allowed"] {
            #expect(verdicts[verdict, default: 0] > 0, "\(verdict)")
        }
    }

    @Test(
        "points that are none: off the curve, of small order, coordinates in turn, of another length"
    )
    func points() throws {
        for curve in [JWKCurve.p256, .x25519] {
            let recipient = try Recipient(curve)
            let token = try recipient.token("x")
            let header = try String(
                decoding: Independent.base64URL(TestToken.parts(token)[0]), as: UTF8.self)
            let value = try VectorValue(json: header)["epk"]
            let x = try #require(value?["x"]?.string)
            let zero = Independent.base64URL([UInt8](repeating: 0, count: 32))
            let over = Independent.base64URL([UInt8](repeating: 255, count: 32))
            var others = [zero, over, String(x.dropLast(4)), x + "AAAA", ""]
            if let y = value?["y"]?.string { others.append(y) }
            for other in others {
                let changed = header.split(separator: x, maxSplits: 1).joined(separator: other)
                let bad = TestToken.replacing(0, of: token, by: Independent.base64URL(changed.utf8))
                #expect(["decryption-failed", "malformed"].contains(try recipient.verdict(bad)))
            }
        }
    }

    @Test("apu and apv are read in each token, and a header with them is not one without")
    func parties() throws {
        var options = RecipientOptions()
        options.partyU = Array("Alice".utf8)
        options.partyV = Array("Bob".utf8)
        let recipient = try Recipient(.p256, options: options)
        for round in 0..<6 {
            options.partyV = [UInt8(round)]
            try recipient.open(recipient.token("with \(round)", options), "with \(round)")
            try recipient.open(recipient.token("without \(round)"), "without \(round)")
        }
    }
}
