// Explanations of tokens for which no key is selected, and of algorithms that the policy does not
// allow.

import JOSE
import Testing

@Suite("Why no key or algorithm is accepted")
struct KeyExplanationTests {
    private static let now = NumericDate(exactly: 1_760_000_000)

    private func explain(
        _ token: String, _ keys: PublicJWKSet, _ algorithms: [SignatureAlgorithm] = [.rs256]
    ) throws -> TokenExplanation {
        try JWTVerifier.checking(signature: .required(keys: keys, algorithms: algorithms)).explain(
            token, at: Self.now)
    }

    private func signed(_ keyID: String?, by key: JWK = TestKeys.signing) throws -> String {
        let member = keyID.map { #","kid":"\#($0)""# } ?? ""
        return try TestToken.signed(#"{"alg":"RS256"\#(member)}"#, #"{"exp":2000000000}"#, by: key)
    }

    private func set(_ keys: JWK...) throws -> PublicJWKSet { try PublicJWKSet(keys: keys) }

    /// Expects that the explanation contains these texts, and its advice this one.
    private func expect(
        _ explanation: TokenExplanation, _ code: JOSEError.Code? = nil, _ parts: String...,
        advice: String? = nil, at place: SourceLocation = #_sourceLocation
    ) {
        for part in parts {
            #expect(
                explanation.description.contains(part), "\(explanation)", sourceLocation: place)
        }
        if let code { #expect(explanation.error?.code == code, sourceLocation: place) }
        guard let advice else { return }
        #expect(explanation.advice?.contains(advice) == true, sourceLocation: place)
    }

    @Test(
        "a kid that almost matches a key's is shown with the difference",
        arguments: [
            ("Key-1", "key-1", "upper and lower case"), ("key-1 ", "key-1", "white space"),
            ("key-1", " key-1", "white space"), ("a2V5LTE=", "a2V5LTE", "padding (=)"),
            ("'key-1'", "key-1", "quotation marks"),
            ("a+/b", "a-_b", "the alphabet of base64"),
        ])
    func nearKeyID(_ wanted: String, _ own: String, _ difference: String) throws {
        let keys = try set(TestKeys.named(TestKeys.signing, own), TestKeys.client)
        expect(
            try explain(signed(wanted), keys), .keyNotFound, difference,
            "the signature would verify with key '", advice: "compared byte by byte")
    }

    @Test(
        "two keys with one kid are told apart by thumbprint if the wrong one was selected")
    func namesake() throws {
        let selected = TestKeys.named(TestKeys.client, "good", use: .signature, algorithm: "RS256")
        let other = TestKeys.named(TestKeys.signing, "good", use: .signature, algorithm: "RS384")
        let explanation = try explain(signed("good"), set(selected.publicKey, other.publicKey))
        #expect(explanation.error?.code == .signatureInvalid, "\(explanation)")
        let thumbprints = try [selected, other].map { try $0.thumbprint() }
        for thumbprint in thumbprints {
            #expect(
                explanation.description.contains("(thumbprint \(thumbprint))"), "\(explanation)")
        }
        #expect(explanation.advice?.contains("a kid of its own") == true, "\(explanation)")
    }

    @Test("a kid that is the thumbprint of a key with another kid or none is explained")
    func thumbprint() throws {
        for own in [nil, "other"] {
            let key = try TestKeys.named(TestKeys.signing, own).publicKey
            for (kid, kind) in [
                (try key.thumbprint(), "RFC 7638, sha-256"),
                (try key.thumbprint(.sha512), "RFC 7638, sha-512"),
                (try key.thumbprintURI(), "RFC 9278, sha-256"),
            ] {
                expect(
                    try explain(signed(kid), set(key, TestKeys.client)), nil, kind,
                    advice: "give the key this kid")
            }
        }
    }

    @Test("an unknown kid is escaped and bounded, and a key that would verify is named")
    func unknown() throws {
        expect(
            try explain(signed("x\\u202e"), set(TestKeys.client)), nil,
            "no key has the kid 'x\\u{202e}'", "no key of the set would verify")
        let long = try explain(
            signed(String(repeating: "k", count: 1_000)), set(TestKeys.signing))
        for line in long.lines where line.outcome == .note {
            #expect(line.text.utf8.count < 400)
        }
        #expect(long.description.contains("would verify with key 'sig-1'"))
    }

    @Test("a kid of several keys is ambiguous, and each key is shown") func ambiguous()
        throws
    {
        let keys = try set(
            TestKeys.named(TestKeys.signing, "k"), TestKeys.named(TestKeys.client, "k"))
        let explanation = try explain(signed("k"), keys)
        expect(
            explanation, .keyNotFound, "2 keys have the kid 'k'", advice: "never tried in turn")
        #expect(explanation.lines.count { $0.text.hasPrefix("one has kty RSA") } == 2)
    }

    @Test("a token without kid and several keys") func missing() throws {
        let keys = try set(TestKeys.bare(TestKeys.signing), TestKeys.bare(TestKeys.client))
        expect(
            try explain(signed(nil), keys), nil,
            "the header has no kid, and the set has 2 usable keys", advice: "should write a kid")
    }

    @Test("a key for another use or algorithm is shown with its purpose") func otherUse()
        throws
    {
        let key = TestKeys.named(TestKeys.signing, "k", use: .signature, algorithm: "PS256")
        expect(
            try explain(signed("k"), set(key)), .keyUnusable, "use 'sig', alg 'PS256'",
            "would verify with key 'k'")
    }

    @Test("a single key with another kid is explained") func single() throws {
        let verifier = try JWTVerifier.checking()
        let explanation = try verifier.explain(signed("SIG-1"), at: Self.now)
        #expect(explanation.description.contains("only in upper and lower case"))
    }

    @Test("a skipped entry of the set is named, and an unusable set is the error")
    func skipped() throws {
        let good = try TestKeys.signing.publicJSON()
        let bad = #"{"kty":"EC","crv":"P-256K","kid":"bad"}"#
        let mixed = try PublicJWKSet(json: #"{"keys":[\#(bad),\#(good)]}"#)
        try #require(!mixed.skipped.isEmpty)
        let accepted = try explain(signed("sig-1"), mixed)
        #expect(accepted.error == nil)
        #expect(accepted.description.contains("entry 1 of the key set is skipped:"))
        let only = try PublicJWKSet(json: #"{"keys":[\#(bad)]}"#)
        expect(
            try explain(signed("bad"), only), nil, "the cause is the key set, not the token")
        expect(
            try explain(signed("bad"), mixed), nil, "the set has skipped entries (1)",
            advice: "may be one of the skipped entries")
        let empty = try PublicJWKSet(json: #"{"keys":[]}"#)
        expect(try explain(signed("bad"), empty), nil, "the key set is empty")
        let many = String(repeating: bad + ",", count: 40)
        let told40 = try explain(
            signed("sig-1"), PublicJWKSet(json: #"{"keys":[\#(many)\#(good)]}"#))
        #expect(told40.lines.count { $0.step == .keySet } == 17)
        #expect(told40.description.contains("24 more entries are skipped"))
    }

    // MARK: algorithms

    @Test(
        "an algorithm that the policy does not allow is explained",
        arguments: [
            ("none", "never accepted"), ("RS1", "SHA-1 does not resist collisions"),
            ("rs256", "the right name is RS256"), ("RSA-OAEP", "an algorithm of encrypted tokens"),
            ("X\\u202e9", "is an unknown signature algorithm"),
            ("PS256", "algorithms:` with 'PS256'"), ("ES256", "no key is for ES256"),
            ("HS256", "a MAC with a shared secret"),
        ])
    func otherAlgorithm(_ name: String, _ text: String) throws {
        let token = try TestToken.signed(#"{"alg":"\#(name)"}"#, "{}")
        let explanation = try explain(token, set(TestKeys.bare(TestKeys.signing)))
        expect(explanation, .algorithmNotAllowed, "the policy allows RS256", text)
        #expect(explanation.advice != nil)
    }

    @Test(
        "unsupported algorithms get no advice to allow them",
        arguments: ["none", "RS1", "HS1", "rs256", "RSA1_5", "RSA-OAEP", "x"])
    func noParameter(_ name: String) throws {
        let token = try TestToken.signed(#"{"alg":"\#(name)"}"#, "{}")
        let explanation = try explain(token, set(TestKeys.bare(TestKeys.signing)))
        #expect(explanation.advice?.contains("Parameter") == false)
    }

    @Test("typ and crit are shown with the expected values") func members() throws {
        let typed = try TestToken.signed(
            #"{"alg":"RS256","kid":"sig-1","typ":"at+jwt"}"#, #"{"exp":2000000000}"#)
        let type = try explain(typed, set(TestKeys.signing))
        #expect(type.description.contains("typ is \"at+jwt\", expected absent or 'JWT'"))
        #expect(type.advice?.contains("type:") == true)
        let critical = try TestToken.signed(
            #"{"alg":"RS256","kid":"sig-1","crit":["http://x"],"http://x":1}"#, "{}")
        let crit = try explain(critical, set(TestKeys.signing))
        #expect(crit.description.contains(#"crit lists ["http://x"]"#), "\(crit)")
    }
}
