// Which key a signed token gets: exactly one, or a refusal (RFC 7517 sections 4.2 to 4.5).

import JOSE
import Testing

@Suite("Key selection, verifying")
struct KeySelectionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// Metadata of each key of the set; `!` in front: a stranger's numbers; `EC` in front: an EC key.
        let keys: [String]
        /// The token's kid member; nil: none.
        let keyID: String?
        let verdict: String
        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "the kid", keys: [#""kid":"a""#], keyID: "a", verdict: "accepted"),
        Row(name: "another kid", keys: [#""kid":"b""#], keyID: "a", verdict: "key-not-found"),
        Row(
            name: "a key without kid is not the named one", keys: [""], keyID: "a",
            verdict: "key-not-found"),
        Row(name: "no keys", keys: [], keyID: "a", verdict: "key-not-found"),
        Row(name: "no keys, no kid", keys: [], keyID: nil, verdict: "key-not-found"),
        Row(name: "no kid, one key", keys: [#""kid":"a""#], keyID: nil, verdict: "accepted"),
        Row(
            name: "no kid, two keys", keys: [#""kid":"a""#, #"!"kid":"b""#], keyID: nil,
            verdict: "key-not-found"),
        Row(
            name: "no kid, one of two for signatures", keys: [#""use":"sig""#, #"!"use":"enc""#],
            keyID: nil, verdict: "accepted"),
        Row(
            name: "no kid, one of two for RS256", keys: [#""alg":"RS256""#, #"!"alg":"PS256""#],
            keyID: nil, verdict: "accepted"),
        Row(
            name: "no kid, one of two may verify",
            keys: [#""key_ops":["verify"]"#, #"!"key_ops":["encrypt"]"#], keyID: nil,
            verdict: "accepted"),
        Row(
            name: "no kid, none eligible", keys: [#""use":"enc""#], keyID: nil,
            verdict: "key-not-found"),
        Row(
            name: "kid among several", keys: [#"!"kid":"b""#, #""kid":"a""#, #"!"kid":"c""#],
            keyID: "a", verdict: "accepted"),
        Row(
            name: "kid of a stranger's key", keys: [#""kid":"a""#, #"!"kid":"b""#], keyID: "b",
            verdict: "signature-invalid"),
        Row(name: "use sig", keys: [#""kid":"a","use":"sig""#], keyID: "a", verdict: "accepted"),
        Row(
            name: "use enc", keys: [#""kid":"a","use":"enc""#], keyID: "a", verdict: "key-unusable"),
        Row(
            name: "use is case-sensitive", keys: [#""kid":"a","use":"SIG""#], keyID: "a",
            verdict: "key-unusable"),
        Row(
            name: "use of no registry", keys: [#""kid":"a","use":"tls""#], keyID: "a",
            verdict: "key-unusable"),
        Row(
            name: "alg RS256", keys: [#""kid":"a","alg":"RS256""#], keyID: "a", verdict: "accepted"),
        Row(
            name: "alg PS256", keys: [#""kid":"a","alg":"PS256""#], keyID: "a",
            verdict: "key-unusable"),
        Row(
            name: "alg none", keys: [#""kid":"a","alg":"none""#], keyID: "a",
            verdict: "key-unusable"),
        Row(
            name: "alg is case-sensitive", keys: [#""kid":"a","alg":"rs256""#], keyID: "a",
            verdict: "key-unusable"),
        Row(
            name: "alg with an escape", keys: [#""kid":"a","alg":"\u0052S256""#], keyID: "a",
            verdict: "accepted"),
        Row(
            name: "key_ops verify", keys: [#""kid":"a","key_ops":["verify"]"#], keyID: "a",
            verdict: "accepted"),
        Row(
            name: "key_ops with an unknown word", keys: [#""kid":"a","key_ops":["x","verify"]"#],
            keyID: "a", verdict: "accepted"),
        Row(
            name: "key_ops sign", keys: [#""kid":"a","key_ops":["sign"]"#], keyID: "a",
            verdict: "key-unusable"),
        Row(
            name: "key_ops of no registry", keys: [#""kid":"a","key_ops":["x"]"#], keyID: "a",
            verdict: "key-unusable"),
        Row(
            name: "key_ops empty", keys: [#""kid":"a","key_ops":[]"#], keyID: "a",
            verdict: "key-unusable"),
        Row(
            name: "key_ops against use",
            keys: [#""kid":"a","use":"sig","key_ops":["verify","encrypt"]"#], keyID: "a",
            verdict: "key-unusable"),
        Row(
            name: "same kid, kty, use",
            keys: [#""kid":"a","use":"sig""#, #"!"kid":"a","use":"sig""#], keyID: "a",
            verdict: "key-not-found"),
        Row(
            name: "same kid, kty, no use", keys: [#""kid":"a""#, #"!"kid":"a""#], keyID: "a",
            verdict: "key-not-found"),
        Row(
            name: "the very same key twice", keys: [#""kid":"a""#, #""kid":"a""#], keyID: "a",
            verdict: "accepted"),
        Row(
            name: "the very same key twice, no kid", keys: ["", ""], keyID: nil,
            verdict: "accepted"),
        Row(
            name: "the same key under two kids, no kid", keys: [#""kid":"a""#, #""kid":"b""#],
            keyID: nil, verdict: "key-not-found"),
        Row(
            name: "one kid, one key, three algorithms",
            keys: [
                #""kid":"a","alg":"RS384""#, #""kid":"a","alg":"RS256""#,
                #""kid":"a","alg":"RS512""#,
            ], keyID: "a", verdict: "accepted"),
        Row(
            name: "one kid, one key, one of two without alg",
            keys: [#""kid":"a","alg":"RS256""#, #""kid":"a""#], keyID: "a",
            verdict: "key-not-found"),
        Row(
            name: "one kid, two keys, both for RS256",
            keys: [#""kid":"a","alg":"RS256""#, #"!"kid":"a","alg":"RS256""#], keyID: "a",
            verdict: "key-not-found"),
        Row(
            name: "same kid, kty, use, alg, one may not verify",
            keys: [#""kid":"a","key_ops":["verify"]"#, #"!"kid":"a","key_ops":["sign"]"#],
            keyID: "a", verdict: "accepted"),
        Row(
            name: "same kid, kty, use, another alg",
            keys: [
                #""kid":"a","use":"sig","alg":"RS256""#, #"!"kid":"a","use":"sig","alg":"PS256""#,
            ], keyID: "a", verdict: "accepted"),
        Row(
            name: "same kid, other use",
            keys: [#"!"kid":"a","use":"enc""#, #""kid":"a","use":"sig""#], keyID: "a",
            verdict: "accepted"),
        Row(
            name: "same kid, both eligible, one without use",
            keys: [#""kid":"a","use":"sig""#, #"!"kid":"a""#], keyID: "a", verdict: "key-not-found"),
        Row(
            name: "same kid, other kty", keys: [#"EC"kid":"a""#, #""kid":"a""#], keyID: "a",
            verdict: "accepted"),
        Row(
            name: "a double elsewhere does no harm",
            keys: [#""kid":"a""#, #"!"kid":"b""#, #"!"kid":"b""#], keyID: "a", verdict: "accepted"),
        Row(name: "another kty", keys: [#"EC"kid":"a""#], keyID: "a", verdict: "key-unusable"),
        Row(
            name: "kid compared byte for byte: composed", keys: ["\"kid\":\"\u{e9}\""],
            keyID: "\u{e9}", verdict: "accepted"),
        Row(
            name: "kid compared byte for byte: decomposed", keys: ["\"kid\":\"\u{e9}\""],
            keyID: "e\u{301}", verdict: "key-not-found"),
        Row(
            name: "kid compared after unescaping", keys: [#""kid":"\u0061""#], keyID: "a",
            verdict: "accepted"),
        Row(
            name: "kid is case-sensitive", keys: [#""kid":"a""#], keyID: "A",
            verdict: "key-not-found"),
        Row(
            name: "kid with a space behind", keys: [#""kid":"a""#], keyID: "a ",
            verdict: "key-not-found"),
        Row(name: "kid empty", keys: [#""kid":"a""#], keyID: "", verdict: "key-not-found"),
    ]

    @Test("one key, or a refusal that says why", arguments: rows)
    func select(_ row: Row) throws {
        let keys = try PublicJWKSet(json: KeyText.set(row.keys.map(KeySelectionTests.text)))
        let verifier = try JWSVerifier(keys: keys, algorithms: [.rs256])
        let keyID = row.keyID.map { ",\"kid\":\"\($0)\"" } ?? ""
        let token = try TestToken.signed("{\"alg\":\"RS256\"\(keyID)}", "x")
        #expect(try Refusal.verdict { _ = try verifier.verify(token) } == row.verdict)
    }

    static func text(_ members: String) throws -> String {
        if members.hasPrefix("EC") { return KeyText.elliptic(String(members.dropFirst(2))) }
        if members.hasPrefix("!") {
            return try KeyText.publicKey(String(members.dropFirst()), TestKeys.stranger)
        }
        return try KeyText.publicKey(members)
    }

    @Test("a single key answers to its own kid, or to any where it has none")
    func single() throws {
        let named = try JWSVerifier.rs256(TestKeys.named(TestKeys.signing, "a").publicKey)
        let bare = try JWSVerifier.rs256()
        let none = try TestToken.signed(#"{"alg":"RS256"}"#, "x")
        let own = try TestToken.signed(#"{"alg":"RS256","kid":"a"}"#, "x")
        let other = try TestToken.signed(#"{"alg":"RS256","kid":"b"}"#, "x")
        #expect(try named.verify(none).keyID == "a")
        #expect(try named.verify(own).keyID == "a")
        expectRefusal("key-not-found") { _ = try named.verify(other) }
        for token in [none, own, other] { #expect(try bare.verify(token).keyID == nil) }
    }

    @Test("a set of a thousand keys finds each, and never another")
    func large() throws {
        let bare = try KeyText.publicKey()
        let stranger = try KeyText.publicKey("", TestKeys.stranger)
        func entry(_ keyID: String, _ text: String) -> String {
            "{\"kid\":\"\(keyID)\",\(text.dropFirst())"
        }
        // Some kids stand twice, some are spelled with escapes, one key is ours.
        var texts = (0..<990).map { entry("key-\($0)", stranger) }
        texts[500] = entry("key-500", bare)
        texts[501] = entry("\\u006bey-501", bare)
        texts += (0..<5).map { entry("key-\($0)", stranger) }
        let set = try PublicJWKSet(json: KeyText.set(texts))
        var limits = JOSELimits.standard
        limits.keyCount = 2_000
        let verifier = try JWSVerifier(keys: set, algorithms: [.rs256], limits: limits)
        func verdict(_ keyID: String) throws -> String {
            let token = try TestToken.signed("{\"alg\":\"RS256\",\"kid\":\"\(keyID)\"}", "x")
            return try Refusal.verdict { _ = try verifier.verify(token) }
        }
        #expect(try verdict("key-500") == "accepted")
        #expect(try verdict("key-501") == "accepted")
        #expect(try verdict("key-502") == "signature-invalid")
        #expect(try verdict("key-989") == "signature-invalid")
        // Equal entries are one key.
        for index in 0..<5 { #expect(try verdict("key-\(index)") == "signature-invalid") }
        for keyID in ["key-990", "key", "", "KEY-500", "key-500 "] {
            #expect(try verdict(keyID) == "key-not-found")
        }
    }
}
