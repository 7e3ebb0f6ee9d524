// Untrusted names in errors, explanations and reports are printable, limited, and the only
// untrusted text there.

import JOSE
import JOSEBytes
import JOSEOpenID
import Testing

@Suite("Printing untrusted text")
struct ForeignTextTests {
    /// Each with its printable form.
    static let names: [(name: String, shown: String)] = [
        ("groups", "groups"), ("https://a.b/c d", "https://a.b/c d"), ("straße", "straße"),
        ("a\u{1b}[2J", "a\\u{1b}[2J"), ("a\nb", "a\\u{a}b"), ("\u{9b}31m", "\\u{9b}31m"),
        ("\u{85}", "\\u{85}"), ("\u{7f}", "\\u{7f}"), ("\u{202e}exp", "\\u{202e}exp"),
        ("\u{2066}\u{2069}\u{200e}\u{61c}", "\\u{2066}\\u{2069}\\u{200e}\\u{61c}"),
        ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"), ("e\u{200b}xp", "e\\u{200b}xp"),
        ("\u{feff}\u{e0065}", "\\u{feff}\\u{e0065}"), ("a\\b", "a\\\\b"), ("a'\"", "a\\'\\\""),
        (String(repeating: "x", count: 128), String(repeating: "x", count: 128)),
        (String(repeating: "x", count: 129), String(repeating: "x", count: 125) + "…"),
        (
            String(repeating: "\u{202e}", count: 10_000),
            String(repeating: "\\u{202e}", count: 15) + "…"
        ),
    ]

    /// A JSON string with every character that JSON allows.
    private static func json(_ text: String) -> String {
        "\""
            + text.unicodeScalars.map { scalar in
                switch scalar {
                case "\"", "\\": "\\\(scalar)"
                case "\n": "\\n"
                case "\u{1b}": "\\u001b"
                default: String(scalar)
                }
            }.joined() + "\""
    }

    private func expect(
        _ error: JOSEError?, _ shown: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let error = try #require(error, sourceLocation: sourceLocation)
        #expect(
            Array((error.claim ?? "").utf8) == Array(shown.utf8), sourceLocation: sourceLocation)
        #expect(error.message.hasPrefix("claim \(shown): "), sourceLocation: sourceLocation)
        #expect(
            ErrorTests.printed(error).unicodeScalars.allSatisfy {
                $0 == "\n"
                    || $0.value >= 0x20 && !(0x7f...0x9f ~= $0.value)
                        && !"\u{202e}\u{2066}\u{2069}\u{200e}\u{61c}\u{2028}\u{2029}\u{200b}\u{feff}\u{e0065}"
                            .unicodeScalars.contains($0)
            }, sourceLocation: sourceLocation)
    }

    @Test("a claim named by the token", arguments: names)
    func decoded(_ name: String, _ shown: String) throws {
        let verifier = try JWTVerifier.checking(signature: .rs256(TestKeys.signing))
        let token = try TestToken.signed(
            #"{"alg":"RS256"}"#, "{\"exp\":2000000000,\(Self.json(name)):\"x\"}")
        let now = try need(NumericDate(exactly: 1_760_000_000))
        let claims = try verifier.verify(token, at: now)
        try expect(#expect(throws: JOSEError.self) { try claims.decode([String: Int].self) }, shown)
        try expect(
            #expect(throws: JOSEError.self) {
                try verifier.verify(token, as: [String: Int].self, at: now)
            }, shown)
    }

    @Test("a claim named by the policy", arguments: names)
    func required(_ name: String, _ shown: String) throws {
        var policy = ClaimsPolicy(issuer: .any, audience: .any)
        policy.requiredClaims = [name]
        let verifier = try JWTVerifier.checking(policy, signature: .rs256(TestKeys.signing))
        let explanation = verifier.explain(try TestToken.signed(#"{"alg":"RS256"}"#, "{}"))
        try expect(explanation.error, shown)
        let there = try TestToken.signed(#"{"alg":"RS256"}"#, "{\(Self.json(name)):1}")
        let line = verifier.explain(there).lines.first {
            $0.text.hasSuffix(" is required and present")
        }
        #expect(line?.text == printable(name) + " is required and present")
    }

    @Test("an ignored member of a discovery document", arguments: names)
    func metadata(_ name: String, _ shown: String) throws {
        let (start, issuer) = ("x\u{9b}", "https://idp.example")
        let json = """
            {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/a","token_endpoint":"\(issuer)/t",
            "jwks_uri":"\(issuer)/k","response_types_supported":["code"],"subject_types_supported":["public"],
            "id_token_signing_alg_values_supported":["RS256"],
            \(Self.json(start + name + "_endpoint")):"http://x"}
            """
        let metadata = try ProviderMetadata(json: json, issuer: issuer, profile: .openID)
        let shown = printable(start + name + "_endpoint", atMost: 128)
        let ignored = metadata.ignored.map(\.description)
        #expect(ignored.count == 1 && ignored[0].utf8.starts(with: shown.utf8), "\(ignored)")
    }

    @Test("a header and a kid in an explanation: JSON and a string, each on one line")
    func explained() throws {
        let keyID = "\u{202e}'k\u{9b}\n"
        let key = TestKeys.named(TestKeys.signing, keyID)
        let verifier = try JWTVerifier.checking(signature: .rs256(keys: PublicJWKSet(keys: [key])))
        let header = "{\"alg\":\n\"RS256\",\"kid\":\(Self.json(keyID)),\r\"\u{2028}\":\"\u{7f}\"}"
        let lines = verifier.explain(try TestToken.signed(header, #"{"exp":2000000000}"#)).lines
        #expect(
            lines.contains {
                $0.text == #"JWS header {"alg":"RS256","kid":"\u202e'k\u009b\n","\u2028":"\u007f"}"#
            })
        #expect(lines.contains { $0.text == #"key '\u{202e}\'k\u{9b}\u{a}' is eligible"# })
        let long = "{\"alg\":\"RS256\",\"x\":\"\(String(repeating: "\u{202e}", count: 500))\"}"
        let cut = verifier.explain(try TestToken.signed(long, "{}")).lines.first
        #expect(cut.map { $0.text.utf8.count < 420 && $0.text.hasSuffix("…") } == true)
    }

    @Test("RFC 2253: a subject in a report") func subjects() throws {
        let now = try need(NumericDate(exactly: 1_760_000_000))
        let key = try TestKeys.signing.withSelfSignedCertificate(
            subject: CertificateSubject(commonName: "\u{202e}moc.live\u{9b}\u{2028}, ok"),
            from: now,
            until: now.advanced(by: .seconds(60)))
        let report = try TrustStore(anchors: []).report(
            need(key.certificateChain), purpose: .signature, at: now)
        #expect(report.subjects == [#"CN=\E2\80\AEmoc.live\C2\9B\E2\80\A8\, ok"#])
        #expect(report.message.contains(report.subjects[0]))
    }
}
