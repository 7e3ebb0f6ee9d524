// Reading JWKs: types, spellings, sizes and consistency (RFC 7517 section 4, RFC 7518 section 6.3).

import JOSE
import Testing

@Suite("Reading JWKs")
struct JWKReadingTests {
    /// The result for the public test key with some members replaced by JSON; `nil` removes one.
    private func verdict(_ edits: [String: String?], isPrivate: Bool = false) throws -> String {
        let key = TestKeys.signing
        var members = try KeyText.members(isPrivate ? key.privateJSON() : key.publicJSON())
            .mapValues(\.json)
        for (name, value) in edits { members[name] = value }
        let text = "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        return try Rejection.verdict { _ = try JWK(json: text) }
    }

    @Test(
        "RFC 7517 4: metadata of a wrong JSON type is malformed",
        arguments: ["kty", "kid", "use", "alg", "key_ops", "n", "e"])
    func types(_ name: String) throws {
        for value in ["1", "null", "true", "{}", "[]", "[1]", #"["sig"]"#] {
            if name == "key_ops", value == "[]" || value == #"["sig"]"# { continue }
            // null for an optional member means absent.
            let isOptional = ["kid", "use", "alg", "key_ops"].contains(name)
            let wanted = value == "null" && isOptional ? "accepted" : "malformed"
            #expect(try verdict([name: value]) == wanted, "\(name): \(value)")
        }
        if name == "key_ops" { #expect(try verdict([name: #""sign""#]) == "malformed") }
    }

    @Test("RFC 7517 4.3: key_ops has no duplicates") func operations() throws {
        #expect(try verdict(["key_ops": #"["verify","verify"]"#]) == "malformed")
        #expect(try verdict(["key_ops": #"["verify","\u0076erify"]"#]) == "malformed")
        #expect(try verdict(["key_ops": #"["verify",1]"#]) == "malformed")
        #expect(try verdict(["key_ops": #"["verify","sign","unknown"]"#]) == "accepted")
    }

    @Test(
        "RFC 7518 2: numbers are minimal base64url",
        arguments: [
            #""""#, #""AQAB=""#, #""AQAB ""#, #""AQ+B""#, #""AQABA""#, #""AQAC\n""#,
            #""A\u0051AB""#,
        ])
    func spelling(_ value: String) throws {
        #expect(try verdict(["e": value]) == "malformed")
        #expect(try verdict(["n": value]) == "malformed")
    }

    @Test(
        "RFC 7518 6.3.1.1: leading zeros of n and e are removed if public, malformed if private"
    )
    func leadingZeros() throws {
        let plain = try KeyText.members(KeyText.publicKey())
        let normal = try JWK(json: KeyText.publicKey())
        for (name, zeros) in [("n", 1), ("n", 3), ("e", 1), ("e", 40)] {
            let bytes = try Independent.base64URL(need(plain[name]?.string))
            let padded = Independent.base64URL([UInt8](repeating: 0, count: zeros) + bytes)
            func edited(_ text: String) throws -> String {
                try VectorValue.edited(text) { $0[name] = .string(padded) }
            }
            let key = try JWK(json: edited(KeyText.publicKey()))
            #expect(try key.thumbprint() == normal.thumbprint() && key.hasLeadingZeros)
            #expect(try key.publicJSON() == normal.publicJSON() && !normal.hasLeadingZeros)
            let token = try TestToken.signed(#"{"alg":"RS256"}"#, "x")
            _ = try JWSVerifier.rs256(key).verify(token)
            let text = try edited(KeyText.privateKey())
            #expect(try Rejection.verdict { _ = try JWK(json: text) } == "malformed")
        }
        // Only zeros are not a modulus.
        for value in ["AA", "AAAA"] {
            #expect(try verdict(["n": "\"\(value)\""]) == "key-unusable")
        }
    }

    @Test(
        "exponents are odd, at least 65537 and below 2^32",
        arguments: [
            ("AA", "key-unusable"), ("AQ", "key-unusable"), ("Ag", "key-unusable"),
            ("Aw", "key-unusable"),
            ("EQ", "key-unusable"), ("AQAA", "key-unusable"), ("AP__", "key-unusable"),
            ("AAEAAQ", "accepted"),
            ("_f8", "key-unusable"),
            ("AQAB", "accepted"), ("AQAD", "accepted"), ("_____w", "accepted"),
            ("_____g", "key-unusable"),
            ("AQAAAAE", "key-unusable"),
        ])
    func exponent(_ value: String, _ wanted: String) throws {
        #expect(try verdict(["e": "\"\(value)\""]) == wanted)
    }

    @Test("RFC 7518 3.3: moduli are odd and have 2048 to 8192 bits") func modulus() throws {
        func verdict(bits: Int, last: UInt8 = 1, top: UInt8? = nil) throws -> String {
            var bytes = [UInt8](repeating: 0xa5, count: (bits + 7) / 8)
            bytes[0] = top ?? UInt8(truncatingIfNeeded: 1 << ((bits - 1) % 8))
            bytes[bytes.count - 1] = last
            return try self.verdict(["n": "\"\(Independent.base64URL(bytes))\""])
        }
        for bits in [8, 512, 1_024, 2_040, 2_047, 8_193, 8_200, 16_384, 32_768] {
            #expect(try verdict(bits: bits) == "key-unusable", "\(bits)")
        }
        for bits in [2_048, 2_049, 3_072, 4_096, 8_192] {
            #expect(try verdict(bits: bits) == "accepted", "\(bits)")
            #expect(try verdict(bits: bits, last: 2) == "key-unusable", "\(bits), even")
        }
        // A leading zero byte does not count.
        #expect(try verdict(bits: 2_056, top: 0) == "accepted")
        #expect(try verdict(bits: 2_048, top: 0) == "key-unusable")
    }

    @Test("a modulus with a small factor is rejected at the key's first use") func smallFactor()
        throws
    {
        // 3 · (an odd number): the sum of all base-256 digits is a multiple of 3.
        var bytes = [UInt8](repeating: 0xff, count: 256)
        bytes[255] = 0xfd
        let sum = bytes.reduce(0) { $0 + Int($1) } % 3
        bytes[0] = UInt8(0xff - sum)
        let members = ["kty": "RSA", "e": "AQAB", "n": Independent.base64URL(bytes)]
        let key = try JWK(json: VectorValue.object(members.mapValues { .string($0) }).json)
        expectRejection("key-unusable") { _ = try JWSVerifier.rs256(key) }
    }

    @Test("RFC 7518 6.3.2: all CRT members are present or none, and only together with d")
    func missingMembers() throws {
        let crt = ["p", "q", "dp", "dq", "qi"]
        for name in crt {
            #expect(
                try verdict([name: nil], isPrivate: true) == "key-unusable",
                "without \(name)")
            let others: [String: String?] = Dictionary(
                uniqueKeysWithValues: (crt.filter { $0 != name }).map { ($0, nil) })
            #expect(try verdict(others, isPrivate: true) == "key-unusable", "only \(name)")
        }
        #expect(try verdict(["d": nil], isPrivate: true) == "key-unusable")
        #expect(try verdict(["oth": "[]"], isPrivate: true) == "key-unusable")
        #expect(try verdict(["oth": "[]"]) == "key-unusable")
    }

    @Test("a key with only n, e and d works, and its primes are recovered")
    func recovered() throws {
        let text = try VectorValue.edited(TestKeys.signing.privateJSON()) { members in
            for name in ["p", "q", "dp", "dq", "qi"] { members[name] = nil }
        }
        let key = try JWK(json: text)
        let token = try JWSSigner(key: key, algorithm: .rs256).sign("x")
        let known = try JWSSigner(key: TestKeys.signing, algorithm: .rs256).sign("x")
        #expect(token == known)
        let written = try KeyText.members(key.privateJSON())
        let original = try KeyText.members(TestKeys.signing.privateJSON())
        let isSame = written == original
        let isSwapped = written["p"] == original["q"] && written["q"] == original["p"]
        #expect(isSame || isSwapped)
    }

    @Test(
        "catalogue 51: one changed bit in a private member is rejected",
        arguments: ["d", "p", "q", "dp", "dq", "qi"])
    func inconsistent(_ name: String) throws {
        let members = try KeyText.members(TestKeys.signing.privateJSON())
        let number = try Independent.base64URL(need(members[name]?.string))
        for index in [0, 1, number.count / 2, number.count - 1] {
            for bit in [0, 3, 7] {
                var changed = number
                changed[index] ^= 1 << UInt8(bit)
                let text = "\"\(Independent.base64URL(changed))\""
                let got = try verdict([name: text], isPrivate: true)
                #expect(
                    got == "key-unusable" || got == "malformed",
                    "\(name)[\(index)] bit \(bit): \(got)")
            }
        }
        for value in [#""""#, #""AQ""#, #""Ag""#, #""\#(Independent.base64URL(number + [1]))""#] {
            #expect(try verdict([name: value], isPrivate: true) != "accepted", "\(name): \(value)")
        }
        for value in ["1", "null", "[]"] {
            #expect(try verdict([name: value], isPrivate: true) == "malformed", "\(name): \(value)")
        }
    }

