// What an error names: the header parameter, the size and its limit, the algorithm, the key, the
// offset.

import JOSE
import Testing

@Suite("Errors name the parameter, key or part")
struct NamedThingTests {
    /// A header and the text that the error must contain.
    struct Row: CustomTestStringConvertible {
        let header: String
        let code: String
        let names: [String]
        var testDescription: String { header }

        init(_ header: String, _ names: String..., code: String = "malformed") {
            self.header = header
            self.code = code
            self.names = names
        }
    }

    private static let curve = Result { try JWK.generate(.curve(.p256)) }
    private static let x25519 = Result { try JWK.generate(.curve(.x25519)) }
    private static let coordinate = String(repeating: "A", count: 43)

    private func expect(_ row: Row, _ body: () throws -> Void) {
        let error = expectRejection(row.code, row.header, body)
        for name in row.names {
            #expect(error?.message.contains(name) == true, "\(name): \(error as Any)")
        }
    }

    private static let point = #""x":"\#(coordinate)","y":"\#(coordinate)""#

    /// With a valid ephemeral key and these members.
    private static func parties(_ members: String) -> String {
        #"{"alg":"ECDH-ES","enc":"A128GCM",\#(members),"epk":{"kty":"EC","crv":"P-256",\#(point)}}"#
    }

    private static func epk(_ members: String) -> String {
        #"{"alg":"ECDH-ES","enc":"A128GCM","epk":{\#(members)}}"#
    }

