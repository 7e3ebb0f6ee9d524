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
                ? .rsa(keys: [TestKeys.decrypting]) : .notEncrypted,
            signature: .rs256(keys: PublicJWKSet(keys: [TestKeys.signing])))
    }

    /// Expects this explanation, whole: the structure of the text, these lines, and the advice.
    private func expect(
        _ text: String, encrypted: Bool = false, _ lines: String..., advice: String,
        at place: SourceLocation = #_sourceLocation
    ) throws {
        let explanation = try verifier(encrypted: encrypted).explain(text, at: Self.now)
        #expect(explanation.error != nil, sourceLocation: place)
        let whole = ["    token: \(form(text))"] + lines + [advice]
        #expect(explanation.description == whole.joined(separator: "\n"), sourceLocation: place)
        for line in explanation.lines {
            #expect(line.text.utf8.count < 500, sourceLocation: place)
            #expect(!line.text.utf8.contains { $0 < 0x20 }, sourceLocation: place)
        }
    }

    private func form(_ text: String) -> String {
        let size = "\(text.utf8.count) bytes"
        if text.hasPrefix("{") { return "a JSON text of \(size), not a compact token" }
        return switch text.split(separator: ".", omittingEmptySubsequences: false).count {
        case 3: "three parts, \(size): a signed token (JWS)"
        case 5: "five parts, \(size): an encrypted token (JWE)"
        case 1: "1 part, \(size): neither a JWS (3) nor a JWE (5)"
        case let count: "\(count) parts, \(size): neither a JWS (3) nor a JWE (5)"
        }
    }

    /// The lines about the steps that a token passes before its signature is decoded.
    private static let passed = """
        ok  header: JWS header {"alg":"RS256","kid":"sig-1"}
        ok  algorithm: RS256 is allowed
            key: key 'sig-1' is eligible
        """

    private static func notThree(_ count: Int) -> String {
        "NO  token: a compact JWS has 3 parts with dots between them, not \(count); was it cut off?"
    }

    private static func notBase64URL(_ part: String, _ reason: String) -> String {
        "NO  \(part): the \(part) is not base64url: \(reason)"
    }

    @Test("an HTTP prefix is not part of a token, in any case") func prefixes() throws {
        let token = try Self.signed.get()
        let advice = "Pass the token alone: what is before it belongs to the HTTP header."
        let scheme = "it begins with an authorization scheme; remove Bearer"
        for (prefix, named, reason) in [
            ("Bearer ", "Bearer ", scheme), ("bearer ", "Bearer ", scheme),
            ("BEARER ", "Bearer ", scheme),
            ("DPoP ", "DPoP ", "white space at offset 4; remove line breaks and spaces"),
            ("Authorization: Bearer ", "Authorization:", "invalid character at offset 13"),
        ] {
            try expect(
                prefix + token,
                "    token: the text begins with '\(named)', which is not part of a token",
                Self.notBase64URL("header", reason), advice: advice)
        }
        try expect(
            "Bearer " + Self.sealed.get(), encrypted: true,
            "    token: the text begins with 'Bearer ', which is not part of a token",
            Self.notBase64URL("header", scheme), advice: advice)
    }

    @Test("white space before, in and after a token is named with its offset") func whiteSpace()
        throws
    {
        let token = try Self.signed.get()
        let parts = TestToken.parts(token)
        let signature = parts[2].utf8.count
        let inside = "    token: there is white space in the token: "
        let advice =
            "Remove the white space: a line was broken when the token was copied, mailed or "
            + "folded, or something before the token is still there."
        func spaces(_ part: String, _ offset: Int) -> String {
            Self.notBase64URL(
                part, "white space at offset \(offset); remove line breaks and spaces")
        }
        try expect(
            " " + token, inside + "a space at byte 1, in the header", spaces("header", 0),
            advice: advice)
        for (end, name) in [("\n", "line feed"), ("\r\n", "carriage return")] {
            try expect(
                token + end, Self.passed,
                "    token: there is white space at the end: a \(name) at byte "
                    + "\(token.utf8.count + 1)",
                spaces("signature", signature),
                advice: "Remove the white space at the end: a line feed of the file or command "
                    + "that the token comes from.")
        }
        func broken(_ index: Int) -> String {
            TestToken.replacing(
                index, of: token, by: parts[index].prefix(8) + "\n" + parts[index].dropFirst(8))
        }
        try expect(
            broken(0), inside + "a line feed at byte 9, in the header", spaces("header", 8),
            advice: advice)
        let payload = parts[0].utf8.count + 1
        try expect(
            broken(1), Self.passed,
            "    signature: there is white space in the token: a line feed at byte "
                + "\(payload + 9), in the payload",
            "    signature: without the white space the signature verifies",
            "NO  signature: the signature does not verify: the payload has white space at offset "
                + "8, such as a line break",
            advice: advice)
        try expect(
            broken(2), Self.passed,
            inside
                + "a line feed at byte \(payload + parts[1].utf8.count + 1 + 9), in the signature",
            spaces("signature", 8), advice: advice)
    }

    @Test("quotation marks, URL encoding, padding and wrong characters are named")
    func characters() throws {
        let token = try Self.signed.get()
        let parts = TestToken.parts(token)
        let header = parts[0].utf8.count
        try expect(
            "\"\(token)\"", "    token: the text is in quotation marks",
            Self.notBase64URL(
                "header", "quotation mark at offset 0; remove the quotation marks"),
            advice: "There are quotation marks in the token: take it out of its JSON.")
        try expect(
            token.split(separator: ".").joined(separator: "%2E"),
            "    token: the token is URL-encoded: '%' at byte \(header + 1)", Self.notThree(1),
            advice: "Percent-decode the query or form value before you verify the token.")
        try expect(
            TestToken.replacing(0, of: token, by: parts[0] + "="),
            "    token: there is padding: '=' at byte \(header + 1), in the header",
            Self.notBase64URL("header", "padding (=) at offset \(header); remove it"),
            advice: "The sender must omit the padding (RFC 7515, 2): base64url in tokens has no =.")
        try expect(
            TestToken.replacing(0, of: token, by: "+" + parts[0].dropFirst()),
            "    token: there is a character of standard base64 at byte 1, in the header",
            Self.notBase64URL("header", "+ or / at offset 0; base64url has - and _ instead"),
            advice: "The sender must use base64url, with - and _ instead of + and /.")
        try expect(
            TestToken.replacing(0, of: token, by: "…" + parts[0]),
            "    token: '\\u{2026}' is not a base64url character: at byte 1, in the header",
            Self.notBase64URL("header", "invalid character at offset 0"),
            advice: "Copy the token again: a program changed or shortened its text.")
        try expect(
            "\u{feff}" + token, "    token: the text begins with a byte order mark",
            Self.notBase64URL("header", "invalid character at offset 0"),
            advice: "Save the token without a byte order mark.")
        try expect(
            token + "~WyJhIl0~", Self.passed,
            "    token: the text contains ~: an SD-JWT with disclosures (RFC 9901)",
            Self.notBase64URL("signature", "invalid character at offset \(parts[2].utf8.count)"),
            advice: "Selective disclosure is not supported. The signed token ends before the first "
                + "~.")
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
                try expect(
                    text,
                    "    token: the text is base64 of a token with \(count) parts: it was encoded "
                        + "again",
                    Self.notThree(1),
                    advice: "Decode it once: a compact token is base64url already.")
            }
        }
    }

    @Test("opaque tokens and other kinds of text are recognised")
    func otherKinds() throws {
        try expect(
            "", "    token: the token is empty", "NO  token: the token is empty",
            advice: "Pass the token: the variable, file or header that it comes from is empty.")
        try expect(
            "af0ifjsldkj",
            "    token: the text has no dot: an opaque token, or the beginning of one that was cut "
                + "off",
            Self.notThree(1),
            advice: "An opaque access token or code is not checked here: ask the server that "
                + "issued it (introspection, RFC 7662).")
        try expect(
            "<html><body>502</body></html>", "    token: the text is XML or HTML",
            Self.notThree(1),
            advice: "Pass a JWT, not a SAML assertion or the error page of a server.")
        try expect(
            "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
            "    token: the text is PEM: a key or a certificate", Self.notThree(1),
            advice: "Pass the token: the arguments for key and token were swapped.")
        try expect(
            "v4.public.eyJ", "    token: the text has the form of a PASETO",
            Self.notBase64URL(
                "header", "unused bits of its last character are set; was it cut off?"),
            advice: "PASETO is not a JWT and is not supported.")
    }

    @Test("keys, responses and tokens in JSON are recognised") func json() throws {
        let rejected =
            "NO  token: this is JSON, not a compact JWS of 3 parts: verifyJSON reads the JSON "
            + "serialisation"
        try expect(
            #"{"keys":[]}"#, "    token: the text is a JWK Set, not a token", rejected,
            advice: "Pass it as the keys, and the token in its place.")
        try expect(
            TestKeys.signing.publicJSON(), "    token: the text is a JWK, not a token", rejected,
            advice: "Pass it as the key, and the token in its place.")
        try expect(
            Self.claims, "    token: the text is JSON, but not a token", rejected,
            advice: "Pass the compact form: parts with dots between them. This may be a decoded "
                + "payload.")
        try expect(
            #"{"access_token":"x","id_token":"eyJ"}"#,
            "    token: the text is a token response: a JSON object with id_token", rejected,
            advice: "Pass the value of its member id_token.")
        try expect(
            #"{"payload":"e30","protected":"e30","signature":""}"#,
            "    token: the text is a JWS in a JSON serialisation (RFC 7515, 7.2)", rejected,
            advice: "Pass the compact form, or read it with `JWSVerifier.verifyJSON` "
                + "(`josectl verify --form json`).")
        try expect(
            #"{"ciphertext":"e30","protected":"e30"}"#, encrypted: true,
            "    token: the text is a JWE in the JSON serialisation (RFC 7516, 7.2)",
            "NO  token: this is JSON, not a compact JWE of 5 parts: decryptJSON reads the JSON "
                + "serialisation",
            advice: "Pass the compact form, or read it with `JWEDecrypter.decryptJSON` "
                + "(`josectl decrypt --form json`).")
    }

    @Test("a URL, query or form that contains a token: the parameter is named") func urls() throws {
        let token = try Self.signed.get()
        for (text, name, rejected) in [
            ("https://a.example/#id_token=\(token)&state=1", "id_token", Self.notThree(4)),
            (
                "?response=\(token)", "response",
                Self.notBase64URL("header", "invalid character at offset 0")
            ),
            (
                "a=b&client_assertion=\(token)", "client_assertion",
                Self.notBase64URL("header", "padding (=) at offset 1; remove it")
            ),
        ] {
            try expect(
                text, "    token: the text contains the parameter \(name): a URL, query or form",
                rejected,
                advice: "Pass only the value of \(name), without the text before and after it.")
        }
        try expect(
            "https://a.example/jwks", "    token: the text is a URL", Self.notThree(2),
            advice: "Pass the token itself: nothing is fetched from a URL.")
        let plain = try verifier().explain("my_id_token=\(token)", at: Self.now).description
        #expect(!plain.contains("the parameter"), "\(plain)")
    }

    @Test("a wrong number of parts and empty parts are explained") func parts() throws {
        let token = try Self.signed.get()
        let parts = TestToken.parts(token)
        for (text, count) in [(parts[0] + "." + parts[1], 2), (token + ".x", 4)] {
            try expect(
                text, "    token: the token has \(count) parts", Self.notThree(count),
                advice: "Copy the whole token: one of its parts was cut off.")
        }
        try expect(
            token + "." + token, "    token: the token has 6 parts",
            "NO  token: a compact JWS has 3 parts, not 6 or more",
            advice: "Pass one token: several were joined, or this is not a compact token.")
        try expect(
            parts[0] + "." + parts[1] + ".", Self.passed,
            "    signature: the signature is empty: the token is not signed, or was cut off",
            "NO  signature: the signature does not verify",
            advice: "Unsigned tokens (alg none) are never accepted: the sender must sign.")
        try expect(
            "." + parts[1] + "." + parts[2], "    token: the header is empty",
            "NO  header: the header is empty",
            advice: "Copy the token again: it lost its beginning.")
    }

    @Test("wrong layers are explained with the parameter that accepts them") func layers() throws {
        try expect(
            Self.signed.get(), encrypted: true,
            "    token: the token is only signed, and the policy requires encryption",
            "NO  token: a JWE has 5 parts; this has the 3 of a JWS: it is not encrypted",
            advice: "The sender does not encrypt for us (does it have our encryption key?), or "
                + "this kind of token is not encrypted. Parameter: `encryption: .notEncrypted`.")
        try expect(
            Self.sealed.get(),
            "    token: the token is encrypted, and the policy requires a token that is only "
                + "signed",
            "NO  token: a JWS has 3 parts; this has the 5 of a JWE: it is encrypted",
            advice: "Give the verifier our decryption keys, or have the sender omit the "
                + "encryption. Parameter: `encryption: .required` and `signature: .required`.")
        let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"enc-1","cty":"JWT"}"#
        try expect(
            TestToken.encrypted(header, Self.claims), encrypted: true,
            "ok  header: JWE header \(header)",
            "ok  algorithm: RSA-OAEP with A128CBC-HS256 is allowed",
            "    key: key 'enc-1' is eligible", "ok  decryption: decrypted and authenticated",
            "    token: the decrypted token contains JSON, not a signed token",
            "NO  token: the encrypted token holds JSON that is not signed; the policy requires "
                + "encryption and a signature (SignatureRule)",
            advice: "The sender encrypts claims without signing them. Anyone with our public key "
                + "can do that. Parameter: `signature: .insecureNotSigned`.")
    }

    @Test("an invalid header that decodes is shown, escaped and bounded") func headers()
        throws
    {
        for (header, shown, rejected) in [
            (
                "{'alg':'RS256'}", #"{\'alg\':\'RS256\'}"#,
                "not strict JSON: unexpected text at offset 1"
            ),
            (
                #"{"alg":"RS256","alg":"RS256"}"#, #"{\"alg\":\"RS256\",\"alg\":\"RS256\"}"#,
                "the member alg occurs twice, again at offset 15"
            ),
            ("[]", "[]", "the header is not a JSON object"),
            (#"{"typ":"JWT"}"#, #"{\"typ\":\"JWT\"}"#, "the header has no alg"),
            (
                "\u{1b}[2J{", #"\u{1b}[2J{"#, "not strict JSON: unexpected text at offset 0"
            ),
            (
                String(repeating: "x", count: 4_000), String(repeating: "x", count: 125) + "…",
                "not strict JSON: unexpected text at offset 0"
            ),
        ] {
            try expect(
                TestToken.signed(header, "{}"), "    header: the header decodes to '\(shown)'",
                "NO  header: \(rejected)",
                advice: "The sender must write the header as in RFC 7515 and RFC 7516.")
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
