// Explanations line by line: the steps, their order and their results.

import JOSE
import JOSECrypto
import Testing

@Suite("Complete explanations")
struct WholeExplanationTests {
    private static let now: Int64 = 1_760_000_000
    private static let payload = Independent.base64URL("hello".utf8)

    private func lines(_ explanation: TokenExplanation) -> [String] {
        explanation.lines.map(\.description)
    }

    private func tokenHash(_ value: String) throws -> String {
        let bytes = Array(value.utf8)
        return Independent.base64URL(try Hash.digest(.sha256, bytes.span).prefix(16))
    }

    @Test("a signed token with every check") func signed() throws {
        var policy = ClaimsPolicy(issuer: "i", audience: "a")
        policy.requiredClaims = ["exp", "x"]
        policy.maxLifetimeSeconds = 600
        policy.authorizedParty = "c"
        var expectation = ClaimsExpectation(nonce: "n", subject: "s", accessToken: "token")
        expectation.code = "code"
        let verifier = try JWTVerifier.checking(
            policy,
            signature: .rs256(keys: PublicJWKSet(keys: [TestKeys.signing, TestKeys.decrypting])))
        let token = try TestToken.signed(
            #"{"alg":"RS256","kid":"sig-1"}"#,
            """
            {"iss":"i","aud":"a","azp":"c","sub":"s","nonce":"n","x":1,\
            "iat":\(Self.now - 10),"nbf":\(Self.now - 10),"exp":\(Self.now + 300),\
            "at_hash":"\(tokenHash("token"))","c_hash":"\(tokenHash("code"))"}
            """)
        let explanation = verifier.explain(
            token, expecting: expectation, at: NumericDate(exactly: Self.now))
        #expect(explanation.error == nil)
        #expect(
            lines(explanation) == [
                #"ok  header: JWS header {"alg":"RS256","kid":"sig-1"}"#,
                "ok  algorithm: RS256 is allowed", "    key: key 'sig-1' is eligible",
                "    key: key 'enc-1' skipped: the key's use is not sig, which RS256 needs",
                "ok  signature: the signature verifies",
                "ok  claims: exp is required and present", "ok  claims: x is required and present",
                "ok  claims: iss is the expected issuer",
                "ok  claims: aud names the expected audience",
                "ok  claims: exp is in the future, with a leeway of 60 s",
                "ok  claims: nbf is in the past, with a leeway of 60 s",
                "ok  claims: iat is in the past, with a leeway of 60 s",
                "ok  claims: exp is at most 600 s after iat",
                "ok  claims: sub is the expected subject",
                "ok  claims: nonce is the nonce that was sent",
                "ok  claims: azp is absent, or the client or a trusted audience",
                "ok  claims: at_hash matches the value that came with the token",
                "ok  claims: c_hash matches the value that came with the token",
                "ok  claims: the claims satisfy the policy: accepted",
            ])
    }

    @Test("an encrypted token with no check") func encrypted() throws {
        let verifier = try JWTVerifier.checking(.any, .rsa(), signature: .insecureNotSigned)
        let token = try TestToken.encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, "{}")
        let explanation = verifier.explain(token, at: NumericDate(exactly: Self.now))
        #expect(explanation.error == nil)
        let opening = [
            #"ok  header: JWE header {"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#,
            "ok  algorithm: RSA-OAEP with A128CBC-HS256 is allowed",
            "    key: key 'enc-1' is eligible", "ok  decryption: decrypted and authenticated",
        ]
        let claims = ["iss", "aud", "sub", "nonce", "azp", "at_hash", "c_hash"].map {
            "    claims: \($0) has no expected value, only its type is checked"
        }
        let end = ["ok  claims: the claims satisfy the policy: accepted"]
        #expect(lines(explanation) == opening + claims + end)
    }

    @Test("a hash that is absent and not required is not reported as a match")
    func absentHash() throws {
        let verifier = try JWTVerifier.checking(
            .any, signature: .rs256(TestKeys.bare(TestKeys.signing.publicKey)))
        let token = try TestToken.signed(#"{"alg":"RS256"}"#, "{}")
        let explanation = verifier.explain(
            token, expecting: ClaimsExpectation(accessToken: "token"),
            at: NumericDate(exactly: Self.now))
        #expect(explanation.error == nil)
        let hashes = lines(explanation).filter { $0.contains("_hash") }
        #expect(
            hashes == [
                "    claims: at_hash is absent, and not required",
                "    claims: c_hash has no expected value, only its type is checked",
            ])
    }

    @Test("a rejection is the last line") func rejected() throws {
        let verifier = try JWTVerifier.checking(
            ClaimsPolicy(issuer: "i", audience: "a"),
            signature: .rs256(TestKeys.bare(TestKeys.signing.publicKey)))
        let token = try TestToken.signed(#"{"alg":"RS256"}"#, #"{"iss":"x","exp":1}"#)
        let explanation = verifier.explain(token, at: NumericDate(exactly: Self.now))
        #expect(explanation.error?.claim == "iss")
        #expect(
            lines(explanation) == [
                #"ok  header: JWS header {"alg":"RS256"}"#, "ok  algorithm: RS256 is allowed",
                "    key: a key without kid is eligible", "ok  signature: the signature verifies",
                "ok  claims: exp is required and present", "    claims: iss is 'x', expected 'i'",
                "NO  claims: claim iss: it is not the expected issuer",
            ])
    }

    @Test("a cached header is explained like a new one") func known() throws {
        let signed = try JWTVerifier.checking(
            .any, signature: .rs256(TestKeys.bare(TestKeys.signing.publicKey)))
        let encrypted = try JWTVerifier.checking(.any, .rsa(), signature: .insecureNotSigned)
        for (verifier, token) in [
            (signed, try TestToken.signed(#"{"alg":"RS256"}"#, "{}")),
            (
                encrypted,
                try TestToken.encrypted(#"{"alg":"RSA-OAEP","enc":"A128CBC-HS256"}"#, "{}")
            ),
        ] {
            let now = try need(NumericDate(exactly: Self.now))
            let first = lines(verifier.explain(token, at: now))
            #expect(first.count == 12)
            for _ in 0..<3 { _ = try verifier.verify(token, at: now) }
            #expect(lines(verifier.explain(token, at: now)) == first)
        }
    }

    @Test(
        "a key whose kid differs from the token's is not called eligible", arguments: [false, true])
    func otherKeyID(isNested: Bool) throws {
        let named = ["k", "K", "k2"].map { TestKeys.named(TestKeys.signing, $0) }
        let nameless = TestKeys.bare(TestKeys.client)
        let token = try TestToken.signed(#"{"alg":"RS256","kid":"\u006b"}"#, "{}")
        let other = "skipped: the token names another kid"
        func keyLines(_ explanation: TokenExplanation) -> [String] {
            explanation.lines.filter { $0.step == .key && $0.outcome == .note }.map(\.text)
        }
        guard isNested else {
            let set = try JWTVerifier.checking(
                signature: .rs256(keys: PublicJWKSet(keys: named + [nameless])))
            #expect(
                keyLines(set.explain(token)) == [
                    "key 'k' is eligible", "key 'K' \(other)", "key 'k2' \(other)",
                    "a key without kid \(other)",
                ])
            // A single key: its kid counts if it has one.
            for (key, lines) in [
                (named[0], ["key 'k' is eligible"]),
                (named[2], ["key 'k2' \(other)", "no key has the kid 'k'"]),
                (nameless, ["a key without kid is eligible"]),
            ] {
                let one = try JWTVerifier.checking(signature: .rs256(key.publicKey))
                #expect(keyLines(one.explain(token)) == lines)
            }
            return
        }
        let ours = ["e", "e2"].map { TestKeys.named(TestKeys.decrypting, $0) }
        let opener = try JWTVerifier.checking(
            ClaimsPolicy(issuer: .any, audience: .any),
            .required(
                keys: JWKSet(keys: ours + [TestKeys.bare(TestKeys.large)]), algorithms: [.rsaOAEP],
                content: [.a128CBCHS256]), signature: .rs256(keys: PublicJWKSet(keys: named)))
        let sealed = try TestToken.encrypted(
            #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","cty":"JWT","kid":"e"}"#, token)
        #expect(
            keyLines(opener.explain(sealed)) == [
                "key 'e' is eligible", "key 'e2' \(other)", "a key without kid \(other)",
                "key 'k' is eligible", "key 'K' \(other)", "key 'k2' \(other)",
            ])
    }

    // MARK: JSON serialisations

    private func entry(_ header: String, _ key: JWK) throws -> String {
        "{" + (try TestToken.signature(header, over: Self.payload, by: key)) + "}"
    }

    @Test("signatures of a JSON token: skipped, not required, verified") func signatures()
        throws
    {
        let verifier = try JWSVerifier.rs256(
            keys: PublicJWKSet(keys: [TestKeys.signing, TestKeys.client]))
        let other = try entry(#"{"alg":"RS384"}"#, TestKeys.signing)
        let first = try entry(#"{"alg":"RS256","kid":"sig-1"}"#, TestKeys.signing)
        let second = try entry(#"{"alg":"RS256","kid":"client-1"}"#, TestKeys.client)
        func told(_ entries: [String], _ requirement: SignatureRequirement) -> [String] {
            let list = entries.joined(separator: ",")
            let token = "{\"payload\":\"\(Self.payload)\",\"signatures\":[\(list)]}"
            return lines(verifier.explainJSON(token, requiring: requirement))
        }
        func chosen(_ name: String) -> [String] {
            [
                "ok  header: JWS header {\"alg\":\"RS256\",\"kid\":\"\(name)\"}",
                "ok  algorithm: RS256 is allowed",
            ]
                + ["sig-1", "client-1"].map {
                    let other = "skipped: the token names another kid"
                    return "    key: key '\($0)' \($0 == name ? "is eligible" : other)"
                }
        }
        let skipped = [
            #"ok  header: JWS header {"alg":"RS384"}"#,
            "    algorithm: signature 1 skipped: alg is RS384; the policy allows only RS256",
        ]
        let end = ["ok  signature: the token has the required signatures: accepted"]
        let note = ["    signature: signature 2 is by a key that is not required"]
        func verified(_ number: Int) -> [String] {
            ["ok  signature: signature \(number) verifies"]
        }
        func expect(_ told: [String], _ wanted: [[String]]) {
            #expect(told == Array(wanted.joined()))
        }
        expect(told([other, first], .any), [skipped, chosen("sig-1"), verified(2), end])
        expect(
            told([first, second], .all),
            [chosen("sig-1"), chosen("client-1"), verified(1), verified(2), end])
        expect(
            told([other, first, second], .each(of: ["client-1"])),
            [skipped, chosen("sig-1"), note, chosen("client-1"), verified(3), end])
        let missing = [
            "    signature: signature 1 is by a key that is not required",
            "NO  signature: the token has no signature of a key that must have signed",
        ]
        expect(told([first], .each(of: ["client-1"])), [chosen("sig-1"), missing])
    }

    @Test("recipients of a JSON token: skipped, decrypted") func recipients() throws {
        let decrypter = try JWEDecrypter.rsa()
        let (p, k, r) = TestToken.members(
            try TestToken.encrypted(#"{"enc":"A128CBC-HS256"}"#, "x"))
        let recipients = ["RSA1_5", "RSA-OAEP"].map { #"{"header":{"alg":"\#($0)"},\#(k)}"# }
        let token = "{\(p),\(r),\"recipients\":[\(recipients.joined(separator: ","))]}"
        #expect(
            lines(decrypter.explainJSON(token)) == [
                "    algorithm: recipient 1 skipped: alg is RSA1_5, which is never accepted: use RSA-OAEP-256 or RSA-OAEP",
                "ok  algorithm: RSA-OAEP with A128CBC-HS256 is allowed",
                "    key: a key without kid is eligible",
                "ok  decryption: decrypted and authenticated",
            ])
    }
}
