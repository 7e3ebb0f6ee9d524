// RFC 7515, 4.1.11: critical extensions that the caller understands and checks itself.

import JOSE
import Testing

@Suite("Critical extensions that the caller understands")
struct CriticalExtensionTests {
    private static let name = "https://bank.example/iat"
    private static let other = "https://bank.example/tan"
    private static let key = TestKeys.bare(TestKeys.verifying)

    private func header(_ crit: String, _ members: String = "") -> String {
        #"{"alg":"RS256","crit":\#(crit)\#(members)}"#
    }

    private let member = ",\"\(name)\":1790000000"

    private func verifier(_ critical: [String]) throws -> JWSVerifier {
        try JWSVerifier(key: Self.key, algorithms: [.rs256], critical: critical)
    }

    /// A JWE header with `crit`, and these members.
    private func encryptionHeader(_ members: String) -> String {
        #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","crit":["\#(Self.name)"]\#(members)}"#
    }

    private func decrypter(_ critical: [String]) throws -> JWEDecrypter {
        try JWEDecrypter(
            keys: JWKSet(keys: [TestKeys.bare(TestKeys.decrypting)]), algorithms: [.rsaOAEP],
            content: [.a128CBCHS256], critical: critical)
    }

    @Test("a compact JWS is accepted if the caller names every extension, and its header has it")
    func signed() throws {
        let token = try TestToken.signed(header("[\"\(Self.name)\"]", member), "payload")
        let accepting = try [
            verifier([Self.name]), verifier([Self.other, Self.name]),
            JWSVerifier(
                keys: PublicJWKSet(keys: [TestKeys.bare(TestKeys.signing.publicKey)]),
                algorithms: [.rs256], critical: [Self.name]),
        ]
        for verifier in accepting {
            // Several times: a cached header is accepted for the same reason.
            for _ in 0..<4 {
                let verified = try verifier.verify(token)
                #expect(try verified.header()[Self.name] == .integer(1_790_000_000))
            }
        }
        for critical in [[], [Self.other], [Self.name + "/"], ["\u{212a}"]] {
            let error = expectRejection("unsupported") { _ = try verifier(critical).verify(token) }
            #expect(error?.setting == .critical)
        }
    }

