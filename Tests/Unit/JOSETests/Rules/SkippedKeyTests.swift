// RFC 7517, 5: an unusable entry of a key set is skipped with a reason, and the other keys work.

import JOSEBytes
import Testing

@testable import JOSE

@Suite("Third-party key sets: skipped entries")
struct SkippedKeyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let entry: String
        /// The member that `skipped` reports; nil for none.
        let member: String?
        /// The text that the reason contains.
        let words: [String]
        var testDescription: String { name }

        init(_ name: String, _ entry: String, _ member: String?, _ words: String...) {
            self.name = name
            self.entry = entry
            self.member = member
            self.words = words
        }
    }

    private static let n = (try? KeyText.members(KeyText.publicKey())["n"]?.string) ?? ""
    private static let x = String(repeating: "A", count: 43)
    private static let short = String(repeating: "A", count: 42)

    private static let numbers = #""n":"\#(n)","e":"AQAB""#

    /// A key with kid z and these members.
    private static func key(_ type: String, _ members: String) -> String {
        #"{"kid":"z","kty":"\#(type)",\#(members)}"#
    }

    /// A valid RSA key with these members added.
    private static func rsa(_ members: String) -> String { key("RSA", "\(members),\(numbers)") }

    static let rows: [Row] = [
        Row("null", "null", nil, "this is null"),
        Row("a number", "7", nil, "this is a number"),
        Row("a string", #""k1""#, nil, "this is a string"),
        Row("a Boolean", "false", nil, "this is a Boolean"),
        Row("an array", "[]", nil, "this is an array"),
        Row("an empty object", "{}", "kty", "kty is missing"),
        Row("no kty", #"{"kid":"z"}"#, "kty", "kty is missing"),
        Row("kty null", #"{"kid":"z","kty":null}"#, "kty", "kty is missing"),
        Row("kty a number", #"{"kid":"z","kty":1}"#, "kty", "kty is not a string"),
        Row("unknown kty", #"{"kid":"z","kty":"XYZ"}"#, "kty", "not supported"),
        Row(
            "kid a number", #"{"kty":"RSA","kid":1,"n":"\#(n)","e":"AQAB"}"#, "kid", "not a string"),
        Row(
            "kid too long",
            #"{"kty":"RSA","kid":"\#(String(repeating: "z", count: 1_025))","n":"\#(n)","e":"AQAB"}"#,
            "kid", "1,025 bytes", "1,024", "JOSELimits.keyIDBytes"),
        Row("use an array", rsa(#""use":[]"#), "use", "not a string"),
        Row("unknown use", rsa(#""use":"tls""#), "use", "neither sig nor enc"),
        Row("alg a Boolean", rsa(#""alg":true"#), "alg", "not a string"),
        Row("unknown alg", rsa(#""alg":"RS123""#), "alg", "no algorithm"),
        Row("alg RSA1_5", rsa(#""alg":"RSA1_5""#), "alg", "RSA1_5"),
        Row("key_ops a string", rsa(#""key_ops":"verify""#), "key_ops", "not an array"),
        Row("key_ops with a number", rsa(#""key_ops":[1]"#), "key_ops", "not a string"),
        Row("key_ops twice", rsa(#""key_ops":["verify","verify"]"#), "key_ops", "verify twice"),
        Row("n twice", key("RSA", #"\#(numbers),"n":"\#(n)""#), "n", "member n twice"),
        Row(
            "n twice, once escaped", key("RSA", #"\#(numbers),"\u006e":"\#(n)""#), "n",
            "member n twice"),
        Row(
            "an unknown member twice", key("RSA", #"\#(numbers),"x-a":1,"x-a":1"#), nil,
            "a member twice"),
        Row(
            "a member twice further down", key("RSA", #"\#(numbers),"x-a":[{"b":{"c":1,"c":2}}]"#),
            nil, "a member twice"),
        Row("RSA without n", key("RSA", #""e":"AQAB""#), "n", "n is missing"),
        Row("RSA without e", key("RSA", #""n":"\#(n)""#), "e", "e is missing"),
        Row("n null", key("RSA", #""n":null,"e":"AQAB""#), "n", "n is missing"),
        Row("n a number", key("RSA", #""n":1,"e":"AQAB""#), "n", "n is not a string"),
        Row("e a number", key("RSA", #""n":"\#(n)","e":65537"#), "e", "e is not a string"),
        Row("n with padding", key("RSA", #""n":"\#(n)==","e":"AQAB""#), "n", "padding"),
        Row("n in base64", key("RSA", #""n":"+/\#(n)","e":"AQAB""#), "n", "+ or /"),
        Row("n with white space", key("RSA", #""n":"\#(n) ","e":"AQAB""#), "n", "white space"),
        Row("n empty", key("RSA", #""n":"","e":"AQAB""#), "n", "n is empty"),
        Row(
            "n of 8 bits", key("RSA", #""n":"_w","e":"AQAB""#), "n", "8 bits", "2,048",
            "JOSELimits.minRSABits"),
        Row(
            "n of 8,200 bits",
            key(
                "RSA",
                #""n":"\#(Independent.base64URL([UInt8](repeating: 0xff, count: 1_025)))","e":"AQAB""#
            ),
            "n", "8,200 bits", "8,192", "JOSELimits.maxRSABits"),
        Row("e of 3", key("RSA", #""n":"\#(n)","e":"Aw""#), "e", "e) is 3", "65,537"),
        Row("EC without crv", key("EC", #""x":"\#(x)","y":"\#(x)""#), "crv", "crv is missing"),
        Row(
            "EC with an unknown crv",
            key("EC", #""crv":"P-0","x":"\#(x)","y":"\#(x)""#), "crv", "not supported"),
        Row(
            "EC with the crv of OKP", key("EC", #""crv":"Ed25519","x":"\#(x)","y":"\#(x)""#),
            "crv", "Ed25519", "OKP"),
        Row("EC without y", key("EC", #""crv":"P-256","x":"\#(x)""#), "y", "y is missing"),
        Row(
            "EC with a short x", key("EC", #""crv":"P-256","x":"\#(short)","y":"\#(x)""#), "x",
            "31 bytes", "P-256"),
        Row(
            "EC with a short y", key("EC", #""crv":"P-256","x":"\#(x)","y":"\#(short)""#), "y",
            "31 bytes", "P-256"),
        Row(
            "EC with an x of zero bytes",
            key("EC", #""crv":"P-256","x":"","y":"\#(x)""#), "x", "0 bytes"),
        Row(
            "OKP with y", key("OKP", #""crv":"Ed25519","x":"\#(x)","y":"\#(x)""#), "y",
            "does not belong"),
        Row(
            "OKP with a long x", key("OKP", #""crv":"Ed25519","x":"\#(x)A""#), "x",
            "bytes", "Ed25519"),
        Row("AKP without alg", key("AKP", #""pub":"AA""#), "alg", "alg is missing"),
        Row(
            "AKP with a short pub", key("AKP", #""alg":"ML-DSA-44","pub":"AA""#), "pub",
            "1 bytes", "ML-DSA-44"),
    ]

    @Test("the entry is skipped in any position, and every valid key verifies", arguments: rows)
    func neighbours(_ row: Row) throws {
        let good = try KeyText.publicKey(#""kid":"good""#)
        let other = try KeyText.publicKey(#""kid":"other""#, TestKeys.stranger)
        for position in 0...2 {
            var entries = [good, other]
            entries.insert(row.entry, at: position)
            let set = try PublicJWKSet(json: KeyText.set(entries))
            #expect(set.count == 3 && set.keys().map(\.keyID) == ["good", "other"])
            let skipped = try need(set.skipped.first)
            #expect(set.skipped.count == 1 && skipped.index == position)
            #expect(skipped.member == row.member, "\(skipped)")
            for word in row.words { #expect(skipped.reason.contains(word), "\(skipped)") }
            let verifier = try JWSVerifier.rs256(keys: set)
            let token = try TestToken.signed(#"{"alg":"RS256","kid":"good"}"#, "x")
            #expect(try verifier.verify(token).keyID == "good")
            // A token that names the entry gets its reason.
            guard row.entry.contains(#""kid":"z""#) else { continue }
            #expect(skipped.keyID == "z")
            let named = try TestToken.signed(#"{"alg":"RS256","kid":"z"}"#, "x")
            expectRejection("key-unusable", message: skipped.reason) {
                _ = try verifier.verify(named)
            }
        }
    }

    @Test(
        "a local set skips the same entries but keeps those with an unknown use or alg",
        arguments: rows)
    func own(_ row: Row) throws {
        let good = try KeyText.privateKey(#""kid":"good""#)
        let set = try JWKSet(json: KeyText.set([row.entry, good]))
        let isLabel = ["neither sig nor enc", "no algorithm", "RSA1_5"].contains(row.words[0])
        #expect(set.keys.count == (isLabel ? 2 : 1))
        #expect(set.skipped.map(\.member) == (isLabel ? [] : [row.member]))
    }

    @Test("a token for a skipped entry of a local set gets the entry's reason")
    func ownTokens() throws {
        let broken = #"{"kty":"RSA","kid":"z","n":"AA=","e":"AQAB"}"#
        let good = try KeyText.privateKey(#""kid":"good""#, TestKeys.decrypting)
        let decrypter = try JWEDecrypter(
            keys: JWKSet(json: KeyText.set([broken, good])), algorithms: [.rsaOAEP],
            content: [.a128CBCHS256])
        for (keyID, code, word) in [
            ("z", "key-unusable", "n is not base64url"),
            ("y", "key-not-found", "has the token's kid"),
        ] {
            let key = TestKeys.named(try TestKeys.decrypting.publicKey, keyID)
            let token = try JWEEncrypter.with(key, .rsaOAEP, .a128CBCHS256).encrypt("x")
            expectRejection(code, says: word) { _ = try decrypter.decrypt(token) }
        }
    }

    @Test("null for kid, use, alg, key_ops and an OKP key's y means absent") func null() throws {
        let text = try KeyText.publicKey(
            #""kid":null,"use":null,"alg":null,"key_ops":null,"x5c":null,"x5t":null,"x5u":null"#)
        let set = try PublicJWKSet(json: KeyText.set([text]))
        let key = try need(set.keys().first)
        #expect(set.skipped.isEmpty && key.keyID == nil && key.use == nil)
        #expect(key.algorithm == nil && key.keyOperations == nil)
        let curve = try KeyText.members(JWK.generate(.curve(.ed25519)).publicJSON())
        let pair = VectorValue.object(curve).json.dropLast() + #","y":null}"#
        #expect(try PublicJWKSet(json: KeyText.set([String(pair)])).keys().count == 1)
    }

    @Test("a key in a header is read strictly: no null, no leading zeros, no malformed x5c")
    func header() throws {
        func verdict(_ key: String) throws -> String {
            let bytes = Array(key.utf8)
            return try Rejection.verdict {
                try JSONText.scanned(bytes.span, .standard, at: .header) {
                    (text, tree) throws(JOSEError) in
                    try JWK.readOne(text, tree, at: 0, .standard).checkStrict(0, text, tree)
                }
            }
        }
        let good = try KeyText.publicKey(#""kid":"a","x-a":null"#)
        #expect(try verdict(good) == "accepted")
        for changed in [
            good.replacing(#""AQAB""#, with: #""AAEAAQ""#),
            good.replacing(#""kid":"a""#, with: #""kid":null"#),
            good.replacing(#""kid":"a""#, with: #""alg":null"#),
            good.replacing(#""kid":"a""#, with: #""x5c":[]"#),
            good.replacing(#""kid":"a""#, with: #""x5t":"AA:BB""#),
            good.replacing(#""kid":"a""#, with: #""kid":"a","kid":"a""#),
        ] { #expect(try verdict(changed) == "malformed", "\(changed)") }
        // A later value of x5c that is DER but not a certificate.
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let leaf = try root.leaf(TestKeys.signing)
        for (later, wanted) in [
            ([], "accepted"), ([root.certificate], "accepted"), ([[0x30, 0]], "malformed"),
            ([root.certificate, [0x30, 0]], "malformed"), ([[0x02, 1, 0]], "malformed"),
            ([[0x30, 0], root.certificate], "malformed"),
            ([Array(root.certificate.dropLast())], "malformed"), ([[]], "malformed"),
        ] {
            let key = good.replacing(
                #""kid":"a""#, with: #""kid":"a",\#(TestChains.x5c([leaf] + later))"#)
            #expect(try verdict(key) == wanted, "\(later.count)")
            // A third-party key set without a certificate rule ignores it.
            #expect(try PublicJWKSet(json: KeyText.set([key])).keys().count == 1)
        }
    }

    @Test("kid is shown escaped, with at most 128 bytes") func shownKeyID() throws {
        let wild = "\u{202e}\u{1b}[31m'\\n" + String(repeating: "x", count: 500)
        let member = VectorValue.object(["kid": .string(wild), "kty": .string("X")]).json
        let skipped = try need(PublicJWKSet(json: KeyText.set([member])).skipped.first)
        let shown = try need(skipped.keyID)
        #expect(shown.utf8.count <= 128 && !shown.unicodeScalars.contains { $0.value < 0x20 })
        #expect(!shown.unicodeScalars.contains("\u{202e}"))
        #expect(skipped.description.hasPrefix("key 1, kid '"))
    }

    @Test(
        "quotation marks and backslashes in a kid are escaped, so its end is visible",
        arguments: ["a'b", "'", "a', member n: no", "\\'", "a\"b", "'\u{2028}'"])
    func quotedKeyID(_ keyID: String) throws {
        let member = VectorValue.object(["kid": .string(keyID), "kty": .string("X")]).json
        for text in [
            try need(PublicJWKSet(json: KeyText.set([member])).skipped.first).description,
            try need(JWKSet(json: KeyText.set([member])).skipped.first).description,
        ] {
            let rest = try need(text.split(separator: "kid '", maxSplits: 1).last)
            var (isEscaped, end) = (false, 0)
            for (position, character) in rest.utf8.enumerated() where end == 0 {
                if !isEscaped, character == UInt8(ascii: "'") { end = position }
                isEscaped = !isEscaped && character == UInt8(ascii: "\\")
            }
            #expect(rest.utf8.dropFirst(end).starts(with: "', member kty: ".utf8), "\(text)")
        }
    }

    @Test("defects that need arithmetic appear in skipped from the first use on")
    func lateDefects() throws {
        // A modulus with a small factor, and a point off its curve.
        var members = try KeyText.members(KeyText.publicKey(#""kid":"factor""#))
        var bytes = [UInt8](repeating: 0xff, count: 256)
        bytes[255] = 0xff
        members["n"] = .string(Independent.base64URL(bytes))
        var point = try KeyText.members(JWK.generate(.curve(.p256), keyID: "point").publicJSON())
        point["y"] = point["x"]
        let good = try KeyText.publicKey(#""kid":"good""#)
        let set = try PublicJWKSet(
            json: KeyText.set([
                VectorValue.object(members).json, VectorValue.object(point).json, good,
            ]))
        #expect(set.skipped.isEmpty && set.keys().count == 3)
        let verifier = try JWSVerifier(keys: set, algorithms: [.rs256, .es256])
        for (alg, kid) in [("RS256", "factor"), ("ES256", "point")] {
            let size = alg == "RS256" ? 256 : 64
            let signature = Independent.base64URL([UInt8](repeating: 1, count: size))
            let header = Independent.base64URL("{\"alg\":\"\(alg)\",\"kid\":\"\(kid)\"}".utf8)
            for _ in 0..<2 {
                let error = expectRejection("key-unusable") {
                    _ = try verifier.verify("\(header).e30.\(signature)")
                }
                #expect(set.skipped.last?.keyID == kid)
                #expect(set.skipped.last?.reason == error?.message)
            }
        }
        #expect(set.skipped.map(\.index) == [0, 1] && set.keys().map(\.keyID) == ["good"])
        // Without kid the valid key is the only one.
        _ = try verifier.verify(TestToken.signed(#"{"alg":"RS256"}"#, "x"))
    }

    @Test("a defect found at first use: the first token has the error of later ones")
    func firstUse() throws {
        var members = try KeyText.members(KeyText.publicKey(#""kid":"factor""#))
        members["n"] = .string(Independent.base64URL([UInt8](repeating: 0xff, count: 256)))
        let bad = VectorValue.object(members).json
        let text = KeyText.set([bad, bad, bad])
        let signature = Independent.base64URL([UInt8](repeating: 1, count: 256))
        let token = Independent.base64URL(#"{"alg":"RS256"}"#.utf8) + ".e30." + signature
        func verifier() throws -> JWSVerifier {
            try JWSVerifier.rs256(keys: PublicJWKSet(json: text))
        }
        let alone = try verifier()
        let errors =
            try (0..<2).map { _ in
                #expect(throws: JOSEError.self) { try alone.verify(token) }
            }
            + verifier().verifyBatch([token, token]).map { result in
                #expect(throws: JOSEError.self) { try result.get() }
            }
        #expect(errors.count == 4 && Set(errors.map { $0?.description }).count == 1)
        #expect(errors.first??.code == .keyNotFound)
    }

    @Test(
        "any number of defective entries leave the one valid key with the kid",
        arguments: [1, 15, 16, 17, 18, 40, 200])
    func manyLateNamesakes(_ count: Int) throws {
        let key = try JWK.generate(.curve(.p256), keyID: "a")
        let token = try JWSSigner(key: key, algorithm: .es256).sign("x")
        let nameless = try JWSSigner(key: TestKeys.bare(key), algorithm: .es256).sign("x")
        var bad: [String] = []
        for index in 0..<count {
            // Each time another point off the curve.
            var members = try KeyText.members(key.publicJSON())
            let bytes = [UInt8](repeating: 0, count: 30) + [UInt8(index / 256), UInt8(index % 256)]
            members["y"] = .string(Independent.base64URL(bytes))
            bad.append(VectorValue.object(members).json)
        }
        for position in [0, count / 2, count] {
            var entries = bad
            entries.insert(try key.publicJSON(), at: position)
            for token in [token, nameless] {
                let set = try PublicJWKSet(json: KeyText.set(entries))
                let verifier = try JWSVerifier(keys: set, algorithms: [.es256])
                for _ in 0..<2 { _ = try verifier.verify(token) }
                #expect(set.skipped.count == count)
                #expect(!set.skipped.contains { $0.index == position })
            }
        }
        // Two valid keys remain ambiguous, whatever else has their kid. Without one nothing is.
        let second = try JWK.generate(.curve(.p256), keyID: "a")
        for valid in [try [key.publicJSON(), second.publicJSON()], []] {
            let set = try PublicJWKSet(json: KeyText.set(bad + valid))
            let verifier = try JWSVerifier(keys: set, algorithms: [.es256])
            let code = valid.isEmpty && count == 1 ? "key-unusable" : "key-not-found"
            for _ in 0..<2 {
                let error = expectRejection(code) { _ = try verifier.verify(token) }
                #expect(error?.message.contains("of this kid match ES256") == !valid.isEmpty)
            }
            #expect(set.skipped.count == count)
        }
    }

    @Test(
        "a local set: up to 16 equal entries with one kid are one key, more are not compared",
        arguments: [1, 2, 15, 16, 17, 100])
    func equalEntries(_ count: Int) throws {
        let key = TestKeys.named(TestKeys.decrypting, "a")
        let other = TestKeys.named(TestKeys.stranger, "a")
        func verdict(_ keys: [JWK]) throws -> String {
            let decrypter = try JWEDecrypter.rsa(keys: keys)
            let token = try JWEEncrypter.rsa(key).encrypt("x")
            return try Rejection.verdict { _ = try decrypter.decrypt(token) }
        }
        let equal = Array(repeating: key, count: count)
        // Read again, so that they do not share prepared keys.
        let read = try JWKSet(json: JWKSet(keys: equal).privateJSON()).keys
        let wanted = count <= 16 ? "accepted" : "key-not-found"
        #expect(try verdict(equal) == wanted)
        #expect(try verdict(read) == wanted)
        #expect(try verdict(read + [other]) == "key-not-found")
        let secrets = try (0..<count).map { _ in
            try JWK(symmetricKey: [UInt8](repeating: 7, count: 32), keyID: "a")
        }
        let wrapped = try JWEEncrypter.with(need(secrets.first), .a256KW, .a128CBCHS256).encrypt(
            "x")
        let unwrapper = try JWEDecrypter(
            keys: JWKSet(keys: secrets), algorithms: [.a256KW], content: [.a128CBCHS256])
        #expect(try Rejection.verdict { _ = try unwrapper.decrypt(wrapped) } == wanted)
    }

    @Test("a token's error has the number of skipped entries, but the defect only of a single one")
    func skippedCount() throws {
        func message(_ texts: [String], kid: String?) throws -> String {
            let verifier = try JWSVerifier.rs256(keys: PublicJWKSet(json: KeyText.set(texts)))
            let header = kid.map { ",\"kid\":\"\($0)\"" } ?? ""
            let token = try TestToken.signed("{\"alg\":\"RS256\"\(header)}", "x")
            let code = texts.count == 1 && kid != nil ? "key-unusable" : "key-not-found"
            return expectRejection(code) { _ = try verifier.verify(token) }?.message ?? ""
        }
        let short = #"{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}"#
        let bare = #"{"kty":"RSA","kid":"a","n":"AQAB"}"#
        let curve =
            #"{"kty":"OKP","kid":"a","crv":"Ed25519","#
            + #""x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
        for kid in ["a", nil] {
            let end = kid == nil ? "the key set" : "this kid"
            #expect(
                try message([short, bare], kid: kid)
                    == "all 2 entries of \(end) are skipped: none of them can be used")
            #expect(
                try message([short, curve, bare], kid: kid).hasSuffix(
                    "matches RS256; 2 of them cannot be used"))
            // One entry: its own defect.
            #expect(try message([bare], kid: kid) == "e is missing from an RSA key")
        }
    }

    @Test("documents that are mistaken for keys are named, with what to do")
    func otherDocuments() throws {
        for (text, words) in [
            (#"{"issuer":"a","jwks_uri":"https://a"}"#, "fetch the URL in its member jwks_uri"),
            (#"{"jwks":{"keys":[]}}"#, "pass the value of that member"),
            (#"{"access_token":"a"}"#, "a token response (it has access_token)"),
            (#"{"error":"a"}"#, "an error response"), (#"{"x5c":["AA"]}"#, "has x5c and no kty"),
        ] {
            for read in [
                { _ = try PublicJWKSet(json: text) }, { _ = try JWKSet(json: text) },
                { _ = try JWK(json: text) }, { _ = try KeyFileContents(text) },
            ] as [() throws -> Void] {
                let error = expectRejection("malformed", text, read)
                #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            }
        }
        // A key may have members of any name.
        let key = try TestKeys.signing.publicJSON().dropLast() + #","jwks_uri":"a","error":"b"}"#
        #expect((try? JWK(json: String(key))) != nil)
    }

    @Test("several keys with one kid: the error has their number and whether alg decides")
    func ambiguity() throws {
        func message(_ members: [String], kid: String?) throws -> String {
            let texts = try members.enumerated().map { index, members in
                try KeyText.publicKey(members, index == 0 ? TestKeys.signing : TestKeys.stranger)
            }
            let verifier = try JWSVerifier.rs256(keys: PublicJWKSet(json: KeyText.set(texts)))
            let header = kid.map { ",\"kid\":\"\($0)\"" } ?? ""
            let token = try TestToken.signed("{\"alg\":\"RS256\"\(header)}", "x")
            return expectRejection("key-not-found") { _ = try verifier.verify(token) }?.message
                ?? ""
        }
        let both = #""kid":"a","use":"sig","alg":"RS256""#
        let each = "2 keys of this kid match RS256: each key needs its own kid"
        for (second, kid, wanted) in [
            (both, "a", each), (#""kid":"a","use":"sig""#, "a", each + " or its own alg"),
            (#""kid":"a""#, "a", each + " or its own alg"),
            (
                both, nil,
                "the token names no kid and 2 keys match RS256: it must name the kid of one"
            ),
        ] as [(String, String?, String)] {
            #expect(try message([both, second], kid: kid) == wanted)
        }
        #expect(
            try message([#""kid":"a","alg":"RS384""#, #""kid":"a","alg":"PS256""#], kid: "a")
                == "none of the 2 keys of this kid matches RS256 by kty, use, key_ops and alg")
    }

    @Test("a token gets the reason of the entry with exactly its kid")
    func exactKeyID() throws {
        let long = String(repeating: "k", count: 128)
        func verdict(_ own: String, _ requested: String) throws -> String {
            let entry = #"{"kty":"RSA","kid":"\#(own)","n":"AQAB","e":"AQAB","d":"AQ"}"#
            let set = try JWKSet(json: KeyText.set([entry]))
            #expect(set.skipped.count == 1)
            let decrypter = try JWEDecrypter(
                keys: set, algorithms: [.rsaOAEP], content: [.a128CBCHS256])
            let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"\#(requested)"}"#
            let token = try TestToken.encrypted(header, "x")
            return try Rejection.verdict { _ = try decrypter.decrypt(token) }
        }
        for (own, same) in [
            ("a", "a"), (long + "a", long + "a"), (#"\u0001"#, #"\u0001"#), ("\u{e9}", #"\u00e9"#),
        ] {
            #expect(try verdict(own, same) == "key-unusable", "\(own)")
        }
        let shown = printable("\u{1}").replacing(#"\"#, with: #"\\"#)
        for (own, other) in [
            (long + "a", long + "b"), (long + "a", long), (long, long + "a"),
            (String(long.dropLast()) + "\u{e9}", String(long.dropLast()) + "\u{e8}"),
            (#"\u0001"#, shown), (shown, #"\u0001"#), ("\u{e9}", "e\u{301}"), ("a", "A"),
        ] {
            #expect(try verdict(own, other) == "key-not-found", "\(other)")
        }
    }
}
