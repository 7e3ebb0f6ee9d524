// Headers that differ in `iv` and `tag` alone: what a decrypter knows of them never changes a verdict.

import JOSE
import Testing

@Suite("Headers with iv and tag that come again")
struct HeaderPatternTests {
    private let key: JWK
    private let encrypter: JWEEncrypter

    init() throws {
        key = try JWK(symmetricKey: [UInt8](repeating: 7, count: 16))
        encrypter = try JWEEncrypter(key: key, algorithm: .a128GCMKW, content: .a128GCM)
    }

    private func decrypter() throws -> JWEDecrypter {
        try JWEDecrypter(key: key, algorithms: [.a128GCMKW], content: [.a128GCM, .a256GCM])
    }

    /// A decrypter that has accepted the headers of three tokens.
    private func experienced() throws -> JWEDecrypter {
        let made = try decrypter()
        for round in 0..<3 { try open(made, encrypter.encrypt("text \(round)"), "text \(round)") }
        return made
    }

    private func open(_ decrypter: JWEDecrypter, _ token: String, _ text: String) throws {
        let opened = try decrypter.decrypt(token)
        #expect(opened.unauthenticatedPlaintext == Array(text.utf8))
    }

    @Test("each token of a row is opened, and damage to any part refused as ever") func rows()
        throws
    {
        let experienced = try experienced()
        for round in 0..<8 {
            let token = try encrypter.encrypt("next \(round)")
            try open(experienced, token, "next \(round)")
            for part in 1...4 {
                var bytes = try Independent.base64URL(TestToken.parts(token)[part])
                bytes[bytes.count / 2] ^= 1
                let bad = TestToken.replacing(part, of: token, by: Independent.base64URL(bytes))
                expectRefusal("decryption-failed") { _ = try experienced.decrypt(bad) }
            }
        }
    }

    @Test("every byte of the header changed: the verdict of one that knows nothing")
    func everyByte() throws {
        let (experienced, fresh) = (try experienced(), try decrypter())
        let token = try encrypter.encrypt("x")
        let header = try Independent.base64URL(TestToken.parts(token)[0])
        var verdicts: [String: Int] = [:]
        for index in header.indices {
            for byte in Array("A\"\\ }!=_\u{7f}".utf8) + [header[index] ^ 0x20, 0x80, 0] {
                var changed = header
                changed[index] = byte
                let other = TestToken.replacing(0, of: token, by: Independent.base64URL(changed))
                let verdict = try Refusal.verdict { _ = try experienced.decrypt(other) }
                #expect(try Refusal.verdict { _ = try fresh.decrypt(other) } == verdict)
                verdicts[verdict, default: 0] += 1
            }
        }
        // Where the byte was replaced by itself the token is accepted; most others break the JSON or the tag.
        for verdict in ["accepted", "malformed", "decryption-failed", "algorithm-not-allowed"] {
            #expect(verdicts[verdict, default: 0] > 0, "\(verdict)")
        }
    }

    @Test("a value of another length, and the two in turn") func lengths() throws {
        let (experienced, fresh) = (try experienced(), try decrypter())
        let token = try encrypter.encrypt("x")
        let header = try String(
            decoding: Independent.base64URL(TestToken.parts(token)[0]), as: UTF8.self)
        let edits: [(String, String)] = [
            (#""iv":""#, #""iv":"A"#), (#""iv":""#, #""iv": ""#), (#""tag":""#, #""tag":"AAAA"#),
            (#""iv":"#, #""xx":"#), (#""tag":"#, #""iv":"#), (#""iv":"#, #""tag":"#),
        ]
        for (old, new) in edits {
            let changed = header.split(separator: old, maxSplits: 1).joined(separator: new)
            #expect(changed != header)
            let other = TestToken.replacing(0, of: token, by: Independent.base64URL(changed.utf8))
            let verdict = try Refusal.verdict { _ = try experienced.decrypt(other) }
            #expect(try Refusal.verdict { _ = try fresh.decrypt(other) } == verdict, "\(new)")
            #expect(verdict != "accepted")
        }
    }

    @Test("senders in turn: another content encryption, another order of members") func turns()
        throws
    {
        let other = try JWEEncrypter(key: key, algorithm: .a128GCMKW, content: .a256GCM)
        let decrypter = try decrypter()
        for pattern in [[0, 1, 0, 1], [0, 0, 0, 1, 1, 1, 0], [1, 0, 0, 1, 1, 1]] {
            for index in pattern {
                let token = try (index == 0 ? encrypter : other).encrypt("\(index)")
                try open(decrypter, token, "\(index)")
                let encryption = try decrypter.decrypt(token).header.encryption
                #expect(encryption == (index == 0 ? "A128GCM" : "A256GCM"))
            }
        }
    }

    @Test("tag before iv, as RFC 7520, 5.7 writes it") func order() throws {
        let file = try VectorFile.named("rfc7520.json")
        let vector = try #require(file.vectors.first { $0["alg"] == "A256GCMKW" })
        let token = try #require(vector.output["compact"]?.string)
        let text = try #require(vector["plaintext_text"])
        let key = try JWK(json: #require(vector.key()).json)
        let decrypter = try JWEDecrypter(
            key: key, algorithms: [.a256GCMKW], content: [.a128CBCHS256])
        for _ in 0..<4 { try open(decrypter, token, text) }
    }
}
