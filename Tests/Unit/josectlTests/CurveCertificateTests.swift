// x5c with elliptic curve keys, as leaves and as issuers, made by the openssl command.

import Foundation
import Testing

@Suite("Certificates with elliptic curve keys") struct CurveCertificateTests {
    /// The value of genpkey's -algorithm.
    private static let keys = [
        "RSA": "RSA", "P-256": "EC -pkeyopt ec_paramgen_curve:P-256",
        "P-384": "EC -pkeyopt ec_paramgen_curve:P-384",
        "P-521": "EC -pkeyopt ec_paramgen_curve:P-521",
        "secp256k1": "EC -pkeyopt ec_paramgen_curve:secp256k1", "Ed25519": "ED25519",
        "Ed448": "ED448", "X25519": "X25519", "X448": "X448",
        "explicit": "EC -pkeyopt ec_paramgen_curve:P-256 -pkeyopt ec_param_enc:explicit",
    ]

    /// A new key with a certificate by the CA: `own.jwks` and, without private members,
    /// `open.jwks`.
    private func issue(_ kind: String, usage: String, use: String, in tool: Tool) throws -> Response
    {
        try tool.write(
            "keyUsage=critical,\(usage)\nbasicConstraints=CA:FALSE\n" + Tool.authorityKey,
            to: "leaf.ext")
        try tool.openssl("genpkey -algorithm \(Self.keys[kind] ?? "") -out leaf.key")
        try tool.openssl("pkey -in leaf.key -pubout -out leaf.pub")
        try tool.openssl("req -new -key ca.key -out leaf.csr -subj /CN=leaf")
        // The request's own key does not matter: a key agreement key cannot sign one.
        try tool.openssl(
            "x509 -req -in leaf.csr -force_pubkey leaf.pub -CA ca.pem -CAkey ca.key -days 20 "
                + "-set_serial 7 -extfile leaf.ext -out leaf.pem")
        try tool.run("keys", "import", "leaf.key", "--use", use, "--out", "leaf.jwks", "--force")
        let response = try tool.run(
            "keys", "certify", "leaf.jwks", "--chain", "leaf.pem", "--out", "own.jwks", "--force")
        guard response.code == 0 else { return response }
        try tool.run("keys", "public", "own.jwks", "--out", "open.jwks", "--force")
        return try tool.run("chain", "verify", "open.jwks", "--anchors", "ca.pem")
    }

    @Test(
        "Every kind of issuer signs every kind of leaf",
        arguments: ["RSA", "P-256", "P-384", "P-521", "Ed25519", "Ed448"])
    func matrix(_ issuer: String) throws {
        let tool = try Tool.withAuthority(Self.keys[issuer] ?? "")
        for kind in ["P-256", "P-384", "P-521", "Ed25519", "Ed448"] {
            let response = try issue(kind, usage: "digitalSignature", use: "sig", in: tool)
            #expect(
                response.code == 0, "\(kind) under \(issuer): \(response.error) \(response.text)")
            #expect(try tool.onlyKey("open.jwks")["x5c"] is [String])
        }
        for kind in ["P-256", "P-384", "P-521", "X25519", "X448"] {
            let response = try issue(kind, usage: "keyAgreement", use: "enc", in: tool)
            #expect(
                response.code == 0, "\(kind) under \(issuer): \(response.error) \(response.text)")
        }
    }

    @Test("CVE-2020-0601: explicit curve parameters are rejected, in a leaf and in an issuer")
    func explicitCurves() throws {
        let tool = try Tool.withAuthority(Self.keys["P-256"] ?? "")
        let leaf = try issue("explicit", usage: "digitalSignature", use: "sig", in: tool)
        #expect(leaf.code != 0)
        let other = try Tool.withAuthority(Self.keys["explicit"] ?? "")
        let response = try issue("P-256", usage: "digitalSignature", use: "sig", in: other)
        #expect(
            response.code == 1 && (response.text + response.error).contains("untrusted-key"),
            "\(response.error) \(response.text)")
    }

    @Test(
        "openssl reads certificates and requests that josectl makes",
        arguments: ["P-256", "P-384", "P-521", "Ed25519", "Ed448"])
    func ourOwn(_ kind: String) throws {
        let tool = try Tool.withAuthority(Self.keys[kind] ?? "")
        try tool.openssl("genpkey -algorithm \(Self.keys[kind] ?? "") -out leaf.key")
        try tool.run("keys", "import", "leaf.key", "--use", "sig", "--out", "leaf.jwks")
        let request = try tool.run("keys", "certify", "leaf.jwks", "--csr", "--out", "leaf.csr")
        #expect(request.code == 0, "\(request.error)")
        try tool.openssl("req -in leaf.csr -verify -noout")
        let itself = try tool.run(
            "keys", "certify", "leaf.jwks", "--self-signed", "--out", "self.jwks")
        #expect(itself.code == 0, "\(itself.error)")
        try tool.run("keys", "export", "self.jwks", "--certificate", "--out", "self.pem")
        try tool.openssl("verify -check_ss_sig -partial_chain -CAfile self.pem self.pem")
        for (leaf, use, usage) in [
            (kind, "sig", "Digital Signature"), ("X25519", "enc", "Key Agreement"),
            ("P-384", "enc", "Key Agreement"),
        ] {
            try tool.openssl("genpkey -algorithm \(Self.keys[leaf] ?? "") -out leaf.key")
            try tool.run(
                "keys", "import", "leaf.key", "--use", use, "--out", "leaf.jwks", "--force")
            let response = try tool.run(
                "keys", "certify", "leaf.jwks", "--ca", "ca.pem", "--ca-key", "ca.key", "--out",
                "own.jwks", "--force")
            #expect(response.code == 0, "\(response.error)")
            try tool.run("keys", "public", "own.jwks", "--out", "open.jwks", "--force")
            let verified = try tool.run("chain", "verify", "open.jwks", "--anchors", "ca.pem")
            #expect(verified.code == 0, "\(verified.error) \(verified.text)")
            try tool.run(
                "keys", "export", "own.jwks", "--certificate", "--out", "leaf.pem", "--force")
            #expect(try tool.openssl("x509 -in leaf.pem -noout -text").contains(usage))
            try tool.openssl("verify -x509_strict -CAfile ca.pem leaf.pem")
        }
    }
}
