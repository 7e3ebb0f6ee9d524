// keys lint on certificates: errors that every verifier must reject, and warnings.

import Foundation
import Testing

@Suite("Certificate chain lint") struct ChainLintTests {
    private let tool: Tool

    init() throws {
        tool = try Tool.withAuthority()
        let response = try tool.run(
            "keys", "certify", "private.jwks", "--ca", "ca.pem", "--ca-key", "ca.key", "--days",
            "60", "--out", "own.jwks")
        #expect(response.code == 0, "\(response.error)")
        try tool.run("keys", "public", "own.jwks", "--out", "open.jwks")
    }

    /// Exit code and output of lint for the changed signing key of the set.
    private func lint(
        _ options: String..., change: (inout [String: Any]) throws -> Void
    ) throws -> Response {
        var key = try tool.keys("open.jwks")[0]
        try change(&key)
        try tool.write(keys: [key], to: "changed.jwks")
        return try tool.run(["keys", "lint", "changed.jwks"] + options)
    }

    /// A certificate for the signing key, issued by the CA with openssl.
    private func issued(_ options: String, extensions: String) throws -> String {
        let kid = try SharedKeys.kid(0)
        try tool.run(
            "keys", "certify", "private.jwks", "--csr", "--kid", kid, "--out", "a.csr", "--force")
        try tool.write(extensions + "\n", to: "a.ext")
        try tool.openssl(
            "x509 -req -in a.csr -CA ca.pem -CAkey ca.key -set_serial 9 -extfile a.ext -outform DER "
                + "-out a.der " + options)
        return try Data(contentsOf: tool.url("a.der")).base64EncodedString()
    }

    @Test("A good chain passes, and a chain that expires soon is a warning") func good() throws {
        let good = try lint { _ in }
        #expect(good.code == 0, "\(good.text)")
        // The CA's own certificate expires in 30 days.
        #expect(good.text.contains("expires on") == true)
        let lone = try lint { $0["x5c"] = Array((try chain($0)).prefix(1)) }
        #expect(lone.code == 0 && lone.text.contains("no issuer"), "\(lone.text)")
    }

    @Test("--complete-chain requires leaf to root, and not self-signed")
    func completeChain() throws {
        let whole = try lint("--complete-chain") { _ in }
        #expect(whole.code == 0, "\(whole.text)")
        let lone = try lint("--complete-chain") { $0["x5c"] = Array((try chain($0)).prefix(1)) }
        #expect(lone.code == 1 && lone.text.contains("before the root"), "\(lone.text)")
        let without = try lint("--complete-chain") { ($0["x5c"], $0["x5t#S256"]) = (nil, nil) }
        #expect(without.code == 1 && without.text.contains("no certificates"), "\(without.text)")
        #expect(try lint { ($0["x5c"], $0["x5t#S256"]) = (nil, nil) }.code == 0)
        try tool.run("keys", "certify", "private.jwks", "--self-signed", "--out", "self.jwks")
        let own = try tool.run("keys", "lint", "--private", "--complete-chain", "self.jwks")
        #expect(own.code == 1 && own.text.contains("self-signed"), "\(own.text)")
        // An intermediate without its root.
        let middle = try issued(
            "-days 20", extensions: "basicConstraints=critical,CA:FALSE\nkeyUsage=digitalSignature")
        let short = try lint("--complete-chain") {
            ($0["x5c"], $0["x5t#S256"]) = ([middle], nil)
        }
        #expect(short.code == 1 && short.text.contains("before the root"), "\(short.text)")
        let json = try tool.run("keys", "lint", "--complete-chain", "--json", "self.jwks")
        #expect(json.code == 1 && json.text.contains("\"rejected\":true"), "\(json.text)")
    }

    private func chain(_ key: [String: Any]) throws -> [String] {
        try #require(key["x5c"] as? [String])
    }

    @Test("Order, unrelated certificates and validity are checked") func form() throws {
        let swapped = try lint { $0["x5c"] = try chain($0).reversed() as [String] }
        #expect(swapped.code == 1, "\(swapped.text)")
        let twice = try lint { key in
            let chain = try chain(key)
            key["x5c"] = [chain[0], chain[0], chain[1]]
        }
        #expect(twice.code == 1 && twice.text.contains("occurs twice"), "\(twice.text)")
        let stranger = try lint { key in
            let other = try #require(try tool.keys("open.jwks")[1]["x5c"] as? [String])
            key["x5c"] = [try chain(key)[0], other[0]]
        }
        #expect(stranger.code == 1, "\(stranger.text)")
        let late = try lint("--at", "2099-01-01T00:00:00Z") { _ in }
        #expect(late.code == 1 && late.text.contains("expired"), "\(late.text)")
        let early = try lint("--at", "2001-01-01T00:00:00Z") { _ in }
        #expect(early.code == 1 && early.text.contains("not valid yet"), "\(early.text)")
        for time in ["2099-01-01T00:00:00Z", "2001-01-01T00:00:00Z"] {
            let lone = try lint("--at", time) { $0["x5c"] = Array((try chain($0)).prefix(1)) }
            #expect(lone.code == 1, "\(lone.text)")
        }
    }

