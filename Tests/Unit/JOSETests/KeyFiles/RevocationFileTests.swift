// Revocation lists in key files: found, kept in order, and distinguished from similar data.

import JOSE
import JOSEBytes
import Testing

@Suite("Key files: revocation lists")
struct RevocationFileTests {
    private static let now = TestChains.now
    private let root: TestAuthority

    init() throws { root = try TestAuthority(TestKeys.bare(TestKeys.stranger)) }

    private func list(_ revoked: [UInt8] = [], until end: Int64? = now + 100) throws -> [UInt8] {
        try root.revocationList(revoked: revoked, from: Self.now - 10, until: end)
    }

    @Test("RFC 7468 6, RFC 5280 5.1: lists are read in DER and PEM, one and many")
    func read() throws {
        let (one, two) = (try list(), try list([4]))
        #expect(try KeyFileContents(one).revocationLists == [one])
        #expect(try KeyFileContents(one).formats == [.revocationList])
        let endless = try list(until: nil)
        #expect(try KeyFileContents(endless).revocationLists == [endless])
        let both = try KeyFileContents(
            TestDER.pemFile("X509 CRL", one) + TestDER.pemFile("X509 CRL", two))
        #expect(both.revocationLists == [one, two])
        #expect(both.keys.isEmpty && both.certificates.isEmpty)
        let mixed = try KeyFileContents(
            TestDER.pemFile("X509 CRL", two) + TestDER.pemFile("CERTIFICATE", root.certificate))
        #expect(mixed.revocationLists == [two] && mixed.certificates == [root.certificate])
        #expect(mixed.formats == [.revocationList, .certificate])
        #expect(throws: Never.self) {
            _ = try TrustStore(
                anchors: mixed.certificates, revocationLists: mixed.revocationLists)
        }
    }

    @Test("a version 1 list is read, and its times may be GeneralizedTime")
    func versions() throws {
        let times: [[UInt8]] = [
            [0x17, 0x0d] + Array("250101000000Z".utf8),
            [0x18, 0x0f] + Array("20500101000000Z".utf8),
        ]
        for version in [[], [0x02, 0x01, 0x01]] as [[UInt8]] {
            for time in times {
                let body = TestDER.sequence(
                    version + TestDER.rs256 + TestDER.name("Root") + time + time)
                let list = try TestDER.signed(body, by: root.key)
                #expect(try KeyFileContents(list).revocationLists == [list])
            }
        }
    }

    @Test("a block is read by its content, and a wrong label gives a warning")
    func labels() throws {
        let one = try list()
        for label in ["CERTIFICATE", "CERTIFICATE REQUEST", "PUBLIC KEY"] {
            let contents = try KeyFileContents(TestDER.pemFile(label, one))
            #expect(contents.revocationLists == [one] && contents.certificates.isEmpty)
            #expect(contents.warnings.map(\.isOmission) == [false])
            expectRejection("malformed") {
                _ = try TrustStore(anchors: [TestDER.pemFile(label, one)])
            }
        }
        let contents = try KeyFileContents(TestDER.pemFile("X509 CRL", root.certificate))
        #expect(contents.certificates == [root.certificate] && contents.revocationLists.isEmpty)
        #expect(contents.warnings.map(\.isOmission) == [false])
        expectRejection("malformed") {
            _ = try TrustStore(anchors: [TestDER.pemFile("X509 CRL", root.certificate)])
        }
    }

    @Test("trailing bytes and keys are not a revocation list")
    func rejected() throws {
        let one = try list()
        for (index, file) in [one + [0x00], TestDER.pemFile("X509 CRL", one + one)].enumerated() {
            expectRejection("malformed", "\(index)") { _ = try KeyFileContents(file) }
        }
        expectRejection("key-not-found") { _ = try KeyFileContents(one).key() }
    }
}
