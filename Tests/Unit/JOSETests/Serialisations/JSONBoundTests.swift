// Tokens of the JSON serialisations at their limits: accepted at the limit, rejected one beyond it.

import JOSE
import Testing

@Suite("JSON serialisations: at the limits")
struct JSONBoundTests {
    private static let payload = Independent.base64URL("hello".utf8)

    private func verdict(_ token: String, _ limits: JOSELimits = .standard) throws -> String {
        let verifier = try JWSVerifier(
            key: TestKeys.bare(TestKeys.signing.publicKey), algorithms: [.rs256], limits: limits)
        return try Rejection.verdict { _ = try verifier.verifyJSON(token, requiring: .any) }
    }

    private func verdict(encrypted token: String, _ limits: JOSELimits) throws -> String {
        let decrypter = try JWEDecrypter.rsa(limits: limits)
        return try Rejection.verdict { _ = try decrypter.decryptJSON(token) }
    }

    /// The members of a valid signature: protected and signature.
    private func entry(_ header: String = #"{"alg":"RS256"}"#) throws -> String {
        try TestToken.signature(header, over: Self.payload)
    }

    private func token(_ members: String) -> String {
        "{\"payload\":\"\(Self.payload)\",\(members)}"
    }

    /// The members of a valid encrypted token for one recipient.
    private func sealed(_ header: String) throws -> String {
        let (p, k, r) = TestToken.members(try TestToken.encrypted(header, "hello"))
        return "\(p),\(k),\(r)"
    }

    @Test("the size of the token is limited") func size() throws {
        let signed = try token(entry())
        let encrypted = "{" + (try sealed(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#)) + "}"
        for (less, wanted) in [(0, "accepted"), (1, "limit-exceeded")] {
            let small = JOSELimits.with { $0.tokenBytes = signed.utf8.count - less }
            #expect(try verdict(signed, small) == wanted)
            let other = JOSELimits.with { $0.tokenBytes = encrypted.utf8.count - less }
            #expect(try verdict(encrypted: encrypted, other) == wanted)
        }
    }

    @Test("the number of signatures and recipients is limited") func entries() throws {
        let one = "{" + (try entry()) + "}"
        for (most, count, wanted) in [
            (16, 16, "accepted"), (16, 17, "limit-exceeded"), (2, 2, "accepted"),
            (2, 3, "limit-exceeded"), (1, 1, "accepted"), (1, 2, "limit-exceeded"),
            (17, 17, "accepted"),
        ] {
            let list = Array(repeating: one, count: count).joined(separator: ",")
            let narrow = JOSELimits.with { $0.recipientCount = most }
            #expect(
                try verdict(token("\"signatures\":[\(list)]"), narrow) == wanted,
                "\(count) of \(most)")
        }
        let (p, k, r) = TestToken.members(
            try TestToken.encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, "hello"))
        for (count, wanted) in [(3, "accepted"), (4, "limit-exceeded")] {
            let list = Array(repeating: "{\(k)}", count: count).joined(separator: ",")
            let token = "{\(p),\(r),\"recipients\":[\(list)]}"
            let narrow = JOSELimits.with { $0.recipientCount = 3 }
            #expect(try verdict(encrypted: token, narrow) == wanted, "\(count)")
        }
    }

    @Test("names and values: 2,048 if fewer than 16 signatures are allowed") func values() throws {
        let own = try entry()
        // Seven values are the token itself, each member has two.
        func token(_ members: Int) -> String {
            self.token(own + (0..<members).map { ",\"m\($0)\":0" }.joined())
        }
        for most in [1, 15, 16] {
            let narrow = JOSELimits.with { $0.recipientCount = most }
            #expect(try verdict(token(1_020), narrow) == "accepted", "\(most)")
            #expect(try verdict(token(1_021), narrow) == "limit-exceeded", "\(most)")
        }
        let wide = JOSELimits.with { $0.recipientCount = 17 }
        #expect(try verdict(token(1_084), wide) == "accepted")
        #expect(try verdict(token(1_085), wide) == "limit-exceeded")
    }

    @Test("the header: the protected part and all members together are limited")
    func header() throws {
        let protected = #"{"alg":"RS256"}"#
        let encoded = Independent.base64URL(protected.utf8).utf8.count
        let alone = try token(entry(protected))
        for (bytes, wanted) in [(encoded, "accepted"), (encoded - 1, "limit-exceeded")] {
            #expect(try verdict(alone, JOSELimits.with { $0.headerBytes = bytes }) == wanted)
        }
        let other = "\"x\":\"" + String(repeating: "k", count: 40) + "\""
        // Without braces, with a comma between the parts.
        let joined = protected.utf8.count - 2 + 1 + other.utf8.count
        let both = try token(entry(protected) + ",\"header\":{\(other)}")
        for (bytes, wanted) in [
            (joined + 1, "accepted"), (joined, "accepted"), (joined - 1, "limit-exceeded"),
        ] {
            #expect(
                try verdict(both, JOSELimits.with { $0.headerBytes = bytes }) == wanted, "\(bytes)")
        }
        let full = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#
        let size = Independent.base64URL(full.utf8).utf8.count
        let encrypted = "{" + (try sealed(full)) + "}"
        for (bytes, wanted) in [(size, "accepted"), (size - 1, "limit-exceeded")] {
            let narrow = JOSELimits.with { $0.headerBytes = bytes }
            #expect(try verdict(encrypted: encrypted, narrow) == wanted)
        }
    }

    @Test("RFC 7515 7.2.1: values are not read as members, and only a dot makes a name suspicious")
    func names() throws {
        let own = try entry()
        for more in [
            #""a-b":1"#, #""a/b":1"#, #""a\u002fb":1"#, #""x":"a.b.c""#, #""x":{"a.b":1}"#,
            #""x":"signatures","y":[5]"#, #""x":"signature","y":5"#, #""x":"ciphertext""#,
            #""x":["payload","payload"],"y":{"payload":5}"#, #""signaturf":5,"signatur":5"#,
            #""x":{"signatures":[]},"y":"unprotected","z":{"x":1}"#, #""encrypted_keys":"""#,
        ] {
            #expect(try verdict(token(own + "," + more)) == "accepted", "\(more)")
            #expect(try verdict(token(more + "," + own)) == "accepted", "\(more)")
            let list = "\"signatures\":[{\(more),\(own)}]"
            #expect(try verdict(token(list)) == "accepted", "\(more)")
        }
        for more in [#""a.b":1"#, #"".":1"#, #""a.":1"#, #""\u002e":1"#] {
            #expect(try verdict(token(own + "," + more)) == "malformed", "\(more)")
        }
    }

    @Test("a payload with escapes is decoded") func escapes() throws {
        let own = try entry()
        let first = try need(Self.payload.utf8.first)
        let escaped = "\\u00\(String(first, radix: 16))\(Self.payload.dropFirst())"
        let token = "{\"payload\":\"\(escaped)\",\(own)}"
        let verifier = try JWSVerifier.rs256()
        let verified = try verifier.verifyJSON(token, requiring: .all)
        #expect(verified.payload == Array("hello".utf8))
    }
}