    @Test("every extension must be understood, however it is spelled") func all() throws {
        let both = ",\"\(Self.name)\":1,\"\(Self.other)\":2"
        let names = "[\"\(Self.name)\",\"\(Self.other)\"]"
        let token = try TestToken.signed(header(names, both), "payload")
        _ = try verifier([Self.other, Self.name]).verify(token)
        for critical in [[Self.name], [Self.other]] {
            expectRejection("unsupported") { _ = try verifier(critical).verify(token) }
        }
        let escaped = try TestToken.signed(
            #"{"alg":"RS256","crit":["\u0078y"],"x\u0079":1}"#, "payload")
        _ = try verifier(["xy"]).verify(escaped)
        expectRejection("unsupported") { _ = try verifier(["XY"]).verify(escaped) }
    }

    @Test("an invalid crit is rejected even if the caller names the extension")
    func form() throws {
        for (crit, members) in [
            ("[\"\(Self.name)\"]", ""), ("[\"\(Self.name)\",\"\(Self.name)\"]", member),
            ("[]", member), ("\"\(Self.name)\"", member), ("[\"\(Self.name)\",\"kid\"]", member),
            ("[\"\(Self.name)\",7]", member), ("null", member),
        ] {
            let token = try TestToken.signed(header(crit, members), "payload")
            expectRejection("malformed", crit) { _ = try verifier([Self.name]).verify(token) }
        }
    }

    /// The names of the IANA registry "JSON Web Signature and Encryption Header Parameters", as it
    /// was on 5 February 2026, in its order.
    private static let registry = [
        "alg", "jku", "jwk", "kid", "x5u", "x5c", "x5t", "x5t#S256", "typ", "cty", "crit", "enc",
        "zip", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c", "iss", "sub", "aud", "b64", "ppt",
        "url", "nonce", "svt", "iheSSId", "jwt", "client_id", "trust_chain", "peer_trust_chain",
    ]

    @Test("registered parameters, b64 and an empty name cannot be named as extensions")
    func registered() throws {
        let names =
            HeaderMember.allCases.map(\.rawValue.description) + Self.registry + [
                "ek", "psk_id", "",
            ]
        for name in names {
            expectRejection("misuse", name, says: "critical") {
                _ = try verifier([Self.name, name])
            }
            expectRejection("misuse", name) {
                _ = try JWEDecrypter(
                    key: TestKeys.decrypting, algorithms: [.rsaOAEP], content: [.a128GCM],
                    critical: [name])
            }
        }
        for name in ["exp", "ALG", "b64 ", "x5t#s256", "JWT", "ihessid", "http://x.example/b64"] {
            _ = try verifier([name])
        }
    }

    @Test("b64 is controlled by the payload encoding, together with any extension")
    func unencoded() throws {
        let token = try JWSSigner(key: TestKeys.bare(TestKeys.signing), algorithm: .rs256)
        let plain = try token.signUnencoded("payload")
        expectRejection("unsupported") { _ = try verifier([Self.name]).verify(plain) }
        let header = #"{"alg":"RS256","b64":false,"crit":["b64","\#(Self.name)"]\#(member)}"#
        let protected = Independent.base64URL(header.utf8)
        let body = Array("body".utf8)
        let signature = Independent.base64URL(
            try TestToken.signature(
                Array((protected + ".").utf8) + body, TestKeys.bare(TestKeys.signing), .rs256))
        let detached = protected + ".." + signature
        let verified = try verifier([Self.name]).verifyDetached(
            detached, payload: body, encodings: [.unencoded])
        #expect(try verified.header()[Self.name] == .integer(1_790_000_000))
        let encodings: [[PayloadEncoding]] = [[.unencoded], [.base64URL, .unencoded]]
        for encodings in encodings {
            expectRejection("unsupported") {
                _ = try verifier([]).verifyDetached(detached, payload: body, encodings: encodings)
            }
        }
        let error = expectRejection("unsupported") {
            _ = try verifier([Self.name]).verifyDetached(detached, payload: body)
        }
        #expect(error?.setting == .payloadEncoding)
    }

    @Test("a JWS in JSON: with and without the name, with another signature without crit")
    func json() throws {
        let payload = Independent.base64URL("payload".utf8)
        func entry(_ header: String) throws -> String {
            "{" + (try TestToken.signature(header, over: payload)) + "}"
        }
        let critical = try entry(header("[\"\(Self.name)\"]", member))
        let plain = try entry(#"{"alg":"RS256"}"#)
        func verify(
            _ entries: [String], _ names: [String], _ requirement: SignatureRequirement,
            _ encodings: [PayloadEncoding] = [.base64URL]
        ) throws -> VerifiedJSONJWS {
            let list = entries.joined(separator: ",")
            return try verifier(names).verifyJSON(
                #"{"payload":"\#(payload)","signatures":[\#(list)]}"#, requiring: requirement,
                encodings: encodings)
        }
        for encodings in [[.base64URL], [.base64URL, .unencoded]] as [[PayloadEncoding]] {
            let verified = try verify([plain, critical], [Self.name], .all, encodings)
            #expect(verified.signatures.count == 2)
            #expect(verified.signatures[1].header?[Self.name] == .integer(1_790_000_000))
            #expect(try verify([critical, plain], [], .any, encodings).signatures.count == 1)
            expectRejection("unsupported") { _ = try verify([critical], [], .any, encodings) }
            expectRejection("unsupported") {
                _ = try verify([plain, critical], [], .all, encodings)
            }
        }
        let unprotected =
            #"{"protected":"\#(Independent.base64URL(#"{"alg":"RS256"}"#.utf8))","#
            + #""header":{"crit":["\#(Self.name)"]\#(member)},"signature":"AAAA"}"#
        expectRejection("malformed") { _ = try verify([unprotected], [Self.name], .any) }
    }

    @Test("in JSON, each name of crit must be in the protected header")
    func unprotectedSignature() throws {
        let payload = Independent.base64URL("payload".utf8)
        let pair = "[\"\(Self.other)\",\"\(Self.name)\"]"
        for (crit, protectedMembers, unprotected) in [
            ("[\"\(Self.name)\"]", "", "{\(member.dropFirst())}"),
            ("[\"\(Self.name)\"]", ",\"x\":{\(member.dropFirst())}", "{\(member.dropFirst())}"),
            (pair, ",\"\(Self.other)\":1", "{\(member.dropFirst())}"),
            (pair, member, "{\"\(Self.other)\":1}"),
            (#"["\u0078y"]"#, "", #"{"x\u0079":1}"#),
        ] {
            let signature = try TestToken.signature(header(crit, protectedMembers), over: payload)
            let entry = #"\#(signature),"header":\#(unprotected)"#
            let other = try TestToken.signature(#"{"alg":"RS256"}"#, over: payload)
            for token in [
                #"{"payload":"\#(payload)",\#(entry)}"#,
                #"{"payload":"\#(payload)","signatures":[{\#(entry)}]}"#,
                #"{"payload":"\#(payload)","signatures":[{\#(other)},{\#(entry)}]}"#,
            ] {
                for names in [[Self.name, Self.other, "xy"], []] {
                    expectRejection("malformed", token, says: "protected header does not have") {
                        _ = try verifier(names).verifyJSON(token, requiring: .any)
                    }
                }
            }
            // The same parameter in the protected header is accepted.
            let whole = try TestToken.signature(
                header(crit, protectedMembers + "," + unprotected.dropFirst().dropLast()),
                over: payload)
            _ = try verifier([Self.name, Self.other, "xy"]).verifyJSON(
                #"{"payload":"\#(payload)",\#(whole)}"#, requiring: .any)
        }
    }

    @Test("the same applies to a JWE's shared and per-recipient unprotected headers")
    func unprotectedEncryption() throws {
        let (p, key, rest) = TestToken.members(
            try TestToken.encrypted(encryptionHeader(member), "plaintext"))
        let without = "\"protected\":\"\(Independent.base64URL(encryptionHeader("").utf8))\""
        let decrypter = try decrypter([Self.name])
        let own = "\"header\":{\(member.dropFirst())}"
        let shared = "\"unprotected\":{\(member.dropFirst())}"
        for members in [
            "\(key),\(own)", "\(key),\(shared)", "\"recipients\":[{\(key),\(own)}]",
            "\(shared),\"recipients\":[{\(key)}]",
            "\"recipients\":[{\(key),\(own)},{\(key),\(own)}]",
        ] {
            expectRejection("malformed", members, says: "protected header does not have") {
                _ = try decrypter.decryptJSON("{\(without),\(members),\(rest)}")
            }
        }
        for members in [key, "\"recipients\":[{\(key)}]"] {
            _ = try decrypter.decryptJSON("{\(p),\(members),\(rest)}")
        }
    }

    @Test("a JWE, compact and in JSON: it is decrypted with the name, and its header has it")
    func encrypted() throws {
        let token = try TestToken.encrypted(encryptionHeader(member), "plaintext")
        let (p, k, r) = TestToken.members(token)
        let json = "{\(p),\(k),\(r)}"
        for _ in 0..<4 {
            let opened = try decrypter([Self.name]).decrypt(token)
            #expect(try opened.header()[Self.name] == .integer(1_790_000_000))
        }
        let opened = try decrypter([Self.name]).decryptJSON(json)
        #expect(opened.header?[Self.name] == .integer(1_790_000_000))
        for critical in [[], [Self.other]] {
            expectRejection("unsupported") { _ = try decrypter(critical).decrypt(token) }
            expectRejection("unsupported") { _ = try decrypter(critical).decryptJSON(json) }
        }
    }

    @Test("a nested JWT: each layer has its own names, and both headers are returned")
    func nested() async throws {
        let signed = try TestToken.signed(
            header("[\"\(Self.name)\"]", member), #"{"exp":4000000000,"iss":"i"}"#)
        let token = try TestToken.nested(
            signed, #","crit":["\#(Self.other)"],"\#(Self.other)":"7""#)
        let now = NumericDate(exactly: 1_790_000_000)
        func verify(_ encryption: [String], _ signature: [String]) throws -> VerifiedJWT {
            try JWTVerifier.checking(
                ClaimsPolicy(issuer: "i", audience: .any),
                .required(
                    key: TestKeys.bare(TestKeys.decrypting), algorithms: [.rsaOAEP],
                    content: [.a128CBCHS256], critical: encryption),
                signature: .required(
                    key: TestKeys.bare(TestKeys.signing.publicKey), algorithms: [.rs256],
                    critical: signature)
            ).verify(token, at: now)
        }
        let verified = try verify([Self.other], [Self.name])
        #expect(try verified.header()[Self.name] == .integer(1_790_000_000))
        #expect(try verified.encryptionHeader()?[Self.other] == .string("7"))
        for (encryption, signature) in [
            ([], [Self.name]), ([Self.other], []), ([Self.name], [Self.other]),
        ] {
            expectRejection("unsupported") { _ = try verify(encryption, signature) }
        }
        func fetched(_ signature: [String]) async throws -> VerifiedJWT {
            let source = try PublicJWKSet(keys: [TestKeys.bare(TestKeys.signing.publicKey)])
            return try await AsyncJWTVerifier(
                policy: ClaimsPolicy(issuer: "i", audience: .any),
                encryption: .required(
                    keys: JWKSet(keys: [TestKeys.bare(TestKeys.decrypting)]),
                    algorithms: [.rsaOAEP], content: [.a128CBCHS256], critical: [Self.other]),
                keys: source, algorithms: [.rs256], critical: signature
            ).verify(token, at: now)
        }
        let other = try await fetched([Self.name])
        #expect(try other.encryptionHeader()?[Self.other] == .string("7"))
        await #expect(throws: JOSEError.self) { _ = try await fetched([]) }
        let plain = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: .any),
            signature: .required(
                keys: PublicJWKSet(keys: [TestKeys.bare(TestKeys.signing.publicKey)]),
                algorithms: [.rs256], critical: [Self.name])
        ).verify(signed, at: now)
        #expect(try plain.encryptionHeader() == nil && plain.header()[Self.name] != nil)
    }
}
