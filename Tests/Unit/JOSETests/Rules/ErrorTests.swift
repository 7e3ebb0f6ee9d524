// An error, an explanation and a printed value show nothing of tokens, keys or plaintext that they
// must not show (catalogue 78, 119).

import JOSE
import Testing

@Suite("Errors and printed values")
struct ErrorTests {
    private static let marker = "Xq7MARKERq7X"

    /// All printed forms of a value.
    static func printed(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        let children = Mirror(reflecting: value).children.map { "\($0.label ?? ""): \($0.value)" }
        return ["\(value)", String(reflecting: value), dumped, children.joined(separator: "\n")]
            .joined(separator: "\n")
    }

    @Test(
        "RFC 7516 11.5: s075 to s082 give one identical error and one explanation line"
    )
    func uniform() throws {
        let attacks = try VectorFile.named("attacks.json").negative
        let cases = attacks.filter {
            ($0.catalogue ?? 0) >= 75 && ($0.catalogue ?? 0) <= 82
                && HostileTests.verdicts[$0.id]?.string == "decryption-failed"
        }
        #expect(cases.count == 58)
        let key = TestKeys.decrypting
        let decrypter = try AttackRunner.decrypter(key)
        let verifier = try JWTVerifier.checking(
            ClaimsPolicy(issuer: .any, audience: .any), .rsa(key), signature: .insecureNotSigned)
        var texts: Set<String> = []
        var lines: Set<[String]> = []
        for attack in cases {
            let token = try need(attack["compact"])
            let error = expectRejection("decryption-failed", attack.id) {
                _ = try decrypter.decrypt(token)
            }
            #expect(error == .decryptionFailed)
            texts.insert(Self.printed(error as Any))
            let explanation = verifier.explain(token)
            #expect(explanation.error == .decryptionFailed, "\(attack.id)")
            lines.insert(explanation.lines.filter { $0.step == .decryption }.map(\.description))
            #expect(explanation.lines.last?.step == .decryption)
        }
        #expect(texts.count == 1)
        #expect(lines == [["NO  decryption: decryption failed"]])
    }

    @Test("no error for a hostile input contains text of the input") func allErrors() throws {
        var seen: Set<String> = []
        for attack in try VectorFile.named("attacks.json").negative {
            guard case .rejected(let error) = try AttackRunner(attack).ending() else { continue }
            seen.insert(Self.printed(error))
        }
        #expect(seen.count > 25)
        // One sentence with different numbers, offsets and registered names.
        #expect(seen.count < 240, "not one for each of the 1,604 inputs")
        for text in seen {
            for part in [
                "eyJ", "https", "alice", "sig-1", "enc-1", "attacker", "n-0S6", "JOSEError(code",
            ] {
                #expect(!text.contains(part), "\(text)")
            }
        }
    }

