// The payload of a signed token is appended if it fits exactly, and rejected at every entry point
// if it is not base64url.

import JOSE
import Testing

@Suite("Payload buffers")
struct PayloadBufferTests {
    private static let verifier = Result {
        try JWSVerifier.rs256()
    }

    /// The bytes after the fill bytes with this capacity, and the result.
    private func append(_ token: String, room: Int) throws -> (verdict: String, bytes: [UInt8]) {
        let verifier = try Self.verifier.get()
        let text = Array(token.utf8)
        var verdict = ""
        let bytes = [UInt8](capacity: room + 50) { out in
            while out.freeCapacity > room { out.append(7) }
            do throws(JOSEError) {
                try verifier.verify(text.span, payload: &out)
                verdict = "accepted"
            } catch {
                verdict = Rejection.text(error)
            }
        }
        #expect(bytes.first == 7)
        return (verdict, Array(bytes.drop { $0 == 7 }))
    }

    @Test("an exactly large enough buffer works, a smaller one is left unchanged")
    func room() throws {
        for size in [1, 2, 3, 4, 31, 32, 33, 600] {
            let payload = [UInt8](repeating: 0x61, count: size)
            let token = try TestToken.signed(Array(#"{"alg":"RS256"}"#.utf8), payload)
            for (room, wanted) in [
                (size, "accepted"), (size + 1, "accepted"), (size - 1, "misuse"), (0, "misuse"),
            ] {
                let (verdict, bytes) = try append(token, room: room)
                #expect(verdict == wanted, "\(size) bytes, room for \(room)")
                #expect(bytes == (wanted == "accepted" ? payload : []))
            }
        }
        let empty = try TestToken.signed(#"{"alg":"RS256"}"#, "")
        #expect(try append(empty, room: 0).verdict == "accepted")
    }

    @Test("RFC 7515 5.2: a validly signed payload that is not base64url is malformed everywhere")
    func notBase64URL() throws {
        let verifier = try Self.verifier.get()
        let protected = Independent.base64URL(#"{"alg":"RS256"}"#.utf8)
        for text in ["a", "abcde", "ab+/", "ab_=", "YQ==", "QR", "YWI{", "YW I", "QUF\u{e9}"] {
            let input = Array((protected + "." + text).utf8)
            let signature = Independent.base64URL(
                try TestToken.signature(input, TestKeys.signing, .rs256))
            let token = "\(protected).\(text).\(signature)"
            let errors = [
                expectRejection("malformed", text) { _ = try verifier.verify(token) },
                expectRejection("malformed", text) { _ = try verifier.verify(Array(token.utf8)) },
                expectRejection("malformed", text) {
                    _ = try verifier.verifyUnencoded(token, encodings: [.base64URL])
                },
                expectRejection("malformed", text) {
                    _ = try need(verifier.verifyBatch([token]).first).get()
                },
            ]
            #expect(errors.allSatisfy { $0?.step == .payload }, "\(text)")
            let (verdict, bytes) = try append(token, room: 100)
            #expect(verdict == "malformed" && bytes.isEmpty, "\(text)")
            // The same text with a signature for another one is rejected all the same.
            let other = token.replacing(".\(text).", with: ".YWJj.")
            expectRejection("signature-invalid", text) { _ = try verifier.verify(other) }
        }
    }
}
