// The README's Swift block is compiled, run, and the same text as the file that is compiled.

import Foundation
import JOSE
import Testing

@Suite("README")
struct ReadmeTests {
    private static let root = VectorFile.folder.deletingLastPathComponent()

    private func text(_ path: String, from begin: String, to end: String) throws -> Substring {
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        let start = try need(text.range(of: begin)?.upperBound)
        return text[start..<(try need(text[start...].range(of: end)?.lowerBound))]
    }

    @Test("the example of the README is the one that is compiled") func sameText() throws {
        let readme = try text(
            "README.md", from: "<!-- example: begin -->\n```swift\n",
            to: "```\n<!-- example: end -->")
        let compiled = try text(
            "Tests/JOSETests/ReadmeExample.swift", from: "// example: begin\n",
            to: "// example: end")
        #expect(readme == compiled)
        #expect(readme.split(separator: "\n").count > 10)
    }

    @Test("the example does what it says") func runs() throws {
        let ours = JWKSet([
            TestKeys.named(TestKeys.client, "our-sig", use: .signature),
            TestKeys.named(TestKeys.decrypting, "our-enc", use: .encryption),
        ])
        let theirs = JWKSet([
            TestKeys.named(TestKeys.signing, "their-sig", use: .signature),
            TestKeys.named(TestKeys.stranger, "their-enc", use: .encryption),
        ])
        let issuer = try JWTIssuer(signingWith: theirs.key(use: .signature), algorithm: .rs256)
        let claims = """
            {"iss":"https://idp.example","aud":"client-1","sub":"alice","nonce":"n-0S6","exp":4102444800}
            """
        let recipient = try JWTRecipient(
            ours.key(use: .encryption).publicKey, algorithm: .rsaOAEP256, content: .a128CBCHS256)
        let idToken = try issuer.issue(json: Array(claims.utf8), encryptedFor: recipient)
        let jws = try JWSSigner(theirs.key(use: .signature), algorithm: .rs256).sign("payload")
        try example(
            theirJSON: theirs.publicKeys.json(), ourPrivateJSON: ours.privateJSON(), jws: jws,
            idToken: idToken)
    }
}
