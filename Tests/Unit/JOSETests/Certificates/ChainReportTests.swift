// A rejection names the violated rule and the certificate that violates it.

import JOSE
import JOSECrypto
import Testing

@Suite("Chain reports")
struct ChainReportTests {
    private static let now = TestChains.now
    private let root: TestAuthority
    private let middle: TestAuthority
    private let leaf: [UInt8]

    init() throws {
        root = try TestAuthority(TestKeys.stranger)
        middle = try TestAuthority(TestKeys.client, "Middle", by: root)
        leaf = try middle.leaf(TestKeys.signing)
    }

    private func report(
        _ chain: [[UInt8]], _ anchors: [[UInt8]], _ purpose: CertificatePurpose = .signature,
        at time: Int64 = now
    ) throws -> TrustStore.Report {
        try TestChains.report(chain, TrustStore(anchors: anchors), purpose, at: time)
    }

    private func expect(
        _ failure: ChainError?, at place: Int?, _ chain: [[UInt8]], _ anchors: [[UInt8]],
        _ purpose: CertificatePurpose = .signature, now: Int64 = now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let report = try report(chain, anchors, purpose, at: now)
        #expect(
            report.error?.message == failure?.reason.description, sourceLocation: sourceLocation)
        #expect(report.certificateIndex == place, sourceLocation: sourceLocation)
        #expect(report.subjects.count == chain.count, sourceLocation: sourceLocation)
    }

    /// The certificate with SHA-1 as its signature algorithm; its signature is no longer valid.
    private func weak(_ certificate: [UInt8]) -> [UInt8] {
        let strong = TestDER.rs256.dropLast(2)
        var bytes = certificate
        for start in bytes.indices.dropLast(strong.count)
        where bytes[start...].starts(with: strong) {
            bytes[start + strong.count - 1] = 0x05
        }
        return bytes
    }

    @Test("RFC 7517 4.7: a duplicate certificate is reported")
    func duplicates() throws {
        let (root, middle) = (root.certificate, middle.certificate)
        try expect(nil, at: nil, [leaf, middle], [root])
        try expect(.duplicate, at: 1, [leaf, leaf], [root])
        try expect(.duplicate, at: 2, [leaf, middle, middle], [root])
        try expect(.duplicate, at: 2, [leaf, middle, leaf], [root])
        try expect(.duplicate, at: 3, [leaf, middle, root, root], [root])
    }

    @Test("RFC 7517 4.7: a certificate not followed by its issuer is reported")
    func order() throws {
        let other = try TestAuthority(TestKeys.signing, "Other")
        try expect(.order, at: 0, [leaf, root.certificate], [root.certificate])
        try expect(
            .order, at: 1, [leaf, middle.certificate, other.certificate], [root.certificate])
        try expect(.order, at: 0, [middle.certificate, leaf], [root.certificate])
    }

    @Test("a weak signature is reported, except on a last, self-issued certificate")
    func weakSignatures() throws {
        let (root, middle) = (root.certificate, middle.certificate)
        try expect(.weakSignature, at: 0, [weak(leaf), middle], [root])
        try expect(.weakSignature, at: 1, [leaf, weak(middle)], [root])
        try expect(.weakSignature, at: 1, [leaf, weak(middle), root], [root])
        try expect(nil, at: nil, [leaf, middle, weak(root)], [weak(root)])
        try expect(.weakSignature, at: 0, [weak(root)], [weak(root)])
        // Self-issued, but not the last certificate.
        let second = try TestAuthority(TestKeys.stranger) { $0.serial = 2 }.certificate
        let below = try self.root.leaf(TestKeys.signing)
        try expect(nil, at: nil, [below, second], [second])
        try expect(.weakSignature, at: 1, [below, weak(root), second], [second])
    }

    @Test("certificates outside the path are reported") func surplus() throws {
        let (root, middle) = (root.certificate, middle.certificate)
        try expect(nil, at: nil, [leaf, middle, root], [root])
        try expect(nil, at: nil, [leaf, middle], [middle])
        try expect(.unusedCertificate, at: 2, [leaf, middle, root], [middle])
        // Another certificate of the same authority is not the one that was sent.
        let second = try TestAuthority(TestKeys.stranger) { $0.serial = 2 }.certificate
        let below = try self.root.leaf(TestKeys.signing)
        try expect(nil, at: nil, [below], [second])
        try expect(nil, at: nil, [below, second], [second])
        try expect(.unusedCertificate, at: 1, [below, root], [second])
    }

    @Test("an anchor must be as strong as what it certifies, and never is the leaf")
    func anchors() throws {
        let key = try JWK.generate(.curve(.secp256k1))
        let odd = try TestAuthority(key, "Odd curve", by: root)
        try expect(.weakKey, at: 1, [odd.leaf(TestKeys.signing)], [odd.certificate])
        try expect(
            .weakKey, at: 1, [odd.leaf(TestKeys.signing), odd.certificate], [odd.certificate])
        try expect(.selfSigned, at: 1, [root.certificate], [root.certificate])
        try expect(.selfSigned, at: 1, [middle.certificate], [middle.certificate])
    }

    @Test("RFC 5280 6.1.3: the report names the certificate with a wrong time, issuer or signature")
    func paths() throws {
        let (root, middle) = (root.certificate, middle.certificate)
        let now = Self.now
        let old = try self.middle.leaf(TestKeys.signing) { $0.end = now - 1 }
        try expect(.expired, at: 0, [old, middle], [root])
        let young = try self.middle.leaf(TestKeys.signing) { $0.start = now + 1 }
        try expect(.notYetValid, at: 0, [young, middle], [root])
        let oldMiddle = try TestAuthority(TestKeys.client, "Middle", by: self.root) {
            $0.end = now - 1
        }
        try expect(.expired, at: 1, [leaf, oldMiddle.certificate], [root])
        let oldRoot = try TestAuthority(TestKeys.stranger, "Root") { $0.end = now - 1 }
        try expect(.expired, at: 2, [leaf, middle], [oldRoot.certificate])
        try expect(.expired, at: 2, [leaf, middle, oldRoot.certificate], [oldRoot.certificate])
        let other = try TestAuthority(TestKeys.signing, "Other").certificate
        try expect(.unknownRoot, at: 0, [leaf], [root])
        try expect(.unknownRoot, at: 1, [leaf, middle], [other])
        try expect(.unknownRoot, at: 2, [leaf, middle, root], [other])
        try expect(.selfSigned, at: 0, [root], [other])
        let stranger = try TestAuthority(TestKeys.decrypting, "Middle", by: self.root)
        let forged = try stranger.leaf(TestKeys.signing) {
            $0.extensions = [.keyUsage(0xa0, unused: 5)]
        }
        let verdict = try report([forged, middle], [root])
        #expect(verdict.error?.code == .untrustedKey)
        #expect(verdict.certificateIndex == 0)
    }

    @Test("RFC 5280 4.2.1.3: a wrong key usage is reported for the leaf") func uses() throws {
        let (root, middle) = (root.certificate, middle.certificate)
        let sealing = try self.middle.leaf(TestKeys.signing) {
            $0.extensions = [.keyUsage(0x20, unused: 5)]
        }
        try expect(.keyUsage, at: 0, [sealing, middle], [root])
        try expect(nil, at: nil, [sealing, middle], [root], .encryption)
        try expect(.leafIsCA, at: 0, [middle], [root])
    }

    @Test("the result is valid from the latest start to the earliest end in the path")
    func times() throws {
        let now = Self.now
        let between = try TestAuthority(TestKeys.client, "Middle", by: root) {
            ($0.start, $0.end) = (now - 10, now + 30)
        }
        let below = try between.leaf(TestKeys.signing) { ($0.start, $0.end) = (now - 20, now + 20) }
        let report = try report([below, between.certificate], [root.certificate])
        #expect(report.notBefore?.seconds == now - 10)
        #expect(report.notAfter?.seconds == now + 20)
        #expect(report.error == nil)
        #expect(report.certificateIndex == nil)
    }
}
