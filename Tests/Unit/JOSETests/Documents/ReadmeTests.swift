// The README's Swift, which PageBlockTests finds compiled, does what it says.

import Foundation
import JOSE
import JOSEBytes
import Testing

@Suite("README")
struct ReadmeTests {
    @Test("the example does what it says") func runs() throws {
        let ours = JWKSet(keys: [
            TestKeys.named(TestKeys.client, "our-sig", use: .signature),
            TestKeys.named(TestKeys.decrypting, "our-enc", use: .encryption),
        ])
        let theirs = JWKSet(keys: [
            TestKeys.named(TestKeys.signing, "their-sig", use: .signature),
            TestKeys.named(TestKeys.stranger, "their-enc", use: .encryption),
        ])
        let issuer = try JWTIssuer(key: theirs.key(use: .signature), algorithm: .rs256)
        let claims = """
            {"iss":"https://idp.example","aud":"client-1","sub":"alice","nonce":"n-0S6","exp":4102444800}
            """
        let recipient = try JWTRecipient(
            key: ours.key(use: .encryption).publicKey, algorithm: .rsaOAEP256,
            content: .a128CBCHS256)
        let idToken = try issuer.issue(json: Array(claims.utf8), encryptedFor: recipient)
        let jws = try JWSSigner(key: theirs.key(use: .signature), algorithm: .rs256).sign("payload")
        let sealed = try example(
            theirJSON: theirs.publicKeys.json(), ourPrivateJSON: ours.privateJSON(), jws: jws,
            idToken: idToken)
        // The other side judges by the same kind of verifier, the names the other way round.
        let reader = try JWTVerifier(
            issuer: "client-1", audience: "https://idp.example",
            encryption: .required(
                keys: theirs, algorithms: [.rsaOAEP256], content: [.a128CBCHS256]),
            signature: .required(keys: ours.publicKeys, algorithms: [.rs256]))
        let read = try reader.verify(sealed)
        #expect(read.subject == "alice")
        let (issued, ends) = (try need(read.issuedAt), try need(read.expiration))
        #expect(ends == issued.advanced(by: .seconds(300)))
    }

    @Test("the first page: a token, verified") func first() throws {
        #expect(try firstToken() == "hello")
    }

    @Test("published by one recipe, trusted by the other") func recipes() throws {
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