    @Test(
        "a JWK is one strict JSON object",
        arguments: [
            "", " ", "[]", "null", "1", "{}", #"{"kty":"RSA"}"#, #"{"kty":"RSA","n":"AQ"}"#,
            #"{"kty":1}"#,
        ])
    func strict(_ text: String) throws {
        #expect(try Rejection.verdict { _ = try JWK(json: text) } == "malformed")
    }

    @Test("a duplicate member, or text after the object, is malformed") func duplicates()
        throws
    {
        let text = try KeyText.publicKey()
        for changed in [
            text + "x", text + text, "[" + text + "]", text.dropLast() + #","kty":"RSA"}"#,
            text.dropLast() + #","\u006bty":"RSA"}"#, text.dropLast() + #","x":{"y":1,"y":1}}"#,
            "\u{feff}\u{feff}" + text, " \u{feff}" + text, text + "\u{feff}",
            text.replacing("\"kty\"", with: #""\u0000kty""#),
        ] { #expect(try Rejection.verdict { _ = try JWK(json: String(changed)) } == "malformed") }
        // RFC 8259 8.1: a byte order mark before a document is ignored.
        #expect(try Rejection.verdict { _ = try JWK(json: "\u{feff}" + text) } == "accepted")
        #expect(try Rejection.verdict { _ = try JWK(json: " \n" + text + "\t\r") } == "accepted")
    }

    @Test("unknown key types are unusable, whatever else they contain") func otherTypes() throws {
        for type in ["rsa", "DSA", "", "RSA "] {
            #expect(try verdict(["kty": "\"\(type)\""]) == "key-unusable", "\(type)")
        }
    }
}
