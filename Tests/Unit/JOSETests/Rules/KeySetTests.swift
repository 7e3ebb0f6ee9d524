// JWK Sets: form, unknown members, what is skipped with a reason and what ends the set (RFC 7517 section 5).

import JOSE
import Testing

@Suite("JWK Sets")
struct KeySetTests {
    private func verdicts(_ text: String) throws -> [String] {
        [
            try Refusal.verdict { _ = try PublicJWKSet(json: text) },
            try Refusal.verdict { _ = try JWKSet(json: text) },
        ]
    }

    @Test(
        "a set is an object with an array of objects",
        arguments: [
            "", "[]", "null", "{}", #"{"keys":null}"#, #"{"keys":{}}"#, #"{"keys":"x"}"#,
            #"{"keys":1}"#,
            #"{"keys":[null]}"#, #"{"keys":[[]]}"#, #"{"keys":["x"]}"#, #"{"keys":[{}]}"#,
            #"{"Keys":[]}"#,
            #"{"keys":[{"kty":1}]}"#, #"{"keys":[],"keys":[]}"#, #"{"keys":[],"\u006beys":[]}"#,
            #"{"keys":[{"kty":"X","a":1,"a":1}]}"#, #"{"keys":[]}x"#, #"{"keys":[]}{}"#,
            #"{"keys":[{"kty":"RSA"}]}"#,
            #"{"keys":[{"kty":"RSA","n":"AQAB"}]}"#, #"{"keys":[{"kty":"RSA","n":1,"e":"AQAB"}]}"#,
            #"{"keys":[{"kty":"X","kid":1}]}"#, #"{"keys":[{"kty":"X","use":1}]}"#,
            #"{"keys":[{"kty":"X","key_ops":"verify"}]}"#, #"{"keys":[{"kty":"X","alg":null}]}"#,
        ])
    func form(_ text: String) throws {
        #expect(try verdicts(text) == ["malformed", "malformed"])
    }

    @Test("an empty set, and unknown members, are fine") func lenient() throws {
        for text in [
            #"{"keys":[]}"#, #"{"x":{"y":[1]},"keys":[],"z":null}"#, " {\"keys\" : [ ] } \n",
            #"{"\u006beys":[]}"#,
        ] {
            #expect(try PublicJWKSet(json: text).keys.isEmpty)
            #expect(try JWKSet(json: text).keys.isEmpty)
        }
        let key = try KeyText.publicKey(#""kid":"a","x":{"d":1},"iat":1"#)
        #expect(try PublicJWKSet(json: KeyText.set([key])).keys.count == 1)
    }

    @Test("well-formed keys that cannot be used are skipped with a reason, and named tokens say so")
    func skipped() throws {
        let small =
            #"{"kty":"RSA","kid":"small","e":"AQAB","n":"\#(Independent.base64URL([UInt8](repeating: 0x99, count: 128)))"}"#
        let exponent = try KeyText.publicKey(#""kid":"exponent""#).replacing("AQAB", with: "Aw")
        let unknown = #"{"kty":"XYZ","kid":"unknown","alg":"RS256","use":"sig"}"#
        let good = try KeyText.publicKey(#""kid":"good""#)
        let text = KeyText.set([small, exponent, unknown, good])
        let ours = try JWKSet(json: text)
        #expect(ours.keys.map(\.keyID) == ["good"])
        #expect(ours.skipped.map(\.index) == [0, 1, 2])
        let theirs = try PublicJWKSet(json: text)
        #expect(theirs.count == 4)
        #expect(theirs.keys.map(\.keyID) == ["good"])
        #expect(theirs.skipped == ours.skipped)
        #expect(Set(theirs.skipped.map(\.reason)).count == 3)
        let verifier = try JWSVerifier(keys: theirs, algorithms: [.rs256])
        for (keyID, verdict) in [
            ("small", "key-unusable"), ("exponent", "key-unusable"), ("unknown", "key-unusable"),
            ("good", "accepted"),
        ] {
            let token = try TestToken.signed("{\"alg\":\"RS256\",\"kid\":\"\(keyID)\"}", "x")
            #expect(try Refusal.verdict { _ = try verifier.verify(token) } == verdict, "\(keyID)")
        }
        // Without kid the one usable key is the one eligible key.
        _ = try verifier.verify(TestToken.signed(#"{"alg":"RS256"}"#, "x"))
    }

    @Test(
        "catalogue 111, 112: private or symmetric members end a public set",
        arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func privateMembers(_ name: String) throws {
        let good = try KeyText.publicKey(#""kid":"good""#)
        for bad in [
            try KeyText.publicKey("\"\(name)\":\"AQAB\""), #"{"kty":"XYZ","\#(name)":1}"#,
            #"{"kty":"oct","\#(name)":"AQAB"}"#,
            #"{"kty":"XYZ","\u00\#(hex(name))\#(name.dropFirst())":null}"#,
        ] {
            for text in [KeyText.set([bad]), KeyText.set([good, bad]), KeyText.set([bad, good])] {
                expectRefusal("key-unusable", bad) { _ = try PublicJWKSet(json: text) }
            }
        }
        expectRefusal("key-unusable") { _ = try PublicJWKSet(json: #"{"keys":[{"kty":"oct"}]}"#) }
    }

    private func hex(_ name: String) -> String { String(name.utf8.first ?? 0, radix: 16) }

    @Test("a broken private key ends neither set silently: it is skipped, and is no key")
    func brokenPrivate() throws {
        let good = try KeyText.privateKey(#""kid":"good""#)
        var members = try KeyText.members(KeyText.privateKey(#""kid":"bad""#, TestKeys.stranger))
        members["d"] = members["n"]
        let set = try JWKSet(json: KeyText.set([good, VectorValue.object(members).json]))
        #expect(set.keys.map(\.keyID) == ["good"])
        #expect(set.skipped.map(\.index) == [1])
    }

    @Test("RFC 7638: members that are not required do not change a thumbprint") func thumbprints()
        throws
    {
        let plain = try JWK(json: KeyText.publicKey())
        let dressed = try JWK(
            json: KeyText.publicKey(#""kid":"a","use":"sig","alg":"RS256","x":1"#))
        let secret = try JWK(json: KeyText.privateKey())
        for hash in ThumbprintHash.all {
            #expect(try plain.thumbprint(hash) == dressed.thumbprint(hash))
            #expect(try plain.thumbprint(hash) == secret.thumbprint(hash))
            #expect(
                try plain.thumbprintURI(hash).hasPrefix(
                    "urn:ietf:params:oauth:jwk-thumbprint:\(hash.name):"))
        }
        #expect(try plain.thumbprint() != TestKeys.stranger.thumbprint())
    }
}
