// Explanations of encrypted tokens that are rejected before decryption, and the single line for a
// failed decryption.

import JOSE
import Testing

@Suite("Why an encrypted token is rejected")
struct EncryptionExplanationTests {
    private func explain(
        _ token: String, _ keys: [JWK] = [TestKeys.decrypting],
        _ algorithms: [KeyManagementAlgorithm] = [.rsaOAEP]
    ) throws -> TokenExplanation {
        try JWTVerifier.checking(
            .any,
            .required(keys: JWKSet(keys: keys), algorithms: algorithms, content: [.a128CBCHS256]),
            signature: .insecureNotSigned
        ).explain(token, at: NumericDate(exactly: 1_760_000_000))
    }

    private func sealed(
        alg: String = "RSA-OAEP", enc: String = "A128CBC-HS256", _ more: String = ""
    ) throws -> String {
        try TestToken.encrypted(
            #"{"alg":"\#(alg)","enc":"\#(enc)","kid":"enc-1"\#(more)}"#, "{}")
    }

    @Test(
        "an algorithm that the policy does not allow",
        arguments: [
            ("RSA1_5", "The sender must encrypt with RSA-OAEP-256 or RSA-OAEP"),
            ("RSA-OAEP-256", "`algorithms:` of the encryption rule with 'RSA-OAEP-256'"),
            ("rsa-oaep", "the right name is RSA-OAEP"), ("RS256", "an algorithm of signed tokens"),
            ("A128KW", "A128KW works with oct keys; key 'enc-1' is RSA"),
            ("dir", "dir works with oct keys; key 'enc-1' is RSA"),
            ("ECDH-ES", "works with EC and OKP keys"),
            ("X", "is an unknown key management algorithm"),
        ])
    func algorithm(_ name: String, _ text: String) throws {
        let report = try explain(sealed(alg: name))
        #expect(report.error?.code == .algorithmNotAllowed)
        #expect(report.description.contains("alg is '\(name)'; the policy allows RSA-OAEP"))
        #expect(report.description.contains(text), "\(report)")
        #expect(report.advice != nil)
    }

    @Test("RSA1_5 gets no advice to allow it") func noParameter() throws {
        for name in ["RSA1_5", "none", "A128CBC", "X"] {
            let advice = try explain(sealed(alg: name)).advice
            #expect(advice?.contains("Parameter") == false, "\(name)")
        }
    }

    @Test(
        "a content encryption that the policy does not allow",
        arguments: [
            ("A256GCM", "`content:` with 'A256GCM'"),
            ("a128cbc-hs256", "the right name is A128CBC-HS256"),
            ("A128CBC", "the ciphertext is not authenticated"),
            ("X\\u202e", "'X\\u{202e}' is an unknown content encryption algorithm"),
        ])
    func content(_ name: String, _ text: String) throws {
        let report = try explain(sealed(enc: name))
        #expect(report.error?.code == .algorithmNotAllowed)
        #expect(report.description.contains(text), "\(report)")
    }

    @Test("zip is explained if the policy allows no compression") func compression() throws {
        let report = try explain(sealed(#","zip":"DEF""#))
        #expect(report.description.contains("zip is 'DEF': the content is compressed"), "\(report)")
        #expect(report.advice?.contains("`compression:` with 'DEF'") == true)
        let unknown = try explain(sealed(#","zip":"GZIP""#))
        #expect(unknown.advice?.contains("the only registered name") == true)
    }

    @Test("a kid that almost matches, or is the thumbprint of a local key, is explained")
    func keyID() throws {
        let near = try explain(sealed(), [TestKeys.named(TestKeys.decrypting, "ENC-1")])
        #expect(near.error?.code == .keyNotFound)
        #expect(near.description.contains("only in upper and lower case"), "\(near)")
        let print = try TestKeys.decrypting.thumbprint()
        let token = try TestToken.encrypted(
            #"{"alg":"RSA-OAEP","enc":"A128CBC-HS256","kid":"\#(print)"}"#, "{}")
        #expect(try explain(token).description.contains("JWK thumbprint"))
    }

    @Test("thumbprints of symmetric keys are never compared or shown") func symmetric() throws {
        let secret = try JWK.generate(.symmetric(bits: 128))
        let print = try secret.thumbprint()
        let token = try TestToken.encrypted(
            #"{"alg":"A128KW","enc":"A128CBC-HS256","kid":"\#(print)"}"#, "{}")
        let report = try explain(
            token, [TestKeys.named(secret, nil), TestKeys.decrypting], [.a128KW])
        #expect(report.error?.code == .keyNotFound)
        #expect(!report.description.contains("JWK thumbprint"))
        #expect(!report.description.contains("thumbprint \(print)"))
    }

    @Test("an allowed algorithm without a matching local key is explained") func kinds() throws {
        let token = try TestToken.encrypted(
            #"{"alg":"A128KW","enc":"A128CBC-HS256"}"#, "{}")
        let report = try explain(token, [TestKeys.decrypting], [.a128KW])
        #expect(report.description.contains("A128KW works with oct keys"), "\(report)")
    }

    @Test("public keys in place of private ones are explained") func publicKeys() throws {
        let report = try explain(sealed(), [TestKeys.decrypting.publicKey])
        #expect(report.error?.code == .keyUnusable)
        #expect(report.description.contains("none of our keys is private"), "\(report)")
    }

    @Test("a cty other than JWT is explained") func contentType() throws {
        let verifier = try JWTVerifier.checking(
            ClaimsPolicy(issuer: .any, audience: .any), .rsa(keys: [TestKeys.decrypting]),
            signature: .rs256(keys: PublicJWKSet(keys: [TestKeys.signing])))
        #expect(
            try verifier.explain(sealed()).description.contains("cty is absent, expected 'JWT'"))
        let other = try verifier.explain(sealed(#","cty":"json""#))
        #expect(other.description.contains("cty is \"json\", expected 'JWT'"))
    }

    @Test(
        "every failed decryption gives the same line, without note or advice"
    )
    func oneLine() throws {
        let token = try sealed()
        let parts = TestToken.parts(token)
        var report: Set<String> = []
        var count = 0
        for index in 1..<5 {
            for part in [
                "A" + parts[index].dropFirst(), "", String(parts[index].dropLast(4)),
                parts[index] + "AAAA", "AAAA",
            ] where part != parts[index] {
                let explanation = try explain(TestToken.replacing(index, of: token, by: part))
                guard explanation.error?.code == .decryptionFailed else {
                    #expect(explanation.error?.code == .malformed)
                    #expect(explanation.description.contains("not base64url at its end"))
                    continue
                }
                count += 1
                #expect(explanation.advice == nil && explanation.claims.isEmpty)
                report.insert(explanation.lines.map(\.description).joined(separator: "\n"))
            }
        }
        #expect(count >= 12)
        #expect(report.count == 1, "\(report)")
    }
}
