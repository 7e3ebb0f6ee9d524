// PKCS#11 keys where the tool accepts a private key file: created, used, certified.

import Foundation
import Testing

@Suite("PKCS#11 key operations") struct TokenKeyTests {
    @Test(
        "The published key verifies what the token's key signs",
        arguments: [
            ("RS256", ["RS256", "RS512", "PS256", "PS384"]), ("ES256", ["ES256"]),
            ("ES384", ["ES384"]), ("ES512", ["ES512"]), ("EdDSA", ["EdDSA", "Ed25519"]),
        ])
    func signs(_ kind: String, _ algorithms: [String]) throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", kind)
        for algorithm in algorithms {
            let signed = try token.run(
                "sign", "--key", key.uri, "--alg", algorithm, input: "hello")
            try #require(signed.code == 0, "\(signed.error)")
            let verified = try token.tool.run(
                "verify", "--key", key.published, "--alg", algorithm, signed.token)
            #expect(verified.code == 0 && verified.text == "hello", "\(verified.error)")
            let apart = try token.run(
                "sign", "--key", key.uri, "--alg", algorithm, "--detached", input: "hello")
            #expect(apart.token.contains(".."), "\(apart.error)")
        }
    }

    @Test(
        "A token's key decrypts what is encrypted to it, and rejects a changed bit",
        arguments: [
            (["--bits", "2048"], ["RSA-OAEP", "RSA-OAEP-256"]),
            (["--curve", "P-256"], ["ECDH-ES", "ECDH-ES+A256KW"]),
            (["--curve", "P-521"], ["ECDH-ES", "ECDH-ES+A128KW"]),
        ])
    func decrypts(_ kind: [String], _ algorithms: [String]) throws {
        let token = try TokenTool()
        let key = try token.makeKey("--use", "enc", kind[0], kind[1])
        for algorithm in algorithms {
            let encrypted = try token.tool.run(
                "encrypt", "--key", key.published, "--alg", algorithm, input: Data("hello".utf8))
            let opened = try token.run("decrypt", "--key", key.uri, encrypted.token)
            #expect(opened.code == 0 && opened.text == "hello", "\(opened.error)")
            for part in [3, 4] {
                let rejected = try token.run(
                    "decrypt", "--key", key.uri, tampered(encrypted.token, part: part))
                #expect(rejected.code == 1 && rejected.error.contains("decryption-failed"))
            }
        }
    }

    @Test("A nested token is sealed, opened and explained with keys in a token")
    func nested() throws {
        let token = try TokenTool()
        let signing = try token.makeKey("--alg", "ES256")
        let encryption = try token.makeKey("--use", "enc", "--bits", "2048")
        let sealed = try token.run(
            "seal", "--lifetime", "300", "--signing-key", signing.uri, "--alg", "ES256",
            "--encryption-key", encryption.published, "--key-alg", "RSA-OAEP-256",
            input: #"{"iss":"a","aud":"b","nonce":"n"}"#)
        try #require(sealed.code == 0, "\(sealed.error)")
        let policy = [
            "--decryption-keys", encryption.uri, "--verification-keys", signing.published,
        ]
        let opened = try token.run(["open", "--issuer", "a", sealed.token] + policy)
        #expect(opened.code == 0 && opened.text.contains(#""aud":"b""#), "\(opened.error)")
        let rejected = try token.run(["open", "--issuer", "z", sealed.token] + policy)
        #expect(rejected.code == 1 && rejected.error.contains("claim-rejected"))
        for (issuer, code) in [("a", Int32(0)), ("z", 1)] {
            let reported = try token.run(["explain", "--issuer", issuer, sealed.token] + policy)
            #expect(reported.code == code)
            #expect(reported.text.contains("decrypted and authenticated"))
            // The claims are shown, so the token decrypted for them too. Its absence is not a line
            // of the report.
            #expect(reported.text.contains("iss       \"a\""), "\(reported.text)")
            #expect(!reported.text.contains("private key is external"))
        }
        let profile = try token.run(
            [
                "explain", "--profile", "itsme2", "--issuer", "https://idp.example/v2",
                "--audience", "b", "--nonce", "n", sealed.token,
            ] + policy)
        #expect(profile.code == 1 && profile.text.contains("header: JWE header"))
        #expect(!profile.text.contains("private key is external"), "\(profile.text)")
    }

    @Test("A JWS may have signatures of a key in a token and of a key in a file")
    func general() throws {
        let token = try TokenTool()
        let held = try token.makeKey("--alg", "ES256")
        try token.tool.run(
            "keys", "new", "--alg", "ES256", "--out", "own.jwks", "--public", "own.public")
        let signed = try token.run(
            "sign", "--form", "general", "--key", held.uri, "--key", "own.jwks", "--alg", "ES256",
            input: "both")
        try #require(signed.code == 0, "\(signed.error)")
        try token.tool.write(signed.text, to: "token.json")
        try token.tool.run("keys", "import", "own.public", held.published, "--out", "all.jwks")
        let verified = try token.tool.run(
            "verify", "--form", "json", "--signatures", "all", "--keys", "all.jwks", "token.json")
        #expect(verified.code == 0 && verified.text == "both", "\(verified.error)")
    }

    @Test("A request, the issued chain stored in the token, and a set published from the token")
    func certified() throws {
        let token = try TokenTool()
        let tool = token.tool
        let authority = try Tool.withAuthority()
        for name in ["ca.pem", "ca.key"] { try tool.write(authority.read(name), to: name) }
        let (signing, encryption) = (
            try token.makeKey("--alg", "RS256", "--bits", "2048"),
            try token.makeKey("--use", "enc", "--curve", "P-256")
        )
        let request = try token.run(
            "keys", "certify", signing.uri, "--csr", "--subject", "CN=a,O=b", "--out", "a.csr")
        #expect(request.code == 0, "\(request.error)")
        try tool.openssl("req -in a.csr -verify -noout")
        try tool.openssl(
            "x509 -req -in a.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 40 "
                + "-copy_extensions copy -out issued.pem")
        let attached = try token.run("keys", "certify", signing.uri, "--chain", "issued.pem")
        #expect(attached.code == 0 && attached.text.contains(#""x5c":["#), "\(attached.error)")
        // Nothing is replaced in a token.
        let again = try token.run("keys", "certify", signing.uri, "--chain", "issued.pem")
        #expect(again.code == 1 && again.error.contains("has a certificate"))
        for words in [["--self-signed"], ["--ca", "ca.pem", "--ca-key", "ca.key"]] {
            let other = try token.run(["keys", "certify", signing.uri] + words)
            #expect(other.code == 1 && other.error.contains("has a certificate"), "\(other.error)")
        }
        // A key that may not sign makes no request and no self-signed certificate, but can be
        // issued one.
        for words in [["--csr"], ["--self-signed"]] {
            let none = try token.run(["keys", "certify", encryption.uri] + words)
            #expect(none.code == 1 && none.error.contains("does not sign"), "\(none.error)")
            #expect(none.error.contains("--ca") == (words == ["--csr"]), "\(none.error)")
        }
        let issued = try token.run(
            "keys", "certify", encryption.uri, "--ca", "ca.pem", "--ca-key", "ca.key", "--json")
        #expect(issued.code == 0, "\(issued.error)")
        #expect(try issued.objects().first?["jwk"] is [String: Any])

        let published = try token.run(
            "keys", "public", signing.uri, encryption.uri, "--out", "set.jwks")
        #expect(published.code == 0, "\(published.error)")
        let keys = try tool.keys("set.jwks")
        #expect(keys.compactMap { $0["use"] as? String } == ["sig", "enc"])
        #expect(keys.allSatisfy { $0["x5c"] is [String] && $0["d"] == nil })
        #expect(try tool.run("chain", "verify", "set.jwks", "--anchors", "ca.pem").code == 0)
        let result = try token.run(
            "chain", "verify", signing.uri, "--anchors", "ca.pem", "--purpose", "signature")
        #expect(result.code == 0 && result.text.contains("CN=a"), "\(result.error)")
        let lint = try token.run("keys", "lint", signing.uri, "--complete-chain")
        // The root came with the other key, and completes both chains.
        #expect(lint.code == 0, "\(lint.text)")
        let certificate = try token.run("keys", "export", signing.uri, "--certificate")
        #expect(certificate.text.hasPrefix("-----BEGIN CERTIFICATE-----"))
        let thumbprint = try token.run("keys", "thumbprint", signing.uri)
        #expect(thumbprint.token == keys.first?["kid"] as? String)
    }

    @Test("A CA whose key is in a token certifies keys of files")
    func authority() throws {
        let token = try TokenTool()
        let key = try token.makeKey("--alg", "ES256")
        let exported = try token.run("keys", "export", key.uri, "--out", "ca.public.pem")
        #expect(exported.code == 0, "\(exported.error)")
        // The token's key got a CA certificate.
        let other = try Tool.withAuthority()
        for name in ["ca.pem", "ca.key", "extensions"] {
            try token.tool.write(other.read(name), to: name)
        }
        let request = try token.run(
            "keys", "certify", key.uri, "--csr", "--subject", "CN=token", "--out", "ca.csr")
        #expect(request.code == 0, "\(request.error)")
        try token.tool.openssl(
            "x509 -req -in ca.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 40 "
                + "-extfile extensions -out token-ca.pem")
        try token.tool.run("keys", "new", "--alg", "ES256", "--out", "own.jwks", "--public", "x")
        let certified = try token.run(
            "keys", "certify", "own.jwks", "--ca", "token-ca.pem", "--ca-key", key.uri, "--out",
            "certified.jwks")
        #expect(certified.code == 0, "\(certified.error)")
        try token.tool.run("keys", "public", "certified.jwks", "--out", "open.jwks")
        let result = try token.tool.run("chain", "verify", "open.jwks", "--anchors", "ca.pem")
        #expect(result.code == 0, "\(result.text)")
    }

    @Test(
        "The demo with the client's keys in a token: the same messages, the same attacks rejected",
        arguments: [("itsme2", true), ("nets", false)])
    func demo(_ profile: String, _ isNested: Bool) throws {
        let response = try TokenTool().runDemo("--profile", profile)
        #expect(response.code == 0, "\(response.text)\(response.error)")
        #expect(
            DemoTests.reasons(response) == DemoTests.reasons(nested: isNested, assertion: true))
        #expect(response.text.contains("the client's private keys are in a PKCS#11 token"))
    }

    @Test(
        "the console examples of TokenOfYourOwn.md run as printed, in order",
        .enabled(if: !TokenTool.isOwn, "they are about SoftHSM 2"))
    func page() throws {
        let tool = try Tool()
        let commands = try Tool.consoleExamples(of: Tool.tokenArticle)
        #expect(commands.count >= 15)
        // From the page of the tool, with the key of the article.
        let sign = try Tool.consoleExamples(of: "docs/josectl.md", part: "token")
        try tool.write("hello\n", to: "payload")
        let response = try tool.runAll(
            commands + sign + ["josectl verify --key published.jwks --alg RS256 token.jws"])
        #expect(response.code == 0, "\(response.text)\(response.error)")
        #expect(try tool.keys("published.jwks").allSatisfy { $0["x5c"] is [String] })
    }
}
