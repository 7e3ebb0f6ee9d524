// Runs the README's Swift code, which PageBlockTests finds compiled.

import Foundation
import JOSE
import JOSEBytes
import Testing

@Suite("README")
struct ReadmeTests {
    @Test("the nested JWT: each side decrypts and verifies what the other issued") func nested()
        throws
    {
        func keys(_ signing: JWK, _ decrypting: JWK) -> JWKSet {
            JWKSet(keys: [
                TestKeys.named(signing, "sig", use: .signature),
                TestKeys.named(decrypting, "enc", use: .encryption),
            ])
        }
        let client = keys(TestKeys.client, TestKeys.decrypting)
        let provider = keys(TestKeys.signing, TestKeys.stranger)
        func issuer(_ keys: JWKSet) throws -> JWTIssuer {
            try JWTIssuer(
                key: keys.key(use: .signature), algorithm: .rs256, lifetime: .seconds(300))
        }
        let claims = [
            "iss": "https://partner.example", "aud": "https://idp.example", "sub": "alice",
        ]
        let sent = try nestedToken(
            issuer(provider), claims, theirs: client.publicKeys, ours: provider)
        let received = try nestedToken(
            issuer(client), claims, theirs: provider.publicKeys, ours: client)
        #expect(try received.verifier.verify(sent.nested).subject == "alice")
        #expect(try sent.verifier.verify(received.nested).subject == "alice")
        let signed = try issuer(provider).issue(claims)
        expectRejection("malformed") { _ = try received.verifier.verify(signed) }
    }

    @Test("the first program issues and verifies a JWT") func first() throws {
        #expect(try firstToken() == "alice")
    }

    @Test("a key published by one recipe is trusted by the other") func recipes() throws {
        let now = NumericDate.now.seconds
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger)) {
            ($0.start, $0.end) = (now - 100, now + 1_000)
        }
        let leaf = try root.leaf(TestKeys.signing) { ($0.start, $0.end) = (now - 10, now + 100) }
        func pem(_ der: [UInt8]) -> [UInt8] {
            let text = StandardBase64.encode(der.span)
            return Array("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8)
        }
        let ours = JWKSet(keys: [
            TestKeys.named(TestKeys.signing, "sig", use: .signature),
            TestKeys.named(TestKeys.decrypting, "enc", use: .encryption),
        ])
        let json = try publish(
            privateJSON: ours.privateJSON(), issuedPEM: pem(root.certificate) + pem(leaf))
        #expect(json.contains("x5t#S256") && !json.contains("\"d\""))
        let token = try JWTIssuer(
            key: ours.key(use: .signature), algorithm: .rs256, lifetime: .seconds(60)
        ).issue(["iss": "https://idp.example", "aud": "client-1", "sub": "alice"])
        let verifier = try trusting(rootPEM: pem(root.certificate), theirJSON: json)
        #expect(try verifier.verify(token)["sub"] == .string("alice"))
        let other = try TestAuthority(TestKeys.bare(TestKeys.client)) {
            ($0.start, $0.end) = (now - 100, now + 1_000)
        }
        let stranger = try trusting(rootPEM: pem(other.certificate), theirJSON: json)
        expectRejection("untrusted-key") { _ = try stranger.verify(token) }
    }
}
