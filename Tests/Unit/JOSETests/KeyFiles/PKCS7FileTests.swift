// PKCS#7 files of certificates (RFC 2315, RFC 5652), wherever a chain is read.

import JOSE
import Testing

@Suite("PKCS#7 files")
struct PKCS7FileTests {
    private let chain: [[UInt8]]
    private let list: [UInt8]

    init() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        let middle = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root)
        chain = [
            try middle.leaf(TestKeys.bare(TestKeys.signing)), middle.certificate, root.certificate,
        ]
        list = try root.revocationList(from: 1_700_000_000, until: 1_900_000_000)
    }

    /// SignedData without signers.
    private func file(
        _ certificates: [[UInt8]], lists: [[UInt8]] = [], kind: UInt8 = 2, others: [UInt8] = [],
        signers: [UInt8] = []
    ) -> [UInt8] {
        var body = TestDER.integer([1]) + TestDER.tagged(0x31, [])
        body += TestDER.sequence(TestDER.tagged(0x06, PKCS12Maker.pkcs7 + [1]))
        if !certificates.isEmpty || !others.isEmpty {
            body += TestDER.tagged(0xa0, certificates.flatMap { $0 } + others)
        }
        if !lists.isEmpty { body += TestDER.tagged(0xa1, lists.flatMap { $0 }) }
        body += TestDER.tagged(0x31, signers)
        return TestDER.sequence(
            TestDER.tagged(0x06, PKCS12Maker.pkcs7 + [kind])
                + TestDER.tagged(0xa0, TestDER.sequence(body)))
    }

    private static let orders = [
        [0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0],
    ]

    @Test(
        "certificates in any order are put leaf first, in DER, PEM of each label and base64",
        arguments: orders)
    func order(_ order: [Int]) throws {
        let der = file(order.map { chain[$0] }, lists: [list])
        var files = [der, Array(Independent.standardBase64(der).utf8)]
        for label in ["PKCS7", "CMS", "PKCS #7 SIGNED DATA", "CERTIFICATE"] {
            files.append(TestDER.pemFile(label, der))
        }
        for bytes in files {
            let contents = try KeyFileContents(bytes)
            #expect(contents.formats == [.pkcs7])
            #expect(contents.certificates == chain)
            #expect(contents.revocationLists == [list])
            #expect(try contents.key().certificateChain == chain)
            let entries = try contents.entries()
            #expect(entries.keys.map(\.key.certificateChain) == [chain] && entries.warnings.isEmpty)
            let key = try TestKeys.bare(TestKeys.signing).withCertificates(contents.certificates)
            #expect(key.certificateChain == chain)
        }
    }

    @Test("a trust store reads anchors and revocation lists from them")
    func store() throws {
        let anchors = file([chain[2]], lists: [list])
        for bytes in [anchors, TestDER.pemFile("PKCS7", anchors)] {
            let store = try TrustStore(anchors: [bytes], revocationLists: [bytes])
            let report = try store.report(
                chain, purpose: .signature, at: need(NumericDate(exactly: 1_750_000_000)))
            // The list covers the root's own certificates, not those of the other authority.
            #expect(report.error?.code == .untrustedKey)
            let plain = try TrustStore(anchors: [bytes])
            let good = try plain.report(
                chain, purpose: .signature, at: need(NumericDate(exactly: 1_750_000_000)))
            #expect(good.error == nil)
        }
        expectRejection("malformed") { _ = try TrustStore(anchors: [file([], lists: [list])]) }
        expectRejection("malformed") {
            _ = try TrustStore(anchors: [chain[2]], revocationLists: [file([chain[2]])])
        }
        // A leaf among them is not an anchor.
        expectRejection("malformed") { _ = try TrustStore(anchors: [file(chain)]) }
    }

    @Test("certificates that do not form one chain keep their order")
    func choices() throws {
        let other = try TestAuthority(TestKeys.bare(TestKeys.client), "Root")
        for certificates in [
            [chain[2], other.certificate], [chain[2], chain[0]], [chain[1], chain[1], chain[0]],
        ] {
            #expect(try KeyFileContents(file(certificates)).certificates == certificates)
        }
    }

    @Test("certificates of other kinds are skipped with a warning")
    func otherKinds() throws {
        let others = TestDER.tagged(0xa1, [0x02, 0x01, 0x00]) + TestDER.tagged(0xa3, [])
        let contents = try KeyFileContents(file(chain, others: others))
        #expect(contents.certificates == chain)
        #expect(contents.warnings.map(\.isOmission) == [true])
        expectRejection("malformed") { _ = try KeyFileContents(file([], others: others)) }
    }

    @Test("data that is broken, not SignedData or of indefinite length is rejected")
    func rejected() throws {
        let der = file(chain)
        for kind in [1, 3, 4, 5, 6] as [UInt8] {
            expectRejection("unsupported") { _ = try KeyFileContents(file(chain, kind: kind)) }
        }
        let open =
            [0x30, 0x80] + TestDER.tagged(0x06, PKCS12Maker.pkcs7 + [2]) + [0xa0, 0x80]
            + [UInt8](repeating: 0, count: 64)
        expectRejection("unsupported", says: "openssl pkcs7") { _ = try KeyFileContents(open) }
        expectRejection("unsupported") { _ = try TrustStore(anchors: [open]) }
        for broken in [
            Array(der.dropLast()), der + [0], file([]), file([[0x30, 0x05, 0x02]]),
            file(Array(repeating: [0x30, 0x00], count: 1), signers: [0x30]),
        ] { expectRejection("malformed") { _ = try KeyFileContents(broken) } }
        let many = [[UInt8]](repeating: [0x30, 0x00], count: 33)
        expectRejection("limit-exceeded") { _ = try KeyFileContents(file(many)) }
        let tooMany = [[UInt8]](repeating: [0x30, 0x00], count: 1_001)
        expectRejection("limit-exceeded") { _ = try TrustStore(anchors: [file(tooMany)]) }
    }

    @Test("work-bounds: certificates and lists in all blocks of a file share one limit")
    func total() throws {
        let one = chain[2]
        func blocks(_ counts: [Int], plain: Int = 0, lists: Int = 0) -> [UInt8] {
            let sets = counts.flatMap { count in
                TestDER.pemFile(
                    "PKCS7",
                    file(
                        Array(repeating: one, count: count),
                        lists: Array(repeating: list, count: lists)))
            }
            return sets + (0..<plain).flatMap { _ in TestDER.pemFile("CERTIFICATE", one) }
        }
        for (bytes, isRead) in [
            (blocks([32]), true), (blocks([16, 16]), true), (blocks([31], plain: 1), true),
            (blocks([16], lists: 16), true), (blocks([33]), false), (blocks([16, 17]), false),
            (blocks([1, 32]), false), (blocks([16], lists: 17), false),
            (blocks([32, 32, 32, 32]), false),
        ] {
            guard !isRead else {
                #expect(try KeyFileContents(bytes).certificates.allSatisfy { $0 == one })
                continue
            }
            expectRejection("limit-exceeded", says: "more than 32 ") {
                _ = try KeyFileContents(bytes)
            }
        }
        for (bytes, isRead) in [
            (blocks([1_000]), true), (blocks([500, 499], plain: 1), true),
            (blocks([1_001]), false), (blocks([999], plain: 2), false),
            (blocks([500, 501]), false), (blocks(Array(repeating: 100, count: 11)), false),
        ] {
            guard !isRead else {
                #expect(try InputValue.all(.anchor, in: [bytes, bytes]).count == 2_000)
                continue
            }
            expectRejection("limit-exceeded", says: "more than 1,000 ") {
                _ = try InputValue.all(.anchor, in: [bytes])
            }
        }
    }
}
