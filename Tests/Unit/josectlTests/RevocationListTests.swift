// Revocation lists made by OpenSSL's tool: what chain verify accepts and rejects, and its messages.

import Foundation
import JOSECrypto
import Testing

@Suite("OpenSSL revocation lists") struct RevocationListTests {
    private let tool: Tool

    /// A CA, a leaf certificate, and `full.pem`, which revokes the leaf.
    init() throws {
        tool = try Tool()
        try tool.write(Self.configuration, to: "ca.cnf")
        try tool.write("", to: "revoking.txt")
        try tool.write("", to: "empty.txt")
        try tool.write("01\n", to: "number")
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config ca.cnf"
        try tool.openssl(
            "req -x509 \(key) -keyout root.key -out root.pem -subj /CN=root -days 30 -extensions "
                + "root"
        )
        try tool.openssl("req -new \(key) -keyout leaf.key -out leaf.csr -subj /CN=leaf")
        try tool.openssl(
            "x509 -req -in leaf.csr -CA root.pem -CAkey root.key -set_serial 5 -days 20 "
                + "-extfile ca.cnf -extensions leaf -out leaf.pem")
        try tool.openssl(
            "ca -config ca.cnf -name revoking -keyfile root.key -cert root.pem -revoke leaf.pem")
        try list("full", revoking: true, from: "20250101000000Z")
    }

    private static let configuration = """
        [req]
        distinguished_name = name
        [name]
        [root]
        basicConstraints = critical, CA:TRUE
        keyUsage = critical, keyCertSign, cRLSign
        subjectKeyIdentifier = hash
        authorityKeyIdentifier = keyid
        [leaf]
        basicConstraints = critical, CA:FALSE
        keyUsage = critical, digitalSignature
        subjectKeyIdentifier = hash
        authorityKeyIdentifier = keyid
        [revoking]
        database = revoking.txt
        crlnumber = number
        default_md = sha256
        [empty]
        database = empty.txt
        crlnumber = number
        default_md = sha256
        [delta]
        2.5.29.27 = critical, DER:02:01:01
        [indirect]
        issuingDistributionPoint = critical, indirectCRL:TRUE
        [reasons]
        issuingDistributionPoint = critical, onlysomereasons:keyCompromise
        [attributes]
        issuingDistributionPoint = critical, onlyAA:TRUE
        [users]
        issuingDistributionPoint = critical, onlyuser:TRUE
        [authorities]
        issuingDistributionPoint = critical, onlyCA:TRUE
        [broken]
        issuingDistributionPoint = critical, DER:30:02:05:00
        [unknown]
        1.2.3.4 = critical, DER:05:00

        """

    /// Makes `NAME.pem`, with the extensions of the section of that name if there is one.
    private func list(
        _ name: String, revoking: Bool = false, from start: String = "20250601000000Z",
        digest: String = "sha256", section: String? = nil
    ) throws {
        let extensions = section.map { " -crlexts \($0)" } ?? ""
        try tool.openssl(
            "ca -config ca.cnf -name \(revoking ? "revoking" : "empty") -keyfile root.key "
                + "-cert root.pem -gencrl -crl_lastupdate \(start) -crl_nextupdate 20400101000000Z "
                + "-md \(digest) -out \(name).pem\(extensions)")
    }

    /// Expects this exit code and these messages for the leaf with the lists.
    private func expect(
        _ code: Int32, _ texts: String..., with lists: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let response = try tool.run(
            ["chain", "verify", "leaf.pem", "--anchors", "root.pem", "--purpose", "signature"]
                + lists.flatMap { ["--crl", "\($0).pem"] })
        let said = response.text + response.error
        #expect(
            response.code == code && texts.allSatisfy { said.contains($0) }, "\(lists): \(said)",
            sourceLocation: sourceLocation)
    }

    @Test("An unsupported list is named with the reason, whether it revokes or not")
    func kinds() throws {
        for (name, why) in [
            ("delta", "delta revocation lists"), ("indirect", "indirect revocation lists"),
            ("reasons", "for some reasons only"),
            ("attributes", "for attribute certificates are not supported"),
            // From 4.0 on libcrypto does not parse such a list.
            (
                "broken",
                HostProcess.libraryNumber >= 0x4000_0000
                    ? "it cannot be read as a revocation list"
                    : "issuing distribution point of the revocation list cannot be read"
            ),
            ("unknown", "an unknown critical extension"),
            ("weak", "signed with a weak algorithm"),
        ] {
            let (digest, section) = name == "weak" ? ("sha1", nil) : ("sha256", name)
            for revoking in [false, true] {
                try list(name, revoking: revoking, digest: digest, section: section)
                try expect(1, "\(name).pem: ", why, with: [name, "full"])
            }
        }
    }

    @Test("A revoking list counts next to one of another scope, unless it was superseded")
    func revoked() throws {
        try list("users", section: "users")
        try list("authorities", section: "authorities")
        try list("newer")
        let revoked = "certificate 1 (CN=leaf): a certificate has been revoked"
        try expect(1, revoked, with: ["full"])
        try expect(1, revoked, with: ["full", "authorities", "users"])
        try expect(0, "valid until", with: ["full", "newer"])
        try expect(0, "valid until", with: ["users"])
        try expect(1, "there is no current revocation list", with: ["authorities"])
    }

    @Test("For several lists in one file or request, the error names the list's number")
    func places() throws {
        try list("delta", section: "delta")
        try tool.write(tool.read("full.pem") + tool.read("delta.pem"), to: "both.pem")
        try expect(
            1, "both.pem, number 2: delta revocation lists are not supported", with: ["both"])
        func der(_ name: String, _ kind: String) throws -> String {
            try tool.openssl("\(kind) -in \(name).pem -outform DER -out \(name).der")
            return try Data(contentsOf: tool.url("\(name).der")).base64EncodedString()
        }
        let request: [String: Any] = [
            "id": 1, "op": "chain.verify", "x5c": [try der("leaf", "x509")],
            "anchors": [try der("root", "x509")], "at": "2026-01-01T00:00:00Z",
            "purpose": "signature", "crls": [try der("full", "crl"), try der("delta", "crl")],
        ]
        let line = try JSONSerialization.data(withJSONObject: request) + Data("\n".utf8)
        // Stored rejections have the same message.
        for response in try tool.run(["batch"], input: line + line).objects() {
            let error = try #require(response["error"] as? [String: Any])
            #expect(error["code"] as? String == "unsupported")
            let message = error["message"] as? String
            #expect(
                message?.hasPrefix("'crls'[1]: delta revocation lists are not supported") == true)
        }
    }
}
