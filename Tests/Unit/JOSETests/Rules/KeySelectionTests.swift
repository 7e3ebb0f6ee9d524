// The key for a signed token: exactly one, or a rejection (RFC 7517 sections 4.2 to 4.5).

import JOSE
import Testing

@Suite("Key selection: verification")
struct KeySelectionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        /// Metadata of each key of the set. A leading `!` means a stranger's numbers, a leading
        /// `EC` an EC key.
        let keys: [String]
        /// The token's kid member; nil for none.
        let keyID: String?
        let verdict: String
        var testDescription: String { name }

        init(_ name: String, _ keys: [String], _ keyID: String?, _ verdict: String) {
            (self.name, self.keys, self.keyID, self.verdict) = (name, keys, keyID, verdict)
        }
    }

    static let rows: [Row] = [
        Row("the kid", [#""kid":"a""#], "a", "accepted"),
        Row("another kid", [#""kid":"b""#], "a", "key-not-found"),
        Row("a key without kid is not the named one", [""], "a", "key-not-found"),
        Row("no kid, one key", [#""kid":"a""#], nil, "accepted"),
        Row("no kid, two keys", [#""kid":"a""#, #"!"kid":"b""#], nil, "key-not-found"),
        Row(
            "no kid, one of two for signatures",
            [#""use":"sig""#, #"!"use":"enc""#], nil, "accepted"),
        Row(
            "no kid, one of two for RS256",
            [#""alg":"RS256""#, #"!"alg":"PS256""#], nil, "accepted"),
        Row(
            "no kid, one of two may verify",
            [#""key_ops":["verify"]"#, #"!"key_ops":["encrypt"]"#], nil, "accepted"),
        Row("no kid, none eligible", [#""use":"enc""#], nil, "key-not-found"),
        Row("kid among several", [#"!"kid":"b""#, #""kid":"a""#, #"!"kid":"c""#], "a", "accepted"),
        Row("kid of a stranger's key", [#""kid":"a""#, #"!"kid":"b""#], "b", "signature-invalid"),
        Row("use sig", [#""kid":"a","use":"sig""#], "a", "accepted"),
        Row("use enc", [#""kid":"a","use":"enc""#], "a", "key-unusable"),
        Row("use is case-sensitive", [#""kid":"a","use":"SIG""#], "a", "key-unusable"),
        Row("use of no registry", [#""kid":"a","use":"tls""#], "a", "key-unusable"),
        Row("alg RS256", [#""kid":"a","alg":"RS256""#], "a", "accepted"),
        Row("alg PS256", [#""kid":"a","alg":"PS256""#], "a", "key-unusable"),
        Row("alg none", [#""kid":"a","alg":"none""#], "a", "key-unusable"),
        Row("alg is case-sensitive", [#""kid":"a","alg":"rs256""#], "a", "key-unusable"),
        Row("alg with an escape", [#""kid":"a","alg":"\u0052S256""#], "a", "accepted"),
        Row("key_ops verify", [#""kid":"a","key_ops":["verify"]"#], "a", "accepted"),
        Row(
            "key_ops with an unknown word",
            [#""kid":"a","key_ops":["x","verify"]"#], "a", "accepted"),
        Row("key_ops sign", [#""kid":"a","key_ops":["sign"]"#], "a", "key-unusable"),
        Row("key_ops of no registry", [#""kid":"a","key_ops":["x"]"#], "a", "key-unusable"),
        Row("key_ops empty", [#""kid":"a","key_ops":[]"#], "a", "key-unusable"),
        Row(
            "key_ops against use",
            [#""kid":"a","use":"sig","key_ops":["verify","encrypt"]"#], "a", "key-unusable"),
        Row(
            "same kid, kty, use",
            [#""kid":"a","use":"sig""#, #"!"kid":"a","use":"sig""#], "a", "key-not-found"),
        Row("same kid, kty, no use", [#""kid":"a""#, #"!"kid":"a""#], "a", "key-not-found"),
        Row(
            "the same key under two kids, no kid",
            [#""kid":"a""#, #""kid":"b""#], nil, "key-not-found"),
        Row(
            "one kid, one key, three algorithms",
            [
                #""kid":"a","alg":"RS384""#, #""kid":"a","alg":"RS256""#,
                #""kid":"a","alg":"RS512""#,
            ],
            "a", "accepted"),
        Row(
            "one kid, one key, one of two without alg",
            [#""kid":"a","alg":"RS256""#, #""kid":"a""#], "a", "key-not-found"),
        Row(
            "one kid, two keys, both for RS256",
            [#""kid":"a","alg":"RS256""#, #"!"kid":"a","alg":"RS256""#], "a", "key-not-found"),
        Row(
            "same kid, kty, use, alg, one may not verify",
            [#""kid":"a","key_ops":["verify"]"#, #"!"kid":"a","key_ops":["sign"]"#], "a", "accepted"
        ),
        Row(
            "same kid, kty, use, another alg",
            [#""kid":"a","use":"sig","alg":"RS256""#, #"!"kid":"a","use":"sig","alg":"PS256""#],
            "a", "accepted"),
        Row(
            "same kid, other use",
            [#"!"kid":"a","use":"enc""#, #""kid":"a","use":"sig""#], "a", "accepted"),
        Row(
            "same kid, both eligible, one without use",
            [#""kid":"a","use":"sig""#, #"!"kid":"a""#], "a", "key-not-found"),
        Row("same kid, other kty", [#"EC"kid":"a""#, #""kid":"a""#], "a", "accepted"),
        Row(
            "a double elsewhere does no harm",
            [#""kid":"a""#, #"!"kid":"b""#, #"!"kid":"b""#], "a", "accepted"),
        Row("another kty", [#"EC"kid":"a""#], "a", "key-unusable"),
        Row("kid compared after unescaping", [#""kid":"\u0061""#], "a", "accepted"),
        Row("kid is case-sensitive", [#""kid":"a""#], "A", "key-not-found"),
        Row("kid with a space behind", [#""kid":"a""#], "a ", "key-not-found"),
        Row("kid empty", [#""kid":"a""#], "", "key-not-found"),
    ]

    @Test("one key is selected, or the rejection has the reason", arguments: rows)
    func select(_ row: Row) throws {
        let keys = try PublicJWKSet(json: KeyText.set(row.keys.map(KeySelectionTests.text)))
        let verifier = try JWSVerifier.rs256(keys: keys)
        let keyID = row.keyID.map { ",\"kid\":\"\($0)\"" } ?? ""
        let token = try TestToken.signed("{\"alg\":\"RS256\"\(keyID)}", "x")
        #expect(try Rejection.verdict { _ = try verifier.verify(token) } == row.verdict)
    }

    static func text(_ members: String) throws -> String {
        if members.hasPrefix("EC") { return KeyText.elliptic(String(members.dropFirst(2))) }
        if members.hasPrefix("!") {
            return try KeyText.publicKey(String(members.dropFirst()), TestKeys.stranger)
        }
        return try KeyText.publicKey(members)
    }

    @Test("a single key is used for its own kid, or for any kid if it has none")
    func single() throws {
        let named = try JWSVerifier.rs256(TestKeys.named(TestKeys.signing, "a").publicKey)
        let bare = try JWSVerifier.rs256()
        let none = try TestToken.signed(#"{"alg":"RS256"}"#, "x")
        let own = try TestToken.signed(#"{"alg":"RS256","kid":"a"}"#, "x")
        let other = try TestToken.signed(#"{"alg":"RS256","kid":"b"}"#, "x")
        #expect(try named.verify(none).keyID == "a")
        #expect(try named.verify(own).keyID == "a")
        expectRejection("key-not-found") { _ = try named.verify(other) }
        for token in [none, own, other] { #expect(try bare.verify(token).keyID == nil) }
    }
}
