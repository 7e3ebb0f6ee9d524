// keys certify: by a local CA, by a request and an issued chain, self-signed, and what lint reports
// about the result.

import Foundation
import Testing

@Suite("Certificates for own keys") struct CertifyTests {
    @Test("A local CA: leaf first, keyUsage by use, accepted by josectl and openssl")
    func authority() throws {
        let tool = try Tool.withAuthority()
        let response = try tool.run(
            "keys", "certify", "private.jwks", "--ca", "ca.pem", "--ca-key", "ca.key",
            "--subject", "CN=Example,O=Org é,C=BE", "--days", "10", "--out", "own.jwks")
        #expect(response.code == 0, "\(response.error)")
        #expect(try tool.mode("own.jwks") == 0o600)
        try tool.run("keys", "public", "own.jwks", "--out", "open.jwks")
        let verified = try tool.run("chain", "verify", "open.jwks", "--anchors", "ca.pem")
        #expect(verified.code == 0 && verified.lines.count == 2, "\(verified.text)")
        let lint = try tool.run("keys", "lint", "open.jwks")
        #expect(lint.code == 0 && lint.text.contains("expires on"), "\(lint.text)")
        for (index, usage) in [(0, "Digital Signature"), (1, "Key Encipherment")] {
            try tool.run(
                "keys", "export", "own.jwks", "--kid", try SharedKeys.kid(index), "--certificate",
                "--out",
                "leaf\(index).pem")
            let text = try tool.openssl("x509 -in leaf\(index).pem -noout -text")
            #expect(text.contains(usage))
            try tool.openssl("verify -x509_strict -CAfile ca.pem leaf\(index).pem")
        }
    }

    @Test("An issued chain is attached only to the key of its request")
    func request() throws {
        let tool = try Tool.withAuthority()
        let kid = try SharedKeys.kid(0)
        try tool.run("keys", "certify", "private.jwks", "--csr", "--kid", kid, "--out", "a.csr")
        try tool.openssl("req -in a.csr -verify -noout")
        try tool.openssl(
            "x509 -req -in a.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 20 "
                + "-copy_extensions copy -out issued.pem")
        let attach = try tool.run(
            "keys", "certify", "private.jwks", "--chain", "issued.pem", "--out", "own.jwks")
        #expect(attach.code == 0, "\(attach.error)")
        try tool.run("keys", "public", "own.jwks", "--out", "open.jwks")
        let verified = try tool.run("chain", "verify", "open.jwks", "--anchors", "ca.pem")
        #expect(verified.code == 0 && verified.lines.count == 1, "\(verified.text)")
        let wrong = try tool.run(
            "keys", "certify", "private.jwks", "--chain", "ca.pem", "--out", "none")
        #expect(wrong.code == 1 && wrong.error.contains("key-unusable"))
        #expect(!tool.exists("none"))
    }

    @Test("A chain with any certificate outside its validity period is not attached")
    func validity() throws {
        let tool = try Tool.withAuthority()
        try tool.run(
            "keys", "certify", "private.jwks", "--csr", "--kid", SharedKeys.kid(0), "--out", "a.csr"
        )
        try tool.write("", to: "index.txt")
        try tool.write(
            "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nnew_certs_dir=.\nrand_serial=yes\n"
                + "default_md=sha256\nunique_subject=no\npolicy=p\n[p]\ncommonName=supplied\n",
            to: "ca.cnf")
        func issue(
            _ name: String, _ by: String = "-in a.csr -cert ca.pem", from start: String,
            until end: String
        ) throws {
            try tool.openssl(
                "ca -batch -notext -config ca.cnf \(by) -keyfile ca.key "
                    + "-startdate \(start) -enddate \(end) -out \(name).pem")
        }
        try issue("old", from: "20200101000000Z", until: "20200201000000Z")
        try issue("early", from: "20990101000000Z", until: "20990201000000Z")
        try issue("good", from: "20200101000000Z", until: "20990201000000Z")
        // The CA's own certificate issued again, with a validity long ago.
        try tool.write("basicConstraints=critical,CA:true\n", to: "ca.ext")
        try tool.openssl("x509 -x509toreq -in ca.pem -signkey ca.key -out ca.csr")
        try issue(
            "ended", "-in ca.csr -selfsign -extfile ca.ext", from: "20200101000000Z",
            until: "20200201000000Z")
        let line = "keys certify private.jwks --chain chain.pem --out own.jwks"
            .split(separator: " ").map(String.init)
        for (leaf, issuer, word) in [
            ("old", "ca", "has expired"), ("early", "ca", "is not valid yet"),
            ("good", "ended", "has expired"),
        ] {
            let chain = try tool.read("\(leaf).pem") + tool.read("\(issuer).pem")
            try tool.write(chain, to: "chain.pem")
            for arguments in [[], ["--kid", try SharedKeys.kid(0)]] {
                let response = try tool.run(line + arguments)
                #expect(response.code == 1 && response.error.contains(word), "\(response.error)")
                #expect(response.error.contains("chain.pem"), "\(response.error)")
                #expect(!tool.exists("own.jwks"))
            }
        }
        let good = try tool.read("good.pem") + tool.read("ca.pem")
        try tool.write(good, to: "chain.pem")
        let response = try tool.run(line)
        #expect(response.code == 0, "\(response.error)")
    }

    @Test("Self-signed certificates are for a sandbox and are rejected as chains")
    func selfSigned() throws {
        let tool = try Tool.withAuthority()
        let response = try tool.run(
            "keys", "certify", "private.jwks", "--self-signed", "--out", "own.jwks")
        #expect(response.code == 0, "\(response.error)")
        try tool.run("keys", "public", "own.jwks", "--out", "open.jwks")
        let verified = try tool.run("chain", "verify", "open.jwks", "--anchors", "ca.pem")
        #expect(verified.code == 1 && verified.text.contains("self-signed"))
        #expect(try tool.run("keys", "certify", "private.jwks", "--out", "x").code == 2)
    }
}