    @Test(
        "parameters of ECDH-ES: epk with each of its members, apu, apv",
        arguments: [
            Row(#"{"alg":"ECDH-ES","enc":"A128GCM"}"#, "epk is missing"),
            Row(#"{"alg":"ECDH-ES","enc":"A128GCM","epk":"x"}"#, "epk is not a JSON object"),
            Row(#"{"alg":"ECDH-ES","enc":"A128GCM","epk":null}"#, "epk is not a JSON object"),
            Row(epk(#""crv":"P-256",\#(point)"#), "epk.kty is missing"),
            Row(epk(#""kty":"EC",\#(point)"#), "epk.crv is missing"),
            Row(epk(#""kty":"EC","crv":"P-256","y":"\#(coordinate)""#), "epk.x is missing"),
            Row(epk(#""kty":"EC","crv":"P-256","x":"\#(coordinate)""#), "epk.y is missing"),
            Row(
                epk(#""kty":"EC","crv":"P-256","x":"AAAA","y":"\#(coordinate)""#), "epk.x",
                "3 bytes", "must have 32"),
            Row(
                epk(#""kty":"EC","crv":"P-256","x":7,"y":"\#(coordinate)""#),
                "epk.x is not a string"),
            Row(epk(#""kty":"EC","crv":"P-256","x":"=","y":"\#(coordinate)""#), "epk.x", "padding"),
            Row(epk(#""kty":"EC","crv":"P-256",\#(point),"d":"AA""#), "epk", "private member d"),
            Row(
                epk(#""kty":"OKP","crv":"P-256",\#(point)"#), "epk.crv is P-256", "kty EC",
                "epk.kty"),
            Row(
                parties(#""apu":"alice smith""#),
                "apu is not base64url", "white space at offset 5"),
            Row(parties(#""apv":"a+b/""#), "apv is not base64url", "+ or / at offset 1"),
            Row(parties(#""apu":7"#), "apu is not a string"),
            Row(parties(#""apv":["x"]"#), "apv is not a string"),
        ]) func agreement(_ row: Row) throws
    {
        let decrypter = try JWEDecrypter.with(Self.curve.get(), .ecdhES, .a128GCM)
        let token = Independent.base64URL(row.header.utf8) + "..AAAAAAAAAAAAAAAA.AAAA."
        expect(row) { _ = try decrypter.decrypt(token + String(repeating: "A", count: 22)) }
    }

    @Test("an X25519 ephemeral key has no y") func montgomery() throws {
        let decrypter = try JWEDecrypter.with(Self.x25519.get(), .ecdhES, .a128GCM)
        let row = Row(
            Self.epk(#""kty":"OKP","crv":"X25519","x":"\#(Self.coordinate)","y":"AA""#),
            "epk has the member y", "X25519")
        let token = Independent.base64URL(row.header.utf8) + "..AAAAAAAAAAAAAAAA.AAAA.AAAA"
        expect(row) { _ = try decrypter.decrypt(token) }
    }

    @Test(
        "parameters of AES-GCM key wrapping: iv and tag, missing or of a wrong size",
        arguments: [
            Row(
                #"{"alg":"A128GCMKW","enc":"A128GCM","tag":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
                "iv is missing"),
            Row(#"{"alg":"A128GCMKW","enc":"A128GCM","iv":"AAAAAAAAAAAAAAAA"}"#, "tag is missing"),
            Row(
                #"{"alg":"A128GCMKW","enc":"A128GCM","iv":"AAAA","tag":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
                "iv", "3 bytes", "must have 12"),
            Row(
                #"{"alg":"A128GCMKW","enc":"A128GCM","iv":"AAAAAAAAAAAAAAAA","tag":"AAAAAAAAAAAAAAAAAAAA"}"#,
                "tag", "15 bytes", "must have 16"),
            Row(
                #"{"alg":"A128GCMKW","enc":"A128GCM","iv":"AAAAAAAAAAAAAAA=","tag":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
                "iv is not base64url", "padding"),
            Row(
                #"{"alg":"A128GCMKW","enc":"A128GCM","iv":true,"tag":"AAAAAAAAAAAAAAAAAAAAAA"}"#,
                "iv is not a string"),
        ]) func wrapping(_ row: Row) throws
    {
        let key = try JWK(symmetricKey: [UInt8](repeating: 1, count: 16))
        let decrypter = try JWEDecrypter.with(key, .a128GCMKW, .a128GCM)
        let token = Independent.base64URL(row.header.utf8) + ".AAAA.AAAA.AAAA.AAAA"
        expect(row) { _ = try decrypter.decrypt(token) }
    }

    #if PBES2
        @Test(
            "parameters of PBES2: p2s and p2c, missing, of a wrong type or outside the limits",
            arguments: [
                Row(#"{"p2c":4096}"#, "p2s is missing"),
                Row(#"{"p2s":"AAAAAAAAAAA"}"#, "p2c is missing"),
                Row(#"{"p2s":"AAAA","p2c":4096}"#, "p2s has 3 bytes", "at least 8"),
                Row(
                    #"{"p2s":"\#(String(repeating: "A", count: 172))","p2c":4096}"#,
                    "p2s has 129 bytes", "at most 128", code: "limit-exceeded"),
                Row(#"{"p2s":"AAAAAAAAAA+","p2c":4096}"#, "p2s is not base64url"),
                Row(#"{"p2s":7,"p2c":4096}"#, "p2s is not a string"),
                Row(#"{"p2s":"AAAAAAAAAAA","p2c":"4096"}"#, "p2c is not a number"),
                Row(#"{"p2s":"AAAAAAAAAAA","p2c":1000.5}"#, "p2c is not a positive whole number"),
                Row(#"{"p2s":"AAAAAAAAAAA","p2c":-1}"#, "p2c is not a positive whole number"),
                Row(
                    #"{"p2s":"AAAAAAAAAAA","p2c":999}"#, "p2c is 999", "1,000 to 1,000,000",
                    "minIterations", code: "limit-exceeded"),
                Row(
                    #"{"p2s":"AAAAAAAAAAA","p2c":1000001}"#, "p2c is 1,000,001",
                    "maxIterations", code: "limit-exceeded"),
                Row(
                    #"{"p2s":"AAAAAAAAAAA","p2c":1e99}"#, "p2c", "maxIterations", "1,000,000",
                    code: "limit-exceeded"),
            ]) func passwords(_ row: Row) throws
        {
            let algorithm = KeyManagementAlgorithm.pbes2HS256A128KW
            let key = try JWK(symmetricKey: Array("password".utf8))
            let decrypter = try JWEDecrypter.with(key, algorithm, .a128GCM)
            let header = #"{"alg":"PBES2-HS256+A128KW","enc":"A128GCM","# + row.header.dropFirst()
            let token = Independent.base64URL(header.utf8) + ".AAAA.AAAA.AAAA.AAAA"
            expect(row) { _ = try decrypter.decrypt(token) }
        }
    #endif

    @Test(
        "members of every header: type, crit, b64, duplicates, offsets",
        arguments: [
            Row("{}", "no alg"), Row(#"{"alg":7}"#, "alg is not a string"),
            Row(#"{"alg":null}"#, "alg is not a string"),
            Row(#"{"alg":["RS256"]}"#, "alg is not a string"),
            Row(#"{"alg":"RS256","kid":7}"#, "kid is not a string"),
            Row(#"{"alg":"RS256","typ":{}}"#, "typ is not a string"),
            Row(#"{"alg":"RS256","cty":true}"#, "cty is not a string"),
            Row(#"{"alg":"RS256","zip":0}"#, "zip is not a string"),
            Row(#"{"alg":"RS256","enc":[]}"#, "enc is not a string"),
            Row(#"{"alg":"RS256","crit":[]}"#, "crit is an empty array"),
            Row(#"{"alg":"RS256","crit":"b64"}"#, "crit is not an array"),
            Row(#"{"alg":"RS256","crit":null}"#, "crit is not an array"),
            Row(#"{"alg":"RS256","crit":{"b64":1}}"#, "crit is not an array"),
            Row(#"{"alg":"RS256","crit":["x",7],"x":1}"#, "entry 2 of crit"),
            Row(#"{"alg":"RS256","crit":[""]}"#, "entry 1 of crit"),
            Row(#"{"alg":"RS256","crit":["kid"],"kid":"k"}"#, "crit lists kid", "forbids"),
            Row(#"{"alg":"RS256","crit":["x","x"],"x":1}"#, "crit lists a name twice", "entry 2"),
            Row(#"{"alg":"RS256","crit":["y"]}"#, "crit", "does not have", "entry 1"),
            Row(#"{"alg":"RS256","crit":["b64"]}"#, "crit lists b64", "does not have"),
            Row(#"{"alg":"RS256","b64":false}"#, "b64", "crit"),
            Row(#"{"alg":"RS256","b64":"false","crit":["b64"]}"#, "b64 is not true or false"),
            Row(#"{"alg":"RS256","b64":0,"crit":["b64"]}"#, "b64 is not true or false"),
            Row(#"{"alg":"RS256","b64":false,"crit":["b64"]}"#, "b64", code: "unsupported"),
            Row(
                #"{"alg":"RS256","crit":["x"],"x":1}"#, "crit", "entry 1", "'critical'",
                code: "unsupported"),
            Row(#"{"alg":"RS256","alg":"RS256"}"#, "alg occurs twice", "offset 15"),
            Row(#"{"alg":"RS256","x":1,"x":2}"#, "member occurs twice", "offset 21"),
            Row(#"{"alg":"RS256",}"#, "offset 15"),
            Row(#"{"alg":"RS256""#, "ends too early", "offset 14"),
            Row(#"["alg"]"#, "not a JSON object"), Row("", "the header", "empty"),
            Row(
                #"{"alg":"RS256","a":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}"#,
                "32 levels", "JOSELimits.jsonDepth", code: "limit-exceeded"),
        ]) func headers(_ row: Row) throws
    {
        let verifier = try JWSVerifier.rs256()
        let token = Independent.base64URL(row.header.utf8) + ".e30.AAAA"
        expect(row) { _ = try verifier.verify(token) }
    }

    @Test("algorithms: registered ones are named, others are not shown")
    func algorithms() throws {
        let rows: [(String, [SignatureAlgorithm], String)] = [
            ("RS384", [.rs256], "alg is RS384; the policy allows only RS256"),
            (
                "HS256", [.rs256, .ps256],
                "alg is HS256, made with a shared secret; the policy accepts public-key signatures "
                    + "only, such as RS256"
            ),
            (
                "EdDSA", [.rs256, .ps256, .es256],
                "alg is EdDSA, which is not one of the 3 algorithms that the policy allows"
            ),
            ("RSA-OAEP", [.rs256], "alg is RSA-OAEP, which is a key management algorithm"),
            ("A128GCM", [.rs256], "alg is A128GCM, which is a content encryption algorithm"),
            ("none", [.rs256], "alg is none, which is never accepted: the sender must sign"),
            ("rs256", [.rs256], "alg is not a registered name (names are case-sensitive)"),
            ("secret", [.rs256], "alg is not a registered name (names are case-sensitive)"),
        ]
        for (name, allowed, message) in rows {
            let verifier = try JWSVerifier(
                keys: PublicJWKSet(keys: [TestKeys.signing.publicKey]), algorithms: allowed)
            let token = Independent.base64URL("{\"alg\":\"\(name)\"}".utf8) + ".e30.AAAA"
            let error = expectRejection("algorithm-not-allowed", message: message) {
                _ = try verifier.verify(token)
            }
            // A setting is named only if it can allow the algorithm.
            let isOfLayer =
                message.contains("that the policy allows") || message.contains("policy allows only")
            #expect(error?.setting == (isOfLayer ? .signatureAlgorithms : nil))
        }
        let never = "alg is RSA1_5, which is never accepted"
        let decrypter = try JWEDecrypter(
            key: TestKeys.bare(TestKeys.decrypting), algorithms: [.rsaOAEP, .rsaOAEP256],
            content: [.a128CBCHS256])
        let cbc = "A128CBC-HS256"
        var encryption: [(String, String, String, JOSEError.Setting?)] = [
            ("RSA1_5", cbc, "\(never): use RSA-OAEP-256 or RSA-OAEP", nil),
            (
                "RSA-OAEP-512", cbc,
                "alg is RSA-OAEP-512; the policy allows only RSA-OAEP and RSA-OAEP-256",
                .keyManagementAlgorithms
            ), ("RS256", cbc, "alg is RS256, which is a signature algorithm", nil),
            (
                "RSA-OAEP", "A256GCM", "enc is A256GCM; the policy allows only \(cbc)",
                .contentAlgorithms
            ),
            ("RSA-OAEP", "x", "enc is not a registered name (names are case-sensitive)", nil),
        ]
        #if !PBES2
            let message = "alg is PBES2-HS256+A128KW, which this build lacks; "
            encryption.append(
                ("PBES2-HS256+A128KW", cbc, message + "enable the package trait PBES2", nil))
        #endif
        for (name, content, message, setting) in encryption {
            let header = "{\"alg\":\"\(name)\",\"enc\":\"\(content)\"}"
            let token = Independent.base64URL(header.utf8) + ".AAAA.AAAA.AAAA.AAAA"
            let error = expectRejection("algorithm-not-allowed", message: message) {
                _ = try decrypter.decrypt(token)
            }
            #expect(error?.setting == setting)
        }
        let zip = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","zip":"DEF"}"#
        let error = expectRejection("algorithm-not-allowed") {
            _ = try decrypter.decrypt(Independent.base64URL(zip.utf8) + ".AAAA.AAAA.AAAA.AAAA")
        }
        #expect(error?.message.contains("zip is DEF") == true && error?.setting == .compression)
    }

    @Test("keys: type, curve, use, key_ops, alg and size, with what the algorithm needs")
    func keys() throws {
        let rsa = try TestKeys.signing.publicKey
        func set(_ members: String) throws -> PublicJWKSet {
            try PublicJWKSet(json: KeyText.set([KeyText.publicKey(#""kid":"a","# + members)]))
        }
        let rows: [(PublicJWKSet, SignatureAlgorithm, String)] = [
            (try set(#""alg":"PS256""#), .rs256, "the key's alg is PS256; the token's is RS256"),
            (
                try set(#""alg":"secret-name""#), .rs256,
                "alg names no algorithm that this library knows"
            ),
            (try set(#""use":"enc""#), .rs256, "the key's use is not sig, which RS256 needs"),
            (
                try set(#""key_ops":["encrypt"]"#), .rs256,
                "the key's key_ops do not have verify, which RS256 needs"
            ),
            (try set(#""use":"sig""#), .es384, "the key is RSA; ES384 needs P-384"),
            (try set(#""use":"sig""#), .edDSA, "the key is RSA; EdDSA needs Ed25519 or Ed448"),
        ]
        for (set, algorithm, message) in rows {
            let verifier = try JWSVerifier(keys: set, algorithms: [algorithm])
            let header = "{\"alg\":\"\(algorithm)\",\"kid\":\"a\"}"
            let token = Independent.base64URL(header.utf8) + ".e30.AAAA"
            expectRejection("key-unusable", message: message) { _ = try verifier.verify(token) }
        }
        let (bare, curve) = (TestKeys.bare(rsa), try Self.curve.get())
        let short = try JWK(symmetricKey: [UInt8](repeating: 1, count: 16))
        let verifying = try JWK(json: KeyText.publicKey(#""kid":"a","key_ops":["verify"]"#))
        let signing: [(String, () throws -> Any)] = [
            (
                "signing needs a private key; this RSA key is public",
                { try JWSSigner(key: bare, algorithm: .rs256) }
            ),
            ("the key is P-256; RS256 needs RSA", { try JWSSigner(key: curve, algorithm: .rs256) }),
            (
                "the key is P-256; ES384 needs P-384",
                { try JWSVerifier(key: curve.publicKey, algorithms: [.es384]) }
            ),
            (
                "the key is RSA; ECDH-ES needs an EC, X25519 or X448 key",
                { try JWEEncrypter.with(bare, .ecdhES, .a128GCM) }
            ),
            (
                "the key's key_ops do not have encrypt or wrapKey, which RSA-OAEP needs",
                { try JWEEncrypter.with(verifying, .rsaOAEP, .a128GCM) }
            ),
            (
                "the key has 128 bits; dir with this content encryption needs 256",
                { try JWEEncrypter.with(short, .direct, .a256GCM) }
            ),
            (
                "decrypting needs a private key; this RSA key is public",
                { try JWEDecrypter.with(bare, .rsaOAEP, .a128GCM) }
            ),
        ]
        for (message, body) in signing {
            expectRejection("key-unusable", message: message) { _ = try body() }
        }
    }

    @Test("RFC 9864: EdDSA and Ed25519 are two names, in the policy and in the key's alg")
    func edwards() throws {
        let key = try JWK.generate(.curve(.ed25519), keyID: "k")
        let token = try JWSSigner(key: key, algorithm: .edDSA).sign("x")
        let full = try JWSSigner(key: key, algorithm: .ed25519).sign("x")
        func verify(_ token: String, _ own: JOSEAlgorithm?, _ policy: [SignatureAlgorithm]) throws {
            var key = try key.publicKey
            key.algorithm = own
            _ = try JWSVerifier(keys: PublicJWKSet(keys: [key]), algorithms: policy).verify(token)
        }
        for own: JOSEAlgorithm? in [nil, .edDSA] { try verify(token, own, [.edDSA]) }
        for own: JOSEAlgorithm? in [nil, .ed25519] { try verify(full, own, [.ed25519]) }
        let rows: [(String, JOSEAlgorithm?, [SignatureAlgorithm], String)] = [
            (token, "Ed25519", [.edDSA], "the key's alg is Ed25519; the token's is EdDSA"),
            (full, "EdDSA", [.ed25519], "the key's alg is EdDSA; the token's is Ed25519"),
            (token, "EdDSA", [.ed25519], "alg is EdDSA; the policy allows only Ed25519"),
            (full, "Ed25519", [.edDSA], "alg is Ed25519; the policy allows only EdDSA"),
        ]
        for (token, own, policy, message) in rows {
            let error = #expect(throws: JOSEError.self) { try verify(token, own, policy) }
            #expect(error?.message == message)
        }
    }

    @Test("the content of an encrypted token with wrong layers is named")
    func layers() throws {
        let rule = EncryptionRule.rsa()
        let nested = try JWTVerifier.checking(ClaimsPolicy(issuer: .any, audience: .any), rule)
        let encrypted = try JWTVerifier.checking(
            ClaimsPolicy(issuer: .any, audience: .any), rule, signature: .insecureNotSigned)
        let table = try JWTVerifier(
            byIssuer: [
                JWTVerifier.checking(ClaimsPolicy(issuer: "i", audience: .any))
            ], encryption: rule)
        let header = #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","cty":"JWT"}"#
        let signed = try TestToken.signed(#"{"alg":"RS256"}"#, #"{"exp":4000000000}"#)
        for text in [#"{"iss":"i"}"#, "\n {}", #"{"iss":"https://a.b.c"}"#, #"{"a":"...."}"#] {
            let token = try TestToken.encrypted(header, text)
            for read in [{ _ = try nested.verify($0) }, { _ = try table.verify($0) }]
                as [(String) throws -> Void]
            {
                let error = expectRejection("malformed") { try read(token) }
                #expect(error?.message.contains("not signed") == true, "\(error as Any)")
                #expect(error?.setting == .notSigned)
            }
        }
        let inside = expectRejection("malformed") {
            _ = try encrypted.verify(TestToken.encrypted(header, signed))
        }
        #expect(inside?.setting == .signed && inside?.message.contains("another token") == true)
        let plain = expectRejection("malformed") { _ = try nested.verify(signed) }
        #expect(plain?.setting == .notEncrypted)
        expectRejection("malformed", says: "empty") {
            _ = try nested.verify(TestToken.encrypted(header, " "))
        }
    }

    @Test("cty: absent, another value, and a policy that allows its absence")
    func contentType() throws {
        let signed = try TestToken.signed(
            #"{"alg":"RS256","kid":"sig-1"}"#, #"{"exp":4000000000,"iss":"i"}"#)
        let rule = EncryptionRule.rsa()
        func verify(_ cty: String, _ isRequired: Bool) throws {
            let token = try TestToken.encrypted(
                #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"\#(cty)}"#, signed)
            var policy = ClaimsPolicy(issuer: "i", audience: .any)
            policy.requiresContentType = isRequired
            let signature = SignatureRule.rs256()
            _ = try JWTVerifier.checking(policy, rule, signature: signature)
                .verify(token)
            _ = try JWTVerifier(
                byIssuer: [
                    JWTVerifier.checking(policy, signature: signature)
                ], encryption: rule, requiresContentType: isRequired
            ).verify(token)
        }
        for cty in [#","cty":"JWT""#, #","cty":"application/jwt""#] {
            try verify(cty, true)
            try verify(cty, false)
        }
        try verify("", false)
        let absent = expectRejection("malformed") { try verify("", true) }
        #expect(absent?.message.contains("no cty") == true && absent?.setting == .contentType)
        for isRequired in [true, false] {
            for cty in [#","cty":"json""#, #","cty":"""#, #","cty":"JWT+x""#] {
                expectRejection("malformed", says: "cty is not JWT") { try verify(cty, isRequired) }
            }
        }
    }

    @Test("a broken payload explains an invalid signature and keeps its code")
    func brokenPayload() throws {
        let verifier = try JWSVerifier.rs256()
        let token = try TestToken.signed(#"{"alg":"RS256"}"#, #"{"a":"a longer payload"}"#)
        let payload = TestToken.parts(token)[1]
        func error(_ payload: String) -> JOSEError? {
            expectRejection("signature-invalid", payload) {
                _ = try verifier.verify(TestToken.replacing(1, of: token, by: payload))
            }
        }
        for blank in ["\n", "\r\n", " ", "\t"] {
            let broken = payload.prefix(8) + blank + payload.dropFirst(8)
            #expect(error(String(broken))?.message.contains("white space at offset 8") == true)
        }
        #expect(error(payload + "=")?.message.contains("padding") == true)
        #expect(error("")?.setting == .detachedPayload)
        #expect(error(payload + "AAAA") == .signatureInvalid)
        #expect(error(payload + "!") == .signatureInvalid)
    }

    @Test("parts of a JWE that are not base64url: the part and the offset", arguments: 1...4)
    func parts(_ index: Int) throws {
        let decrypter = try JWEDecrypter.rsa()
        let token = try TestToken.encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, "x")
        let part = TestToken.parts(token)[index]
        let name = ["", "encrypted key", "iv", "ciphertext", "tag"][index]
        for (change, words) in [
            ("\n", "white space"), ("=", "padding"), ("\"", "quotation mark"), ("+", "+ or /"),
            ("!", "invalid character"),
        ] {
            let error = expectRejection("malformed", name) {
                _ = try decrypter.decrypt(
                    TestToken.replacing(
                        index, of: token, by: part.prefix(3) + change + part.dropFirst(4)))
            }
            #expect(error?.message.hasPrefix("the \(name) is not base64url: ") == true)
            #expect(error?.message.contains(words) == true, "\(error as Any)")
            #expect(error?.message.contains("offset 3") == true, "\(error as Any)")
        }
    }

    @Test("members of the JSON serialisations are named") func members() throws {
        let verifier = try JWSVerifier.rs256()
        let decrypter = try JWEDecrypter.rsa()
        let header = Independent.base64URL(#"{"alg":"RS256"}"#.utf8)
        let compact = try TestToken.signed(#"{"alg":"RS256"}"#, "{}")
        let rows: [(String, [String])] = [
            (compact, ["compact token"]),
            (#"{"payload":7,"signature":"AA"}"#, ["payload is not a string"]),
            (#"{"payload":"","protected":"\#(header)"}"#, ["needs the member signature"]),
            (
                #"{"payload":"","protected":"\#(header)","signature":"A="}"#,
                ["signature", "padding"]
            ),
            (#"{"payload":"","protected":7,"signature":"AA"}"#, ["protected is not a string"]),
            (#"{"payload":"","signatures":[]}"#, ["signatures is not an array"]),
            (#"{"payload":"","signatures":{}}"#, ["signatures is not an array"]),
            (#"{"ciphertext":"AA"}"#, ["ciphertext", "JWE"]),
            (#"{"payload":"","signature":"AA","header":{"alg":"RS256"}}"#, ["alg", "unprotected"]),
            (
                #"{"payload":"","protected":"\#(header)","signature":"AA","header":{"crit":["x"],"x":1}}"#,
                ["crit", "unprotected"]
            ),
            (#"{"payload":"","a.b":1}"#, ["dot", "offset"]), (#"{"payload":"""#, ["offset 13"]),
        ]
        for (token, names) in rows {
            let error = expectRejection("malformed", token) {
                _ = try verifier.verifyJSON(token, requiring: .any)
            }
            for name in names {
                #expect(error?.message.contains(name) == true, "\(name): \(error as Any)")
            }
        }
        for (token, name) in [
            (#"{"protected":"AA"}"#, "ciphertext"),
            (#"{"ciphertext":"AA","aad":""}"#, "aad is empty"),
            (#"{"ciphertext":"AA","iv":[]}"#, "iv is not a string"),
            (#"{"ciphertext":"AA","tag":"A"}"#, "tag is not base64url"),
            (#"{"payload":"AA"}"#, "payload"),
            (#"{"ciphertext":"AA","recipients":[]}"#, "recipients"),
        ] {
            expectRejection("malformed", token, says: name) { _ = try decrypter.decryptJSON(token) }
        }
        let many = Array(repeating: #"{"signature":"AA"}"#, count: 17).joined(separator: ",")
        expectRejection("limit-exceeded", says: "17 signatures; at most 16") {
            _ = try verifier.verifyJSON(
                #"{"payload":"","signatures":[\#(many)]}"#, requiring: .any)
        }
    }
}
