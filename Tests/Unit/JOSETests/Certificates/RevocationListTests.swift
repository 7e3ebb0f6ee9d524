// A store accepts complete and direct revocation lists with a signature algorithm that certificates
// may have. All others are rejected by name.

import JOSE
import JOSECrypto
import Testing

@Suite("Certificates: kinds of revocation lists")
struct RevocationListTests {
    typealias Extension = TestCertificate.Extension

    private static let now = TestChains.now
    private let root: TestAuthority

    init() throws {
        root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
    }

    private func list(
        revoked: [UInt8] = [], _ extensions: [Extension] = [], entry: [Extension] = []
    ) throws -> [UInt8] {
        try root.revocationList(
            revoked: revoked, from: Self.now - 10, until: Self.now + 100, extensions: extensions,
            entry: entry)
    }

    private static let deltaIndicator = Extension.other(27, [0x02, 0x01, 0x01], isCritical: true)
    /// onlyContainsUserCerts, onlyContainsCACerts, indirectCRL and onlyContainsAttributeCerts.
    private static func flag(_ number: UInt8) -> [UInt8] { [0x80 | number, 0x01, 0xff] }
    private static let keyCompromise: [UInt8] = [0x83, 0x02, 0x06, 0x40]

    /// The result for a list that libcrypto itself does not parse from 4.0 on.
    private static func unparsed(
        from4 code: String, _ word: String, _ fields: [UInt8] = []
    ) -> (String, String, [UInt8]) {
        let isParsed = HostProcess.libraryNumber < 0x4000_0000
        return isParsed ? (code, word, fields) : ("malformed", "read", fields)
    }

    private func rejected() throws -> [(code: String, word: String, list: [UInt8])] {
        let plain = Extension.other(27, [0x02, 0x01, 0x01], isCritical: false)
        let scopes: [(String, String, [UInt8])] = [
            ("unsupported", "indirect", Self.flag(4)),
            ("unsupported", "indirect", Self.flag(1) + Self.flag(4)),
            ("unsupported", "some reasons", Self.keyCompromise),
            ("unsupported", "some reasons", [0x83, 0x03, 0x07, 0xff, 0x80]),
            ("unsupported", "attribute", Self.flag(5)),
            ("malformed", "distribution point", Self.flag(1) + Self.flag(2)),
            Self.unparsed(from4: "malformed", "distribution point", [0x05, 0x00]),
            Self.unparsed(from4: "malformed", "distribution point", Self.flag(2) + Self.flag(1)),
            Self.unparsed(
                from4: "malformed", "distribution point", Self.flag(1) + [0x9f, 0x01, 0x00]),
        ]
        var all = try scopes.flatMap { code, word, fields in
            try [true, false].map { isCritical in
                (code, word, try list([.scope(fields, isCritical: isCritical)]))
            }
        }
        let removal = Extension.other(21, [0x0a, 0x01, 0x08], isCritical: false)
        let other = Extension.other(
            29, TestDER.sequence(TestDER.tagged(0x82, [0x61])), isCritical: false)
        func critical(_ last: UInt8, _ value: [UInt8]) -> Extension {
            .other(last, value, isCritical: true)
        }
        let longPoint = TestDER.sequence(Self.flag(1)) + [0x00]
        let ofOther = Self.unparsed(from4: "unsupported", "indirect")
        all += [
            ("unsupported", "delta", try list([Self.deltaIndicator])),
            ("unsupported", "delta", try list([plain])),
            ("unsupported", "delta", try list([.scope(Self.flag(1)), Self.deltaIndicator])),
            ("malformed", "removeFromCRL", try list(revoked: [9], entry: [removal])),
            (ofOther.0, ofOther.1, try list(revoked: [9], entry: [other])),
            ("unsupported", "critical", try list([critical(46, TestDER.sequence([]))])),
            ("unsupported", "critical", try list([critical(20, [0x02, 0x01, 0x01])])),
            (
                "unsupported", "critical",
                try list(revoked: [9], entry: [critical(99, [0x05, 0x00])])
            ),
            ("malformed", "read", try list([.scope(Self.flag(1)), .scope(Self.flag(2))])),
            ("malformed", "distribution point", try list([critical(28, longPoint)])),
            ("malformed", "next", try root.revocationList(from: Self.now - 10, until: nil)),
        ]
        return all
    }

