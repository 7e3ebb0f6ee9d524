// Anchors and lists as files: PEM or DER. Errors name the rejected one.

import JOSE
import JOSEBytes
import Testing

@Suite("Certificates: inputs of a trust store")
struct TrustInputTests {
    private static let now = TestChains.now
    private let root: TestAuthority
    private let other: TestAuthority
    private let list: [UInt8]

    init() throws {
        root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        other = try TestAuthority(TestKeys.bare(TestKeys.client), "Other")
        list = try root.revocationList(
            revoked: [5], from: Self.now - 10, until: Self.now + 100)
    }

    private func certificate(_ authority: TestAuthority) -> [UInt8] {
        TestDER.pemFile("CERTIFICATE", authority.certificate)
    }

    /// Whether a store with these inputs accepts a leaf with this number.
    private func accepts(
        _ serial: UInt8, _ anchors: [[UInt8]], _ lists: [[UInt8]] = []
    ) throws -> Bool {
        let key = TestKeys.bare(TestKeys.signing)
        let leaf = try root.leaf(key) { $0.serial = serial }
        let store = try TrustStore(anchors: anchors, revocationLists: lists)
        let error = try store.report([leaf], purpose: .signature, at: Self.now(0)).error
        return error == nil
    }

    private static func now(_ shift: Int64) -> NumericDate {
        NumericDate(exactly: now + shift) ?? .latest
    }

    @Test("RFC 7468 5: anchors are the same in DER, in PEM and many in one file")
    func anchors() throws {
        let files = [
            [root.certificate], [certificate(root)], [certificate(other) + certificate(root)],
            [other.certificate, certificate(root)],
            [Array("Root of tests\n".utf8) + certificate(root)],
            [TestDER.pemFile("X509 CERTIFICATE", root.certificate)],
            [TestDER.pemFile("TRUSTED CERTIFICATE", root.certificate)],
        ]
        for (index, anchors) in files.enumerated() {
            #expect(try accepts(7, anchors), "\(index)")
        }
        #expect(try !accepts(7, [other.certificate]))
        #expect(try !accepts(7, [certificate(other)]))
        #expect(try !accepts(7, []))
    }

    @Test("RFC 7468 6: a list in PEM revokes like one in DER, also as the last of many")
    func lists() throws {
        let silent = try other.revocationList(from: Self.now - 10, until: Self.now + 100)
        let files = [
            [list], [TestDER.pemFile("X509 CRL", list)],
            [TestDER.pemFile("X509 CRL", silent) + TestDER.pemFile("X509 CRL", list)],
            [silent, TestDER.pemFile("X509 CRL", list)],
        ]
        for (index, lists) in files.enumerated() {
            #expect(try accepts(7, [certificate(root)], lists), "\(index)")
            #expect(try !accepts(5, [certificate(root)], lists), "\(index)")
        }
    }

    private struct Case: Sendable {
        let place: String
        let code: String
        let anchors: [[UInt8]]
        let lists: [[UInt8]]

        init(_ place: String, _ code: String, _ anchors: [[UInt8]], _ lists: [[UInt8]] = []) {
            (self.place, self.code, self.anchors, self.lists) = (place, code, anchors, lists)
        }
    }

    private func rejected() throws -> [Case] {
        let (good, text) = (root.certificate, certificate(root))
        let leaf = try root.leaf(TestKeys.bare(TestKeys.signing))
        let crl = TestDER.pemFile("X509 CRL", list)
        let delta = try root.revocationList(
            from: Self.now - 10, until: Self.now + 100,
            extensions: [.other(27, [0x02, 0x01, 0x01], isCritical: true)])
        let broken = Array("-----BEGIN CERTIFICATE-----\nAAAA\n".utf8)
        return [
            Case("anchor 1", "malformed", [[]]),
            Case("anchor 2", "malformed", [good, Array("no certificate".utf8)]),
            Case("anchor 2", "malformed", [good, good + [0x00]]),
            Case("anchor 3", "malformed", [good, text, Array(good.dropLast())]),
            Case("anchor 2", "malformed", [text, leaf]),
            Case(
                "anchor 2, PEM block 2", "malformed",
                [good, text + TestDER.pemFile("CERTIFICATE", leaf)]),
            Case("anchor 1, PEM block 3", "malformed", [text + text + crl]),
            Case("anchor 1, PEM block 2", "malformed", [text + broken]),
            Case("anchor 1", "malformed", [TestDER.pemFile("CERTIFICATE", good + good)]),
            Case("anchor 1", "malformed", [crl]),
            Case("anchor 1", "malformed", [list]),
            Case(
                "anchor 2", "limit-exceeded",
                [good, [[UInt8]](repeating: text, count: 1_001).flatMap { $0 }]),
            Case("revocation list 1", "malformed", [good], [[0x30]]),
            Case("revocation list 1", "malformed", [good], [[0x30, 0x00]]),
            Case("revocation list 1", "malformed", [good], [[]]),
            Case("revocation list 1", "malformed", [good], [list + [0]]),
            Case("revocation list 2", "malformed", [good], [list, Array(list.dropLast())]),
            Case("revocation list 2", "malformed", [good], [list, text]),
            Case("revocation list 1", "malformed", [good], [good]),
            Case("revocation list 2", "unsupported", [good, text], [crl, delta]),
            Case(
                "revocation list 2, PEM block 3", "unsupported", [text + text],
                [list, crl + crl + TestDER.pemFile("X509 CRL", delta)]),
        ]
    }

    @Test("an error names the anchor or list and the block only by number") func places()
        throws
    {
        for (index, row) in try rejected().enumerated() {
            let error = expectRejection(row.code, "\(index)") {
                _ = try TrustStore(anchors: row.anchors, revocationLists: row.lists)
            }
            #expect(error?.input?.description == row.place, "\(index)")
            #expect(error?.step == .certificate, "\(index)")
            #expect(error?.message.hasPrefix("\(row.place): ") == true, "\(index)")
            #expect(error?.claim == nil)
        }
    }

    @Test("errors have the position as numbers and differ if it differs") func numbers() throws {
        func rejection(_ anchors: [[UInt8]]) -> JOSEError? {
            expectRejection("malformed") { _ = try TrustStore(anchors: anchors) }
        }
        let text = certificate(root)
        let second = try need(rejection([text, [1]]))
        #expect(second.input?.name == "anchor" && second.input?.index == 1)
        #expect(second.input?.block == nil)
        let block = try need(rejection([text + TestDER.pemFile("X", [5, 0])]))
        #expect(block.input?.index == 0 && block.input?.block == 1)
        #expect(second != rejection([[1], text]) && second == rejection([text, [1]]))
        #expect(JOSEError.unavailable(.keySet, "away").input == nil)
    }

    @Test("a certificate that contains PEM lines is read as a certificate")
    func linesInside() throws {
        let name = "\n-----BEGIN CERTIFICATE-----\n"
        let odd = try TestAuthority(TestKeys.bare(TestKeys.stranger), "R\(name)")
        #expect(throws: Never.self) { _ = try TrustStore(anchors: [odd.certificate]) }
    }
}
