// Several anchors with one name, as after the renewal of a root. The chain that was sent decides
// which one ends it; the order of the anchors does not matter.

import JOSE
import Testing

@Suite("Anchors with the same name")
struct ChainAnchorTests {
    private typealias Change = (inout TestCertificate) -> Void
    private static let now = TestChains.now
    private static let lastEnd: Int64 = 1_900_000_000
    private static let valid = "the chain is valid"
    private static let anchorExpired = "the trust anchor: a certificate has expired"
    private static let surplus = "a certificate is not part of the path; remove it"
    private static let keys = (old: TestKeys.stranger, new: TestKeys.client)

    /// The root's certificates: self-signed, and after a change of keys.
    private let old, new, newWithOld, oldWithNew: TestAuthority
    private let oldLeaf, newLeaf: [UInt8]

    init() throws {
        old = try Self.root(Self.keys.old, serial: 11, end: 1_850_000_000)
        new = try Self.root(Self.keys.new, serial: 12, end: 1_870_000_000)
        newWithOld = try Self.root(Self.keys.new, serial: 13, end: 1_850_000_000, by: old)
        oldWithNew = try Self.root(Self.keys.old, serial: 14, end: 1_860_000_000, by: new)
        oldLeaf = try old.leaf(TestKeys.signing) { $0.serial = 5 }
        newLeaf = try new.leaf(TestKeys.signing) { $0.serial = 6 }
    }

    private static func root(
        _ key: JWK, serial: UInt8, end: Int64 = lastEnd, by issuer: TestAuthority? = nil,
        _ change: Change = { _ in }
    ) throws -> TestAuthority {
        try TestAuthority(key, "Root", by: issuer) {
            ($0.serial, $0.end) = (serial, end)
            change(&$0)
        }
    }

    private static func orders<Element>(_ all: [Element]) -> [[Element]] {
        guard all.count > 1 else { return [all] }
        return all.indices.flatMap { index -> [[Element]] in
            var others = all
            let first = others.remove(at: index)
            return orders(others).map { [first] + $0 }
        }
    }

    /// The result and its end, which must be the same in each order of anchors and lists.
    private func verdict(
        _ chain: [[UInt8]], _ anchors: [TestAuthority], _ lists: [[UInt8]] = [],
        at time: Int64 = now, _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (message: String, end: Int64?) {
        var said: [(message: String, end: Int64?)] = []
        for anchors in Self.orders(anchors) {
            for lists in Self.orders(lists) {
                let store = try TrustStore(
                    anchors: anchors.map(\.certificate), revocationLists: lists)
                let report = try TestChains.report(chain, store, at: time)
                said.append((report.message, report.notAfter?.seconds))
            }
        }
        let first = try need(said.first)
        #expect(
            said.allSatisfy { $0 == first }, "the order decides: \(said)",
            sourceLocation: sourceLocation)
        return first
    }

    private static func leafError(_ reason: String) -> String {
        "certificate 1 (CN=Leaf): \(reason)"
    }

