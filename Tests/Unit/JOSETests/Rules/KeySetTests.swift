// JWK Sets: syntax, unknown members, what is skipped with a reason, and what rejects the set (RFC
// 7517 section 5).

import JOSE
import Testing

@Suite("JWK Sets")
struct KeySetTests {
    private func verdicts(_ text: String) throws -> [String] {
        [
            try Rejection.verdict { _ = try PublicJWKSet(json: text) },
            try Rejection.verdict { _ = try JWKSet(json: text) },
        ]
    }

    @Test(
        "a set is a JSON object with an array of keys, or is rejected completely",
        arguments: [
            "", "[]", "null", "{}", #"{"keys":null}"#, #"{"keys":{}}"#, #"{"keys":"x"}"#,
            #"{"keys":1}"#, #"{"Keys":[]}"#, #"{"keys":[],"keys":[]}"#,
            #"{"keys":[],"\u006beys":[]}"#, #"{"x":1,"keys":[],"x":2}"#, #"{"keys":[]}x"#,
            #"{"keys":[]}{}"#, #"{"keys":[{"kty":"X"]}"#, #"{"keys":[{"kid":"\xd800"}]}"#,
            "\u{feff}\u{feff}{\"keys\":[]}",
        ])
    func form(_ text: String) throws {
        #expect(try verdicts(text) == ["malformed", "malformed"])
    }

    @Test("each error of the outer structure names what the input is and what to do")
    func readings() throws {
        let key = try KeyText.publicKey()
        let pem = #"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"#
        for (text, words) in [
            ("[\(key)]", ["array", "\"keys\""]), (key, ["one JWK"]), ("{}", ["keys"]),
            ("{\"a\":\"\(pem)\",\"b\":\"\(pem)\"}", ["map from kid to PEM", "JWK Set"]),
            ("-----BEGIN CERTIFICATE-----\n", ["PEM"]), ("\n-----BEGIN RSA PRIVATE KEY", ["PEM"]),
            (#"{"keys":{}}"#, ["the member keys is an object; expected an array"]),
            ("1", ["JSON object; this is a number"]), ("", ["empty"]),
            ("{\n  \"keys\": [\n    {,}]}", ["byte 19", "line 3, column 6"]),
            (#"{"keys":["#, ["ends too early", "byte 9"]),
            (#"{"keys":[],"keys":[]}"#, ["twice", "byte 21"]),
        ] {
            for read: (String) throws -> Void in [
                { _ = try PublicJWKSet(json: $0) }, { _ = try JWKSet(json: $0) },
            ] {
                let error = expectRejection("malformed", text) { try read(text) }
                for word in words {
                    #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
                }
            }
        }
        expectRejection("malformed", says: "array") { _ = try JWK(json: "[\(key)]") }
    }

    @Test("an empty set and unknown members are accepted") func lenient() throws {
        for text in [
            #"{"keys":[]}"#, #"{"x":{"y":[1]},"keys":[],"z":null}"#, " {\"keys\" : [ ] } \n",
            #"{"\u006beys":[]}"#, "\u{feff}{\"keys\":[]}", "\u{feff} {\"keys\":[]}",
            #"{"x":{"y":1,"y":2},"keys":[]}"#,
        ] {
            #expect(try PublicJWKSet(json: text).keys().isEmpty)
            #expect(try JWKSet(json: text).keys.isEmpty)
        }
        let key = try KeyText.publicKey(#""kid":"a","x":{"d":1},"iat":1"#)
        #expect(try PublicJWKSet(json: KeyText.set([key])).keys().count == 1)
    }

    @Test(
        "catalogue 111, 112: private or symmetric members reject a public set",
        arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"])
    func privateMembers(_ name: String) throws {
        let good = try KeyText.publicKey(#""kid":"good""#)
        for bad in [
            try KeyText.publicKey("\"\(name)\":\"AQAB\""), #"{"kty":"XYZ","\#(name)":1}"#,
            #"{"kty":"oct","\#(name)":"AQAB"}"#,
            #"{"kty":"XYZ","\u00\#(hex(name))\#(name.dropFirst())":null}"#,
            #"{"\#(name)":null}"#, #"{"kty":null,"\#(name)":"AQAB"}"#, #"{"kty":1,"\#(name)":[]}"#,
            #"{"kty":"RSA","kty":"EC","\#(name)":"AQAB"}"#,
            #"{"kty":"RSA","\#(name)":"AQAB","\#(name)":"AQAB"}"#,
            #"{"kty":"RSA","n":"AA=","e":1,"kid":[],"\#(name)":""}"#,
            #"{"kty":"EC","crv":"P-0","\#(name)":"AQAB"}"#,
            #"{"kid":"\#(String(repeating: "k", count: 2_000))","\#(name)":"AQAB"}"#,
        ] {
            for text in [KeyText.set([bad]), KeyText.set([good, bad]), KeyText.set([bad, good])] {
                expectRejection("key-unusable", bad) { _ = try PublicJWKSet(json: text) }
            }
        }
        for bad in [#"{"kty":"oct"}"#, #"{"kty":"\u006fct"}"#, #"{"kty":"oct","k":""}"#] {
            expectRejection("key-unusable") {
                _ = try PublicJWKSet(json: KeyText.set([good, bad]))
            }
        }
    }

    private func hex(_ name: String) -> String { String(name.utf8.first ?? 0, radix: 16) }

    @Test("a broken private key is skipped, and the set keeps its other keys")
    func brokenPrivate() throws {
        let good = try KeyText.privateKey(#""kid":"good""#)
        var members = try KeyText.members(KeyText.privateKey(#""kid":"bad""#, TestKeys.stranger))
        members["d"] = members["n"]
        let set = try JWKSet(json: KeyText.set([good, VectorValue.object(members).json]))
        #expect(set.keys.map(\.keyID) == ["good"])
        #expect(set.skipped.map(\.index) == [1])
    }
}
