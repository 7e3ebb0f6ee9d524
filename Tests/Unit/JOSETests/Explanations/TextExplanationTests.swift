// Explanations of input that is not a token of the expected form: what it is, and what to do.

import JOSE
import Testing

@Suite("Inputs that are not a token")
struct TextExplanationTests {
    private static let now = NumericDate(exactly: 1_760_000_000)
    private static let claims = #"{"exp":2000000000}"#
    private static let signed = Result {
        try TestToken.signed(#"{"alg":"RS256","kid":"sig-1"}"#, claims)
    }
    private static let sealed = Result {
        try TestToken.encrypted(
            #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"enc-1","cty":"JWT"}"#, signed.get())
    }

    private func verifier(encrypted: Bool = false) throws -> JWTVerifier {
        try JWTVerifier.checking(
            ClaimsPolicy(issuer: .any, audience: .any),
            encrypted
                ? .required(
                    keys: JWKSet(keys: [TestKeys.decrypting]), algorithms: [.rsaOAEP],
                    content: [.a128CBCHS256]) : .notEncrypted,
            signature: .rs256(keys: PublicJWKSet(keys: [TestKeys.signing])))
    }

    private func expect(
        _ text: String, encrypted: Bool = false, _ parts: String...,
        at place: SourceLocation = #_sourceLocation
    ) throws {
        let explanation = try verifier(encrypted: encrypted).explain(text, at: Self.now)
        #expect(explanation.error != nil, sourceLocation: place)
        #expect(explanation.advice != nil, "\(text)", sourceLocation: place)
        for part in parts {
            #expect(
                explanation.description.contains(part), "\(explanation)", sourceLocation: place)
        }
        for line in explanation.lines {
            #expect(line.text.utf8.count < 500, sourceLocation: place)
            #expect(!line.text.utf8.contains { $0 < 0x20 }, sourceLocation: place)
        }
    }

    @Test("an HTTP prefix is not part of a token, in any case") func prefixes() throws {
        let token = try Self.signed.get()
        for prefix in ["Bearer ", "bearer ", "BEARER ", "DPoP ", "Authorization: Bearer "] {
            try expect(prefix + token, "the text begins with", "belongs to the HTTP header")
        }
        try expect("Bearer " + Self.sealed.get(), encrypted: true, "begins with 'Bearer '")
    }

    @Test("white space before, in and after a token is named with its offset") func whiteSpace()
        throws
    {
        let token = try Self.signed.get()
        try expect(" " + token, "a space at byte 1, in the header")
        try expect(token + "\n", "white space at the end: a line feed")
        try expect(token + "\r\n", "white space at the end: a carriage return")
        let parts = TestToken.parts(token)
        for (index, name) in ["header", "payload", "signature"].enumerated() {
            let broken = parts[index].prefix(8) + "\n" + parts[index].dropFirst(8)
            try expect(
                TestToken.replacing(index, of: token, by: String(broken)),
                "a line feed at byte", "in the \(name)")
        }
    }

    @Test("quotation marks, URL encoding, padding and wrong characters are named")
    func characters() throws {
        let token = try Self.signed.get()
        try expect("\"\(token)\"", "in quotation marks", "take it out of its JSON")
        try expect(
            token.split(separator: ".").joined(separator: "%2E"), "URL-encoded: '%' at byte")
        let parts = TestToken.parts(token)
        try expect(TestToken.replacing(0, of: token, by: parts[0] + "="), "padding: '=' at byte")
        try expect(
            TestToken.replacing(0, of: token, by: "+" + parts[0].dropFirst()),
            "standard base64 at byte 1, in the header")
        try expect(
            TestToken.replacing(0, of: token, by: "…" + parts[0]),
            "is not a base64url character: at byte 1, in the header")
        try expect("\u{feff}" + token, "byte order mark")
        try expect(token + "~WyJhIl0~", "SD-JWT")
    }

    @Test("a token that was base64-encoded again is recognised in either alphabet")
    func encodedTwice()
        throws
    {
        for token in [try Self.signed.get(), try Self.sealed.get()] {
            let count = TestToken.parts(token).count
            for text in [
                Independent.base64URL(token.utf8), Independent.standardBase64(Array(token.utf8)),
            ] {
                try expect(text, "base64 of a token with \(count) parts", "Decode it once")
            }
        }
    }

    @Test("opaque tokens, keys, web pages and other kinds of input are recognised")
    func otherKinds() throws {
        try expect("", "the token is empty")
        try expect("af0ifjsldkj", "no dot: an opaque token", "introspection")
        try expect("<html><body>502</body></html>", "XML or HTML")
        try expect("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "PEM")
        try expect("v4.public.eyJ", "PASETO")
        try expect(#"{"keys":[]}"#, "a JWK Set, not a token")
        try expect(TestKeys.signing.publicJSON(), "a JWK, not a token")
        try expect(Self.claims, "JSON, but not a token")
        try expect(
            #"{"access_token":"x","id_token":"eyJ"}"#,
            "a token response: a JSON object with id_token")
        try expect(
            #"{"payload":"e30","protected":"e30","signature":""}"#, "JWS in a JSON serialisation",
            "verifyJSON")
        try expect(
            #"{"ciphertext":"e30","protected":"e30"}"#, encrypted: true,
            "JWE in the JSON serialisation", "decryptJSON")
    }

    @Test("a URL, query or form that contains a token: the parameter is named") func urls() throws {
        let token = try Self.signed.get()
        try expect(
            "https://a.example/#id_token=\(token)&state=1", "contains the parameter id_token",
            "only the value of id_token")
        try expect("?response=\(token)", "contains the parameter response")
        try expect("a=b&client_assertion=\(token)", "contains the parameter client_assertion")
        try expect("https://a.example/jwks", "the text is a URL", "nothing is fetched")
        let plain = try verifier().explain("my_id_token=\(token)", at: Self.now).description
        #expect(!plain.contains("the parameter"), "\(plain)")
    }

    @Test("a wrong number of parts and empty parts are explained") func parts() throws {
        let token = try Self.signed.get()
        let parts = TestToken.parts(token)
        try expect(parts[0] + "." + parts[1], "the token has 2 parts", "cut off")
        try expect(token + ".x", "the token has 4 parts")
        try expect(token + "." + token, "the token has 6 parts", "several were joined")
        try expect(parts[0] + "." + parts[1] + ".", "the signature is empty")
        try expect("." + parts[1] + "." + parts[2], "the header is empty")
    }

    @Test("wrong layers are explained with the parameter that accepts them") func layers() throws {
        try expect(Self.signed.get(), encrypted: true, "only signed", "encryption: .notEncrypted")
        try expect(Self.sealed.get(), "the token is encrypted", "encryption: .required")
        let bare = try TestToken.encrypted(
            #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"enc-1","cty":"JWT"}"#, Self.claims)
        try expect(
            bare, encrypted: true, "contains JSON, not a signed token",
            "signature: .insecureNotSigned")
    }

    @Test("an invalid header that decodes is shown, escaped and bounded") func headers()
        throws
    {
        for header in [
            "{'alg':'RS256'}", #"{"alg":"RS256","alg":"RS256"}"#, "[]", #"{"typ":"JWT"}"#,
            "\u{1b}[2J{", String(repeating: "x", count: 4_000),
        ] {
            try expect(TestToken.signed(header, "{}"), "the header decodes to '")
        }
    }

    @Test("an accepted token has its serialisation and no advice") func accepted() throws {
        let token = try Self.signed.get()
        let signed = try verifier().explain(token, at: Self.now)
        #expect(signed.error == nil && signed.advice == nil)
        #expect(signed.form == "three parts, \(token.utf8.count) bytes: a signed token (JWS)")
        #expect(signed.description.hasPrefix("    token: three parts"))
        let sealed = try verifier(encrypted: true).explain(Self.sealed.get(), at: Self.now)
        #expect(sealed.error == nil && sealed.form.contains("an encrypted token (JWE)"))
    }
}