    private func message(
        _ chain: [[UInt8]], _ anchors: [TestAuthority], _ lists: [[UInt8]] = [],
        at time: Int64 = now, _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> String {
        try verdict(chain, anchors, lists, at: time, sourceLocation).message
    }

    @Test("a root renewed with the same key, valid or expired, sent in the chain or not")
    func sameKey() throws {
        let renewed = try Self.root(Self.keys.old, serial: 21)
        let expired = try Self.root(Self.keys.old, serial: 22, end: Self.now - 1)
        let anchors = [old, renewed, expired]
        // Without a root in the chain, the anchor that is valid longest ends it. Otherwise the sent
        // root does.
        #expect(try verdict([oldLeaf], anchors) == (Self.valid, Self.lastEnd))
        #expect(try verdict([oldLeaf, renewed.certificate], anchors) == (Self.valid, Self.lastEnd))
        #expect(try verdict([oldLeaf, old.certificate], anchors) == (Self.valid, 1_850_000_000))
        #expect(
            try message([oldLeaf, expired.certificate], anchors)
                == "certificate 2 (CN=Root): a certificate has expired")
        // A self-signed certificate counts because it is an anchor, not because of its signature.
        #expect(
            try message([oldLeaf, renewed.certificate], [old, expired])
                == "certificate 2 (CN=Root): \(Self.surplus)")
        #expect(try message([oldLeaf], [expired]) == Self.anchorExpired)
    }

    @Test("a root renewed with another key, with certificates signed by either key")
    func otherKey() throws {
        let all = [old, new, newWithOld, oldWithNew]
        for (chain, end) in [
            ([oldLeaf], 1_860_000_000), ([newLeaf], 1_870_000_000),
            ([oldLeaf, old.certificate], 1_850_000_000),
            ([newLeaf, new.certificate], 1_870_000_000),
            ([newLeaf, newWithOld.certificate], 1_850_000_000),
            ([oldLeaf, oldWithNew.certificate], 1_860_000_000),
            ([newLeaf, newWithOld.certificate, old.certificate], 1_850_000_000),
            ([oldLeaf, oldWithNew.certificate, new.certificate], 1_860_000_000),
        ] as [([[UInt8]], Int64)] {
            #expect(try verdict(chain, all) == (Self.valid, end))
            let bare: Int64 = chain.count == 1 && chain[0] == oldLeaf ? 1_850_000_000 : end
            #expect(try verdict(chain, [old, new]) == (Self.valid, bare))
        }
        #expect(try message([newLeaf, newWithOld.certificate], [old]) == Self.valid)
        #expect(try message([oldLeaf, oldWithNew.certificate], [new]) == Self.valid)
        let unknown = "certificate 1 (CN=Leaf): the chain does not lead to a trust anchor"
        #expect(try message([newLeaf], [old, oldWithNew]) == unknown)
        #expect(try message([oldLeaf], [new, newWithOld]) == unknown)
    }

    @Test("a cross-certified authority, with both certificates as anchors") func crossed() throws {
        let other = try TestAuthority(TestKeys.decrypting, "Other")
        let crossed = try Self.root(Self.keys.old, serial: 31, by: other)
        let middle = try TestAuthority(TestKeys.client, "Middle", by: old)
        let leaf = try middle.leaf(TestKeys.signing)
        for anchors in [[old, other], [old, other, crossed], [old, other, middle]] {
            for tail in [[], [old], [crossed], [crossed, other]] {
                let chain = [leaf, middle.certificate] + tail.map(\.certificate)
                #expect(try message(chain, anchors) == Self.valid)
            }
        }
        // A certificate after the only anchor is still surplus.
        #expect(
            try message([leaf, middle.certificate, crossed.certificate], [old, middle])
                == "certificate 3 (CN=Root): \(Self.surplus)")
    }

    /// The root's name and the old key's identifier with another key.
    private func impostor(_ serial: UInt8) throws -> TestAuthority {
        let names: [TestCertificate.Extension] = [
            try .keyID(of: Self.keys.old), try .authorityKeyID(of: Self.keys.old),
        ]
        return try Self.root(Self.keys.new, serial: serial) {
            $0.namesKeys = false
            $0.extensions += names
        }
    }

    @Test("an anchor with another anchor's key identifier neither helps nor hides it")
    func identifiers() throws {
        let other = try impostor(41)
        #expect(try verdict([oldLeaf], [old, other]) == (Self.valid, 1_850_000_000))
        #expect(
            try message([oldLeaf], [other])
                == "certificate 1 (CN=Leaf): a certificate's signature does not verify")
        let expired = try Self.root(Self.keys.old, serial: 42, end: Self.now - 1)
        #expect(try message([oldLeaf], [expired, other]) == Self.anchorExpired)
    }

    @Test("eight anchors of one name and identifier are tried, and duplicates count once")
    func bound() throws {
        let others = try (0..<8).map { try impostor(50 + $0) }
        let repeated = [TestAuthority](repeating: others[0], count: 20)
        let twice = others.dropLast().map { others.dropLast() + [$0, old] }
        for anchors in [others.dropLast() + [old], [old] + others.dropLast(), repeated + [old]]
            + twice
        {
            let store = try TrustStore(anchors: anchors.map(\.certificate))
            let report = try TestChains.report([oldLeaf], store)
            #expect(report.message == Self.valid)
        }
        for anchors in [others + [old], [old] + others] {
            let store = try TrustStore(anchors: anchors.map(\.certificate))
            #expect(try TestChains.report([oldLeaf], store).error != nil)
            // A sent anchor is found among any number of anchors.
            let sent = try TestChains.report([oldLeaf, old.certificate], store)
            #expect(sent.message == Self.valid)
        }
    }

    @Test(
        "one valid path is enough, and otherwise the error nearest to the leaf is reported")
    func rejections() throws {
        let middle = try TestAuthority(TestKeys.decrypting, "Middle", by: old)
        let leaf = try middle.leaf(TestKeys.signing)
        let chain = [leaf, middle.certificate]
        let narrow = try Self.root(Self.keys.old, serial: 61) {
            // No authority below it is allowed.
            $0.extensions[0] = .other(19, [0x30, 6, 1, 1, 0xff, 2, 1, 0], isCritical: true)
        }
        let early = try Self.root(Self.keys.old, serial: 62, end: 1_890_000_000) {
            $0.start = Self.now + 1
        }
        #expect(try verdict(chain, [narrow, early, old]) == (Self.valid, 1_850_000_000))
        let tooLong =
            "the trust anchor: the chain is longer than an issuer's path length constraint allows"
        let tooEarly = "the trust anchor: a certificate is not valid yet"
        // Both fail at the anchor: the one that is valid longest is reported.
        #expect(try message(chain, [narrow, early]) == tooLong)
        let earlier = try Self.root(Self.keys.old, serial: 63) { $0.start = Self.now + 1 }
        let narrower = try Self.root(Self.keys.old, serial: 64, end: 1_890_000_000) {
            $0.extensions[0] = .other(19, [0x30, 6, 1, 1, 0xff, 2, 1, 0], isCritical: true)
        }
        #expect(try message(chain, [earlier, narrower]) == tooEarly)
        // A defect of the chain itself takes precedence over a defect of an anchor.
        let stale = try middle.leaf(TestKeys.signing) { $0.end = Self.now - 1 }
        #expect(
            try message([stale, middle.certificate], [narrow, early, old])
                == "certificate 1 (CN=Leaf): a certificate has expired")
        let forging = try old.leaf(TestKeys.signing) {
            $0.extensions = [.keyUsage(0x20, unused: 5)]
        }
        #expect(
            try message([forging], [early, old])
                == "certificate 1 (CN=Leaf): the certificate's keyUsage does not allow this use")
    }

    @Test("a validation result expires with its anchor, and the next one uses another anchor")
    func remembered() throws {
        let next = try Self.root(Self.keys.old, serial: 71) { $0.start = Self.now + 10 }
        for anchors in Self.orders([old, next]) {
            let store = try TrustStore(anchors: anchors.map(\.certificate))
            func proof(_ time: Int64) throws -> ValidatedChain {
                try TestChains.validate([oldLeaf], store, at: time)
            }
            for _ in 0..<2 {
                #expect(try proof(Self.now + 9).notAfter.seconds == 1_850_000_000)
                #expect(try proof(1_850_000_000).notAfter.seconds == 1_850_000_000)
                #expect(try proof(1_850_000_001).notBefore.seconds == Self.now + 10)
                #expect(try proof(Self.now + 10).notAfter.seconds == Self.lastEnd)
            }
        }
    }

    // MARK: revocation lists

    private func list(_ root: TestAuthority, _ revoked: [UInt8] = []) throws -> [UInt8] {
        try root.revocationList(
            revoked: revoked, from: Self.now - 50, until: Self.now + 100,
            extensions: [.authorityKeyID(of: root.key)])
    }

    @Test("revocation lists of the old and the new key count, whichever anchor ends the chain")
    func lists() throws {
        let clean = [try list(old), try list(new)]
        let end = Self.now + 100
        for chain in [
            [oldLeaf], [newLeaf], [oldLeaf, old.certificate], [newLeaf, new.certificate],
            [newLeaf, newWithOld.certificate], [oldLeaf, oldWithNew.certificate],
            [newLeaf, newWithOld.certificate, old.certificate],
        ] {
            #expect(try verdict(chain, [old, new], clean) == (Self.valid, end))
        }
        let revoked = Self.leafError("a certificate has been revoked")
        let unknown = Self.leafError("there is no current revocation list for a certificate")
        let byNew = [try list(old), try list(new, [6])]
        #expect(try message([newLeaf], [old, new], byNew) == revoked)
        #expect(try message([newLeaf, newWithOld.certificate], [old, new], byNew) == revoked)
        #expect(try message([oldLeaf], [old, new], byNew) == Self.valid)
        // In the name of the issuer, by a key that did not issue the certificate: known on one
        // path, unknown on the other.
        let byOld = [try list(old, [6]), try list(new)]
        #expect(try message([newLeaf, newWithOld.certificate], [old, new], byOld) == revoked)
        #expect(try message([newLeaf], [old, new], byOld) == unknown)
        // The certificate of the new key, signed by the old one.
        let middle = [try list(old, [13]), try list(new)]
        #expect(
            try message([newLeaf, newWithOld.certificate], [old, new], middle)
                == "certificate 2 (CN=Root): a certificate has been revoked")
        #expect(try message([newLeaf], [old, new], middle) == Self.valid)
        #expect(
            try message([newLeaf, newWithOld.certificate], [old, new, newWithOld], middle)
                == Self.valid, "an anchor needs no list")
        #expect(try message([newLeaf], [old, new], [list(old)]) == unknown)
    }

    @Test("a root renewed with the same key, of which one certificate may not sign lists")
    func listSigner() throws {
        let silent = try Self.root(Self.keys.old, serial: 81) {
            $0.extensions[1] = .keyUsage(0x04, unused: 2)
        }
        #expect(try message([oldLeaf], [old, silent], [list(old)]) == Self.valid)
        #expect(
            try message([oldLeaf], [old, silent], [list(old, [5])])
                == "certificate 1 (CN=Leaf): a certificate has been revoked")
        #expect(
            try message([oldLeaf], [silent], [list(old)])
                == "certificate 1 (CN=Leaf): there is no current revocation list for a certificate")
    }
}