    @Test("planted text never appears in an error") func planted() throws {
        let marker = Self.marker
        let verifier = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: "a"),
            signature: .rs256(keys: PublicJWKSet(keys: [TestKeys.signing])))
        var tokens = [marker, "\(marker).\(marker).\(marker)"]
        for header in [
            #"{"alg":"\#(marker)"}"#, #"{"alg":"RS256","kid":"\#(marker)"}"#,
            #"{"alg":"RS256","typ":"\#(marker)"}"#,
            #"{"alg":"RS256","crit":["\#(marker)"],"\#(marker)":1}"#,
            #"{"alg":"RS256","\#(marker)":1,"\#(marker)":1}"#,
            "\(marker)", #"{"alg":"RS256","kid":"sig-1","x":"\#(marker)"}"#,
        ] { tokens.append(try TestToken.signed(header, "{}")) }
        for claims in [
            marker, #"{"iss":"\#(marker)"}"#, #"{"exp":2000000000,"iss":"i","aud":"\#(marker)"}"#,
            #"{"exp":"\#(marker)"}"#,
            #"{"exp":2000000000,"iss":"i","aud":"a","sub":["\#(marker)"]}"#,
            #"{"\#(marker)":1,"\#(marker)":2}"#,
        ] { tokens.append(try TestToken.signed(#"{"alg":"RS256","kid":"sig-1"}"#, claims)) }
        for token in tokens {
            let now = try need(NumericDate(exactly: 1_760_000_000))
            let error = #expect(throws: JOSEError.self) { try verifier.verify(token, at: now) }
            #expect(!Self.printed(error as Any).contains(marker))
        }
        for json in [
            marker, #"{"\#(marker)":1,"\#(marker)":1}"#,
            #"{"kty":"RSA","kid":["\#(marker)"]}"#,
        ] {
            let attempts: [() throws -> Void] = [
                { _ = try JWK(json: json) }, { _ = try JWKSet(json: json) },
                { _ = try PublicJWKSet(json: json) },
            ]
            for attempt in attempts {
                let error = #expect(throws: JOSEError.self) { try attempt() }
                #expect(!Self.printed(error as Any).contains(marker))
            }
        }
        // Of a skipped key only the kid is shown.
        for entry in [
            #"{"kty":"\#(marker)","kid":"a"}"#, #"{"kty":"RSA","n":"\#(marker)=","e":"AQAB"}"#,
            #"{"kty":"RSA","kid":"a","alg":"\#(marker)"}"#, #""\#(marker)""#,
            #"{"\#(marker)":1,"\#(marker)":2}"#,
        ] {
            let set = try PublicJWKSet(json: #"{"keys":[\#(entry)]}"#)
            #expect(set.skipped.count == 1 && !Self.printed(set.skipped).contains(marker))
        }
    }

    @Test("keys, signers, verifiers and decrypted tokens print constants") func constants() throws {
        let signer = try JWSSigner(key: TestKeys.signing, algorithm: .rs256)
        let encrypter = try JWEEncrypter.rsa()
        let decrypter = try AttackRunner.decrypter(TestKeys.decrypting)
        let verifier = try JWSVerifier.rs256(TestKeys.signing.publicKey)
        let policy = ClaimsPolicy(issuer: .any, audience: .any)
        let opener = try JWTVerifier.checking(policy, .rsa())
        let issuer = try JWTIssuer(key: TestKeys.signing, algorithm: .rs256)
        let recipient = try JWTRecipient.rsa()
        let json = Array(#"{"exp":4102444800,"x":"\#(Self.marker)"}"#.utf8)
        let token = try issuer.issue(json: json, encryptedFor: recipient)
        let other = TestKeys.bare(TestKeys.client)
        let values: [(Any, Any)] = [
            (TestKeys.signing, TestKeys.client),
            (try TestKeys.signing.publicKey, try TestKeys.client.publicKey),
            (JWKSet(keys: [TestKeys.signing]), JWKSet(keys: [TestKeys.client])),
            (try PublicJWKSet(keys: [TestKeys.signing]), try PublicJWKSet(keys: [TestKeys.client])),
            (signer, try JWSSigner(key: TestKeys.client, algorithm: .rs256)),
            (verifier, try JWSVerifier.rs256(TestKeys.client.publicKey)),
            (encrypter, try JWEEncrypter.with(other.publicKey, .rsaOAEP256, .a128CBCHS256)),
            (decrypter, try AttackRunner.decrypter(other)),
            (issuer, try JWTIssuer(key: TestKeys.client, algorithm: .rs256)),
            (recipient, try JWTRecipient.rsa(other)),
            (try decrypter.decrypt(token), try decrypter.decrypt(encrypter.encrypt("another"))),
            (
                try opener.verify(token),
                try opener.verify(
                    issuer.issue(json: Array(#"{"exp":4102444800}"#.utf8), encryptedFor: recipient))
            ),
            (try verifier.verify(signer.sign(json)), try verifier.verify(signer.sign("another"))),
        ]
        let rule = EncryptionRule.rsa()
        #expect(Self.printed(rule) == Self.printed(EncryptionRule.notEncrypted))
        let signature = SignatureRule.rs256()
        #expect(Self.printed(signature) == Self.printed(SignatureRule.insecureNotSigned))
        #expect(Self.printed(opener) == "JWTVerifier\nJWTVerifier\n- JWTVerifier\n\n")
        let expectation = ClaimsExpectation(nonce: Self.marker, accessToken: Self.marker)
        #expect(Self.printed(expectation) == Self.printed(ClaimsExpectation.none))
        for (value, other) in values {
            let text = Self.printed(value)
            #expect(text == Self.printed(other), "\(type(of: value)) prints its contents")
            #expect(!text.contains(Self.marker) && !text.contains("sig-1"))
            #expect(
                Mirror(reflecting: value).children.isEmpty, "\(type(of: value)) shows its parts")
        }
    }

    @Test("codes and steps have stable names") func names() {
        let codes: [(JOSEError.Code, String)] = [
            (.malformed, "malformed"), (.limitExceeded, "limit-exceeded"),
            (.unsupported, "unsupported"),
            (.algorithmNotAllowed, "algorithm-not-allowed"), (.keyUnusable, "key-unusable"),
            (.keyNotFound, "key-not-found"), (.untrustedKey, "untrusted-key"),
            (.signatureInvalid, "signature-invalid"),
            (.decryptionFailed, "decryption-failed"), (.claimRejected, "claim-rejected"),
            (.replayed, "replayed"),
            (.misuse, "misuse"), (.internal, "internal"), (.unavailable, "unavailable"),
        ]
        for (code, name) in codes { #expect(code.name == name) }
        #expect(Set(codes.map(\.0)).count == codes.count)
        // Errors inside a DPoP proof say so; an outage, an internal error and a caller's mistake
        // keep their step.
        #expect(JOSEError.Step.proof.name == "proof")
        let inside = JOSEError.claimRejected("htu", "x").with(step: .proof)
        #expect(inside.step == .proof && inside.claim == "htu" && inside.code == .claimRejected)
        for error in [
            JOSEError.unavailable(.keySet, "x"), .misuse("x"), .internalFailure,
        ] { #expect(error.with(step: .proof) == error) }
        let errors: [JOSEError] = [
            .decryptionFailed, .signatureInvalid, .algorithmNotAllowed, .decryptionFailed,
            .claimRejected("a", "x"), .claimRejected("b", "x"), .claimRejected("a", "x"),
        ]
        #expect(Set(errors).count == 5)
        #expect(
            JOSEError.claimRejected("a\nb", "x").description
                == "claim-rejected at claims: claim a\\u{a}b: x")
    }
}