    @Test("The leaf must match the key, its use and its thumbprint") func leaf() throws {
        let other = try tool.keys("open.jwks")[1]
        let wrongKey = try lint { ($0["x5c"], $0["x5t#S256"]) = (other["x5c"], nil) }
        #expect(
            wrongKey.code == 1 && wrongKey.text.contains("another public key"), "\(wrongKey.text)")
        let wrongUse = try lint { ($0["use"], $0["alg"]) = ("enc", "RSA-OAEP") }
        #expect(wrongUse.code == 1 && wrongUse.text.contains("keyUsage"), "\(wrongUse.text)")
        let wrongPrint = try lint { $0["x5t#S256"] = other["x5t#S256"] }
        #expect(
            wrongPrint.code == 1 && wrongPrint.text.contains("another certificate than x5c"),
            "\(wrongPrint.text)")
    }

    @Test("A long chain and hexadecimal thumbprints are warnings")
    func oddities() throws {
        let long = try lint { key in
            let chain = try chain(key)
            key["x5c"] = [chain[0]] + Array(repeating: chain[1], count: 4)
        }
        #expect(long.code == 0 && long.text.contains("too many certificates"), "\(long.text)")
        for member in ["x5t", "x5t#S256"] {
            let odd = try lint { $0[member] = String(repeating: "a1", count: 20) }
            #expect(odd.code == 0 && odd.text.contains("wrong length"), "\(odd.text)")
            let strict = try lint("--complete-chain") {
                $0[member] = String(repeating: "a1", count: 20)
            }
            #expect(strict.code == 1 && strict.text.contains("wrong length"), "\(strict.text)")
            let bare = try lint {
                ($0["x5c"], $0["x5t#S256"]) = (nil, nil)
                $0[member] = String(repeating: "a1", count: 20)
            }
            #expect(bare.code == 0 && bare.text.contains("wrong length"), "\(bare.text)")
        }
    }

    @Test("Environment roots and settings are ignored (catalogue 66, 68)")
    func environment() throws {
        try tool.openssl("req -newkey rsa:2048 -nodes -keyout o.key -out o.csr -subj /CN=ca")
        try tool.openssl(
            "x509 -req -in o.csr -signkey o.key -days 9 -extfile extensions -out other.pem")
        let weak = try issued(
            "-sha1",
            extensions: "keyUsage=critical,digitalSignature\nsubjectKeyIdentifier=hash\n"
                + "authorityKeyIdentifier=keyid")
        var key = try tool.keys("open.jwks")[0]
        key["x5c"] = [weak]
        key["x5t#S256"] = nil
        try tool.write(keys: [key], to: "weak.jwks")
        try tool.write(
            "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\n"
                + "CipherString = DEFAULT@SECLEVEL=0\n", to: "openssl.cnf")
        tool.environment = [
            "SSL_CERT_FILE": tool.url("ca.pem").path, "SSL_CERT_DIR": tool.folder.path,
            "OPENSSL_CONF": tool.url("openssl.cnf").path,
        ]
        for (set, anchors, code) in [
            ("open.jwks", "other.pem", 1), ("open.jwks", "ca.pem", 0), ("weak.jwks", "ca.pem", 1),
        ] as [(String, String, Int32)] {
            let response = try tool.run("chain", "verify", set, "--anchors", anchors)
            #expect(response.code == code, "\(set) \(anchors): \(response.text)")
        }
    }

    @Test("Weak, TLS-only, version 1, CA and self-signed leaf certificates are reported")
    func strength() throws {
        let usage = "keyUsage=critical,digitalSignature"
        let ids = "\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid"
        for (options, extensions, word) in [
            ("-sha1", usage + ids, "weak algorithm"),
            ("-sha256", usage + "\nextendedKeyUsage=serverAuth" + ids, "extendedKeyUsage"),
            (
                "-sha256", "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign" + ids,
                "a CA certificate"
            ),
            ("-sha256", "keyUsage=critical,keyEncipherment" + ids, "keyUsage"),
        ] {
            let der = try issued(options, extensions: extensions)
            for isWhole in [true, false] {
                let response = try lint { key in
                    key["x5c"] = [der] + (isWhole ? [try chain(key)[1]] : [])
                    key["x5t#S256"] = nil
                }
                #expect(
                    response.code == 1 && response.text.contains(word), "\(word): \(response.text)")
            }
        }
        try tool.run(
            "keys", "certify", "private.jwks", "--self-signed", "--out", "self.jwks")
        try tool.run("keys", "public", "self.jwks", "--out", "selfopen.jwks")
        let alone = try tool.run("keys", "lint", "selfopen.jwks")
        #expect(alone.code == 1 && alone.text.contains("self-signed"), "\(alone.text)")
    }
}
