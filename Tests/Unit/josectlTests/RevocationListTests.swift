// Revocation lists as OpenSSL's own tool makes them, in every order: what chain verify takes, refuses and calls them.

import Foundation
import Testing

@Suite("Revocation lists by OpenSSL") struct RevocationListTests {
    private let tool: Tool

    /// An authority, a leaf of it, and `full.pem`, which revokes the leaf.
    init() throws {
        tool = try Tool()
        try tool.write(Self.configuration, to: "ca.cnf")
        try tool.write("", to: "revoking.txt")
        try tool.write("", to: "empty.txt")
        try tool.write("01\n", to: "number")
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config ca.cnf"
        try tool.openssl(
            "req -x509 \(key) -keyout root.key -out root.pem -subj /CN=root -days 30 -extensions root"
        )
        try tool.openssl("req -new \(key) -keyout middle.key -out middle.csr -subj /CN=middle")
        try tool.openssl("req -new \(key) -keyout leaf.key -out leaf.csr -subj /CN=leaf")
        for (name, issuer, serial, extensions) in [
            ("middle", "root", 9, "root"), ("leaf", "root", 5, "leaf"),
        ] {
            try tool.openssl(
                "x509 -req -in \(name).csr -CA \(issuer).pem -CAkey \(issuer).key -set_serial \(serial) "
                    + "-days 20 -extfile ca.cnf -extensions \(extensions) -out \(name).pem")
        }
        try tool.openssl(
            "x509 -req -in leaf.csr -CA middle.pem -CAkey middle.key -set_serial 6 -days 20 "
                + "-extfile ca.cnf -extensions leaf -out below.pem")
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

    /// Makes `NAME.pem`, with the extensions of the section of that name where there is one.
    private func list(
        _ name: String, by issuer: String = "root", revoking: Bool = false,
        from start: String = "20250601000000Z", until end: String = "20400101000000Z",
        digest: String = "sha256", section: String? = nil
    ) throws {
        let extensions = section.map { " -crlexts \($0)" } ?? ""
        try tool.openssl(
            "ca -config ca.cnf -name \(revoking ? "revoking" : "empty") -keyfile \(issuer).key "
                + "-cert \(issuer).pem -gencrl -crl_lastupdate \(start) -crl_nextupdate \(end) "
                + "-md \(digest) -out \(name).pem\(extensions)")
    }

    private static func orders(_ all: [String]) -> [[String]] {
        guard let first = all.first else { return [[]] }
        return orders(Array(all.dropFirst())).flatMap { rest in
            (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
        }
    }

    /// Expects this exit code and these texts with the lists in every order.
    private func expect(
        _ code: Int32, _ text: String, and more: String = "", _ lists: [String],
        chain: [String] = ["leaf.pem"],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for lists in Self.orders(lists) {
            let answer = try tool.run(
                ["chain", "verify"] + chain + ["--anchors", "root.pem", "--purpose", "signature"]
                    + lists.flatMap { ["--crl", "\($0).pem"] })
            let said = answer.text + answer.error
            #expect(
                answer.code == code && said.contains(text) && (more.isEmpty || said.contains(more)),
                "\(lists): \(said)",
                sourceLocation: sourceLocation)
        }
    }

    @Test("A list that is not taken is named, and so is why: alone, and beside one that revokes")
    func kinds() throws {
        try list("weak", digest: "sha1")
        try list("newer")
        for (name, why) in [
            ("delta", "a delta list"), ("indirect", "an indirect one"),
            ("reasons", "for some reasons only"), ("attributes", "for attribute certificates only"),
            ("broken", "issuing distribution point cannot be read"),
            ("unknown", "a critical extension that is not understood"),
            ("weak", "signed with a weak algorithm"),
        ] {
            if name != "weak" { try list(name, section: name) }
            let told = "\(name).pem: a revocation list"
            for lists in [[name], [name, "full"], [name, "newer"], [name, "full", "newer"]] {
                try expect(1, told, and: why, lists)
            }
            // The same lists that revoke the leaf themselves.
            try list(
                "names-\(name)", revoking: true, digest: name == "weak" ? "sha1" : "sha256",
                section: name == "weak" ? nil : name)
            try expect(1, "names-\(name).pem: a revocation list", ["names-\(name)", "newer"])
        }
    }

    @Test("A list that revokes counts, whatever newer one stands beside it, unless it was replaced")
    func orders() throws {
        try list("users", section: "users")
        try list("authorities", section: "authorities")
        try list("newer")
        try list("older", from: "20240101000000Z")
        try list("ended", revoking: true, until: "20250801000000Z")
        let revoked = "certificate 1 (CN=leaf): a certificate has been revoked"
        try expect(1, revoked, ["full"])
        try expect(1, revoked, ["full", "users"])
        try expect(1, revoked, ["full", "authorities", "users"])
        try expect(1, revoked, ["full", "older"])
        try expect(1, revoked, ["ended", "older"])
        try expect(0, "valid until", ["full", "newer"])
        try expect(0, "valid until", ["full", "newer", "users"])
        try expect(0, "valid until", ["users"])
        try expect(1, "there is no current revocation list", ["authorities"])
    }

    @Test("An anchor needs no list, whatever the scope of its own is") func anchor() throws {
        try list("users", section: "users")
        try list("authorities", section: "authorities")
        try list("middle-list", by: "middle")
        for chain in [["below.pem", "middle.pem"], ["below.pem", "middle.pem", "root.pem"]] {
            try expect(0, "valid until", ["middle-list", "authorities"], chain: chain)
            try expect(
                0, "valid until", ["middle-list", "authorities", "users"], chain: chain)
            try expect(
                1, "certificate 2 (CN=middle): there is no current revocation list",
                ["middle-list", "users"], chain: chain)
        }
        try expect(0, "valid until", ["users"], chain: ["leaf.pem", "root.pem"])
    }

    @Test("Of several in one file, and in a request, the place is told") func places() throws {
        try list("delta", section: "delta")
        try tool.write(tool.read("full.pem") + tool.read("delta.pem"), to: "both.pem")
        try expect(1, "both.pem, number 2: a revocation list is a delta list", ["both"])
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
        // Kept refusals say the same.
        for answer in try tool.run(["batch"], input: line + line).objects() {
            let error = try #require(answer["error"] as? [String: Any])
            #expect(error["code"] as? String == "unsupported")
            let message = error["message"] as? String
            #expect(message?.hasPrefix("'crls'[1]: a revocation list is a delta list") == true)
        }
    }
}
