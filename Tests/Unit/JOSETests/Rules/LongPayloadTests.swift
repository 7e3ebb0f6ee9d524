// Long payloads are decoded while they are hashed. Their results equal those of short ones, in the
// same order.

import JOSE
import Testing

@Suite("Long payloads")
struct LongPayloadTests {
    /// Sizes around 16,384 characters, and some that leave each remainder of a chunk.
    static let sizes = [12_287, 12_288, 12_289, 12_290, 12_671, 12_672, 12_673, 70_001]
    static let algorithms: [SignatureAlgorithm] = [
        .rs256, .rs512, .ps256, .ps384, .es256, .hs256, .ed25519,
    ]

    private struct Peers {
        let key: JWK
        let verifier: JWSVerifier
        let token: String
        let parts: [String]
        private let algorithm: SignatureAlgorithm

        init(_ payload: [UInt8], _ algorithm: SignatureAlgorithm) throws {
            key = try TestKeys.signer(for: algorithm)
            verifier = try JWSVerifier(key: TestKeys.otherSide(key), algorithms: [algorithm])
            token = try JWSSigner(key: key, algorithm: algorithm).sign(payload)
            parts = TestToken.parts(token)
            self.algorithm = algorithm
        }

        /// With another payload's text, signed as it is.
        func signing(_ text: String) throws -> String {
            let input = parts[0] + "." + text
            let signature = try TestToken.signature(Array(input.utf8), key, algorithm)
            return input + "." + Independent.base64URL(signature)
        }
    }

    /// As a string, as bytes and into a buffer.
    private func expectRejection(
        _ code: String, _ token: String, _ verifier: JWSVerifier, _ comment: String
    ) {
        JOSETests.expectRejection(code, comment) { _ = try verifier.verify(token) }
        JOSETests.expectRejection(code, comment) { _ = try verifier.verify(Array(token.utf8)) }
        JOSETests.expectRejection(code, comment) {
            _ = try [UInt8](capacity: token.utf8.count) { (out) throws(JOSEError) in
                try verifier.verify(token.utf8.span, payload: &out)
            }
        }
    }

    @Test("payloads of every size and algorithm", arguments: algorithms)
    func sizes(_ algorithm: SignatureAlgorithm) throws {
        var random = SeededGenerator(seed: 11)
        for size in Self.sizes {
            let payload = random.bytes(size)
            let sides = try Peers(payload, algorithm)
            let (token, verifier) = (sides.token, sides.verifier)
            for _ in 0..<3 {
                #expect(try verifier.verify(token).payload == payload, "\(size)")
                #expect(try verifier.verify(Array(token.utf8)).payload == payload, "\(size)")
            }
            let into = try [UInt8](capacity: size) { (out) throws(JOSEError) in
                try verifier.verify(token.utf8.span, payload: &out)
            }
            #expect(into == payload, "\(size)")
            for verified in verifier.verifyBatch([token, token]) {
                #expect(try verified.get().payload == payload, "\(size)")
            }
        }
    }

    @Test("a changed payload and a changed signature are rejected", arguments: algorithms)
    func changed(_ algorithm: SignatureAlgorithm) throws {
        let sides = try Peers([UInt8](repeating: 3, count: 12_400), algorithm)
        let (token, verifier, parts) = (sides.token, sides.verifier, sides.parts)
        for index in [0, 255, 256, 300, 511, 512, 9_000, parts[1].utf8.count - 2] {
            var bytes = Array(parts[1].utf8)
            bytes[index] = bytes[index] == UInt8(ascii: "Q") ? UInt8(ascii: "g") : UInt8(ascii: "Q")
            let wrong = TestToken.replacing(
                1, of: token, by: String(decoding: bytes, as: UTF8.self))
            expectRejection("signature-invalid", wrong, verifier, "\(index)")
        }
        for other in ["A", "_"] where !parts[2].hasPrefix(other) {
            let wrong = TestToken.replacing(2, of: token, by: other + parts[2].dropFirst())
            expectRejection(
                "signature-invalid", wrong, verifier, "a signature that begins with \(other)")
        }
    }

    @Test(
        "a malformed payload is reported only if its signature is valid",
        arguments: [SignatureAlgorithm.rs256, .hs256])
    func malformed(_ algorithm: SignatureAlgorithm) throws {
        let sides = try Peers([UInt8](repeating: 1, count: 12_400), algorithm)
        let (token, verifier, parts) = (sides.token, sides.verifier, sides.parts)
        for index in [0, 1, 255, 256, 511, 512, 8_000, parts[1].utf8.count - 1] {
            for character in ["=", "+", "/", " ", "\u{0}", "é"] {
                var bytes = Array(parts[1].utf8)
                bytes.replaceSubrange(index...index, with: Array(character.utf8))
                let text = String(decoding: bytes, as: UTF8.self)
                expectRejection(
                    "signature-invalid", TestToken.replacing(1, of: token, by: text), verifier,
                    "\(index) is \(character)")
                expectRejection(
                    "malformed", try sides.signing(text), verifier,
                    "\(index) is \(character), signed")
            }
        }
        for text in [
            String(repeating: "A", count: 16_385), String(repeating: "A", count: 16_386) + "B",
        ] {
            expectRejection("malformed", try sides.signing(text), verifier, "\(text.utf8.count)")
        }
    }

    @Test(
        "the error of a malformed long payload equals that of a short one",
        arguments: [SignatureAlgorithm.rs256, .hs256])
    func words(_ algorithm: SignatureAlgorithm) throws {
        for end in ["QUE=", "QU+B", "QUF"] {
            let said = try [4, 16_384].map { count in
                let sides = try Peers([UInt8](repeating: 1, count: count), algorithm)
                let token = try sides.signing(String(repeating: "A", count: count) + end)
                var said = ""
                do throws(JOSEError) { _ = try sides.verifier.verify(token) } catch {
                    said = error.description
                }
                // The offset and the length differ, the sentence is the same.
                return said.filter { !$0.isNumber && $0 != "," }
            }
            #expect(said[0] == said[1] && said[0].contains("not baseurl"), "\(said)")
        }
    }

    @Test("inside an encrypted token")
    func nested() throws {
        let photo = String(repeating: "a", count: 40_000)
        let sides = try Peers(
            Array(#"{"iss":"i","aud":"a","exp":4000000000,"photo":"\#(photo)"}"#.utf8), .rs256)
        let verifier = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: "a"), .rsa(),
            signature: .rs256(TestKeys.otherSide(sides.key)))
        func verify(_ inner: String) throws -> VerifiedJWT {
            try verifier.verify(TestToken.nested(inner))
        }
        #expect(try verify(sides.token)["photo"] == .string(photo))
        let text = sides.parts[1]
        JOSETests.expectRejection("signature-invalid") {
            _ = try verify(TestToken.replacing(1, of: sides.token, by: text.dropLast(4) + "QUFB"))
        }
        JOSETests.expectRejection("malformed") {
            _ = try verify(sides.signing(text.dropLast(4) + "QUF="))
        }
        JOSETests.expectRejection("claim-rejected iss") {
            _ = try verify(
                sides.signing(
                    Independent.base64URL(
                        #"{"iss":"j","aud":"a","exp":4000000000,"photo":"\#(photo)"}"#.utf8)))
        }
    }
}
