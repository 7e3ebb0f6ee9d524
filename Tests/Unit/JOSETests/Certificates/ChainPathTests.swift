// The path that was found must be the chain that was sent; a root that is sent along counts by being an anchor.

import JOSE
import Testing

@Suite("Chain paths")
struct ChainPathTests {
    private func isAccepted(_ chain: [[UInt8]], _ anchors: [[UInt8]]) throws -> Bool {
        let report = try TrustStore(anchors: anchors).report(
            chain, purpose: .signature, at: TestChains.date(TestChains.now))
        return report.error == nil
    }

    /// The certificate as if it were signed with SHA-1; its signature is right for nothing then.
    private func weak(_ certificate: [UInt8]) -> [UInt8] {
        let object: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b]
        var bytes = certificate
        for start in bytes.indices.dropLast(object.count)
        where Array(bytes[start..<(start + object.count)]) == object {
            bytes[start + object.count - 1] = 0x05
        }
        return bytes
    }

    @Test("RFC 7517 4.7: what is sent behind the anchor is too much") func surplus() throws {
        let root = try TestAuthority(TestKeys.stranger)
        let middle = try TestAuthority(TestKeys.client, "Middle", by: root)
        let leaf = try middle.leaf(TestKeys.signing)
        #expect(try isAccepted([leaf, middle.certificate], [root.certificate]))
        #expect(try isAccepted([leaf, middle.certificate, root.certificate], [root.certificate]))
        #expect(try isAccepted([leaf, middle.certificate], [middle.certificate]))
        // The path ends at the anchor, but the chain goes on.
        #expect(
            try !isAccepted([leaf, middle.certificate, root.certificate], [middle.certificate]))
    }

    @Test("another certificate of the same authority is not the one that was sent")
    func another() throws {
        let first = try TestAuthority(TestKeys.stranger)
        let second = try TestAuthority(TestKeys.stranger) { $0.serial = 2 }
        let leaf = try first.leaf(TestKeys.signing)
        #expect(try isAccepted([leaf], [second.certificate]))
        #expect(try isAccepted([leaf, second.certificate], [second.certificate]))
        #expect(try !isAccepted([leaf, first.certificate], [second.certificate]))
    }

    @Test("a root's own signature is not asked, SHA-1 or not; that of all others is")
    func weakRoot() throws {
        let root = try TestAuthority(TestKeys.stranger)
        let weakRoot = weak(root.certificate)
        let leaf = try root.leaf(TestKeys.signing)
        #expect(try isAccepted([leaf, weakRoot], [weakRoot]))
        let middle = try TestAuthority(TestKeys.client, "Middle", by: root)
        let weakMiddle = weak(middle.certificate)
        let below = try middle.leaf(TestKeys.signing)
        #expect(try !isAccepted([below, weakMiddle], [root.certificate]))
        #expect(try !isAccepted([weak(leaf)], [root.certificate]))
        #expect(try !isAccepted([weakRoot], [weakRoot]))
    }
}