    @Test("RFC 5280 5.2.4, 5.2.5, 5.3: only complete and direct lists make a trust store")
    func kinds() throws {
        let leaf = try root.leaf(TestKeys.signing) { $0.serial = 5 }
        let revoking = try root.revocationList(
            revoked: [5], from: Self.now - 50, until: Self.now + 100)
        let empty = try list()
        for (code, word, list) in try rejected() {
            expectRejection(code, word, says: word) {
                _ = try TrustStore(anchors: [], revocationLists: [list])
            }
            for lists in [
                [list], [list, revoking], [revoking, list], [empty, list, revoking],
                [revoking, empty, list], [list, empty],
            ] {
                let error = expectRejection(code, word) {
                    _ = try TrustStore(anchors: [root.certificate], revocationLists: lists)
                }
                #expect(error?.message.contains(word) == true, "\(word)")
                #expect(error?.input?.index == lists.firstIndex(of: list))
            }
        }
        // The same leaf with valid lists, so that there is no other reason.
        for lists in [[revoking, empty], [empty, revoking]] {
            let store = try TrustStore(anchors: [root.certificate], revocationLists: lists)
            try TestChains.validate([leaf], store)
        }
    }

    @Test("RFC 5280 5.2, 5.3: the extensions that a complete list may have")
    func taken() throws {
        let number = Extension.other(20, [0x02, 0x01, 0x01], isCritical: false)
        let delta = Extension.other(46, TestDER.sequence([]), isCritical: false)
        let unknown = Extension.other(99, [0x05, 0x00], isCritical: false)
        let reason = { Extension.other(21, [0x0a, 0x01, $0], isCritical: false) }
        for extensions in [
            [], [number], [number, delta], [unknown], [.scope([])], [.scope(Self.flag(1))],
            [.scope(Self.flag(2))], [.distributionPoint("https://a.example/1.crl")],
            try [number, .authorityKeyID(of: root.key)],
        ] as [[Extension]] {
            _ = try TrustStore(anchors: [], revocationLists: [list(extensions)])
        }
        for code in [0, 1, 2, 3, 4, 5, 6, 9, 10] as [UInt8] {
            _ = try TrustStore(
                anchors: [], revocationLists: [list(revoked: [9, 4, 7], entry: [reason(code)])])
        }
        _ = try TrustStore(anchors: [], revocationLists: [list(revoked: [9], entry: [unknown])])
    }

    /// The list with another algorithm in both places; its signature is no longer valid.
    private func list(signedBy algorithm: [UInt8]) throws -> [UInt8] {
        let time = TestDER.time(Self.now - 10) + TestDER.time(Self.now + 100)
        let body = TestDER.sequence(
            TestDER.integer([1]) + algorithm + TestDER.name("Root") + time)
        return TestDER.sequence(body + algorithm + TestDER.tagged(0x03, [0x00, 0x01]))
    }

    private static func algorithm(_ name: [UInt8], _ parameters: [UInt8] = []) -> [UInt8] {
        TestDER.sequence(TestDER.tagged(0x06, name) + parameters)
    }

    @Test("a list needs a signature algorithm that certificates may have")
    func strength() throws {
        let pkcs1: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]
        let ecdsa: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04]
        let sha2: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02]
        let null: [UInt8] = [0x05, 0x00]
        func pss(_ hash: [UInt8]?) -> [UInt8] {
            let hash = hash.map { TestDER.tagged(0xa0, Self.algorithm($0, null)) } ?? []
            return Self.algorithm(pkcs1 + [10], TestDER.sequence(hash))
        }
        let good =
            ([11, 12, 13] as [UInt8]).map { Self.algorithm(pkcs1 + [$0], null) }
            + ([2, 3, 4] as [UInt8]).map { Self.algorithm(ecdsa + [3, $0]) }
            + ([1, 2, 3] as [UInt8]).map { pss(sha2 + [$0]) }
            + ([0x70, 0x71] as [UInt8]).map { Self.algorithm([0x2b, 0x65, $0]) }
        for algorithm in good {
            _ = try TrustStore(anchors: [], revocationLists: [list(signedBy: algorithm)])
        }
        // MD5, SHA-1 and SHA-224 with RSA; SHA-1 and SHA-224 with ECDSA; PSS with SHA-1, by name or
        // by default, with SHA-224 and without parameters; DSA with SHA-1 and SHA-256; an unknown
        // algorithm.
        let weak =
            ([4, 5, 14] as [UInt8]).map { Self.algorithm(pkcs1 + [$0], null) }
            + [Self.algorithm(ecdsa + [1]), Self.algorithm(ecdsa + [3, 1])]
            + [pss([0x2b, 0x0e, 0x03, 0x02, 0x1a]), pss(nil), pss(sha2 + [4])]
            + [Self.algorithm(pkcs1 + [10]), Self.algorithm(pkcs1 + [10], null)]
            + [Self.algorithm([0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x03])]
            + [Self.algorithm([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x02])]
            + [Self.algorithm([0x2a, 0x03, 0x04])]
        for (index, algorithm) in weak.enumerated() {
            expectRejection("unsupported", "\(index)", says: "weak algorithm") {
                _ = try TrustStore(anchors: [], revocationLists: [list(signedBy: algorithm)])
            }
        }
    }
}
