// Revocation lists: revoking, stale, missing, of another issuer, current. They limit how long the
// validation result is valid.

import JOSE
import JOSECrypto
import Testing

@Suite("Certificates: revocation")
struct RevocationTests {
    private static let now = TestChains.now
    private let root: TestAuthority
    private let leaf: [UInt8]

    init() throws {
        root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        leaf = try root.leaf(TestKeys.signing) { $0.serial = 5 }
    }

    @discardableResult
    private func validate(
        _ lists: [[UInt8]], _ chain: [[UInt8]]? = nil, to anchor: TestAuthority? = nil,
        at time: Int64 = now
    ) throws -> ValidatedChain {
        let store = try TrustStore(
            anchors: [(anchor ?? root).certificate], revocationLists: lists)
        return try TestChains.validate(chain ?? [leaf], store, at: time)
    }

    /// Lists from 50 seconds ago until 100 seconds from now.
    private func list(
        _ authority: TestAuthority, _ revoked: [UInt8] = [], from start: Int64 = -50,
        by signer: JWK? = nil
    ) throws -> [UInt8] {
        try authority.revocationList(
            revoked: revoked, from: Self.now + start, until: Self.now + 100, by: signer)
    }

    private func expectRevocation(
        _ word: String, _ lists: [[UInt8]], at time: Int64 = now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectRejection("untrusted-key", says: word, sourceLocation: sourceLocation) {
            _ = try validate(lists, at: time)
        }
    }

    @Test("RFC 5280 6.3: a current list limits the result, and counts up to its last second")
    func fresh() throws {
        let list = try list(root, [4, 6])
        for offset in [0, 100, -50] as [Int64] {
            let proof = try validate([list], at: Self.now + offset)
            #expect(proof.notBefore.seconds == Self.now - 50)
            #expect(proof.notAfter.seconds == Self.now + 100)
        }
        expectRevocation("no current revocation list", [list], at: Self.now + 101)
        expectRevocation("no current revocation list", [list], at: Self.now - 51)
        #expect(try validate([]).notAfter.seconds == 1_900_000_000)
    }

    @Test("every certificate below the anchor needs a list of its issuer") func everyIssuer() throws
    {
        let middle = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root) {
            $0.serial = 9
        }
        let chain = [try middle.leaf(TestKeys.signing), middle.certificate]
        let ofRoot = try list(root)
        let ofMiddle = try middle.revocationList(from: Self.now - 40, until: Self.now + 90)
        let proof = try validate([ofRoot, ofMiddle], chain)
        #expect(proof.notBefore.seconds == Self.now - 40)
        #expect(proof.notAfter.seconds == Self.now + 90)
        expectRejection("untrusted-key") { _ = try validate([ofRoot], chain) }
        expectRejection("untrusted-key") { _ = try validate([ofMiddle], chain) }
        expectRejection("untrusted-key") { _ = try validate([list(root, [9]), ofMiddle], chain) }
    }

    @Test("an anchor that is not a root needs no list, certificates below it do")
    func anchorInTheMiddle() throws {
        let upper = try TestAuthority(TestKeys.bare(TestKeys.client), "Upper", by: root)
        let lower = try TestAuthority(TestKeys.bare(TestKeys.decrypting), "Lower", by: upper)
        let leaf = try lower.leaf(TestKeys.signing)
        let chain = [leaf, lower.certificate]
        let (ofRoot, ofUpper, ofLower) = (try list(root), try list(upper), try list(lower))
        try validate([ofLower], [leaf], to: lower)
        try validate([ofLower, ofUpper], chain, to: upper)
        try validate([ofLower, ofUpper, ofRoot], chain, to: upper)
        for lists in [[ofLower], [ofLower, ofRoot], [ofUpper], [ofUpper, ofRoot], [ofRoot]] {
            expectRejection("untrusted-key") { try validate(lists, chain, to: upper) }
        }
        expectRejection("untrusted-key") { try validate([ofUpper], [leaf], to: lower) }
    }

    @Test("RFC 5280 3.3: a revocation that a newer list removed counts again when that list ends")
    func takenBack() throws {
        let part = [TestCertificate.Extension.distributionPoint("https://a.example/1.crl")]
        let naming = try root.revocationList(
            revoked: [5], from: Self.now - 50, until: Self.now + 1_000, extensions: part)
        let complete = try root.revocationList(from: Self.now - 50, until: Self.now + 2_000)
        func silent(_ start: Int64, _ end: Int64) throws -> [UInt8] {
            try root.revocationList(
                from: Self.now + start, until: Self.now + end, extensions: part)
        }
        for (spans, wanted) in [
            ([(-5, 10)], (-5, 10)), ([(-5, 10), (-9, 100)], (-5, 10)),
            ([(-9, 100), (-5, 10)], (-5, 10)), ([(-9, 5), (-5, 10)], (-5, 10)),
        ] as [([(Int64, Int64)], (Int64, Int64))] {
            let newer = try spans.map { try silent($0.0, $0.1) }
            for lists in [[naming] + newer + [complete], [complete] + newer + [naming]] {
                let proof = try validate(lists)
                #expect(proof.notBefore.seconds == Self.now + wanted.0)
                #expect(proof.notAfter.seconds == Self.now + wanted.1)
            }
        }
        // The same store, which has the result in its cache.
        let lists = [naming, try silent(-5, 10), complete]
        let store = try TrustStore(anchors: [root.certificate], revocationLists: lists)
        for offset in [0, 10, -5] as [Int64] {
            try TestChains.validate([leaf], store, at: Self.now + offset)
        }
        for offset in [11, 12, -6, 1_001] as [Int64] {
            expectRejection("untrusted-key", "revoked") {
                try TestChains.validate([leaf], store, at: Self.now + offset)
            }
        }
    }

    @Test("RFC 5280 5.2.1: a newer list by another key of the path removes no revocation")
    func otherKey() throws {
        // The authority changed its key: the new one signed the old one's certificate.
        let anchor = try TestAuthority(TestKeys.bare(TestKeys.client))
        let old = try TestAuthority(root.key, by: anchor) { $0.serial = 7 }
        let chain = [leaf, old.certificate]
        func validate(_ lists: [[UInt8]]) throws {
            for lists in [lists, lists.reversed()] { try self.validate(lists, chain, to: anchor) }
        }
        let (ofOld, ofNew) = (try list(old), try list(anchor, from: -40))
        try validate([ofOld, ofNew])
        try validate([ofNew])
        for (naming, silent) in [(old, anchor), (anchor, old)] {
            let lists = [try list(naming, [5]), try list(silent, from: -40)]
            expectRejection("untrusted-key", "revoked") { try validate(lists) }
            // Its own key can remove the revocation.
            try validate(lists + [list(naming, from: -45)])
        }
        // A list that no key of the path signed cannot, either.
        let foreign = try list(root, [5], by: TestKeys.decrypting)
        expectRejection("untrusted-key", "no current revocation list") {
            try validate([foreign, ofNew])
        }
    }

    @Test("RFC 5280 6.3.3: an authority further up with the issuer's name is not the issuer")
    func sameName() throws {
        let middle = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root) {
            $0.serial = 11
        }
        func validate(_ chain: [[UInt8]], _ lists: [[UInt8]]) throws {
            for lists in [lists, lists.reversed()] { try self.validate(lists, chain) }
        }
        let upper = [try list(root), try list(middle)]
        for name in ["Lower", root.name] {
            let lower = try TestAuthority(TestKeys.bare(TestKeys.decrypting), name, by: middle) {
                $0.serial = 12
            }
            let leaf = try lower.leaf(TestKeys.signing) { $0.serial = 13 }
            let chain = [leaf, lower.certificate, middle.certificate]
            let naming = try list(lower, [13])
            try validate(chain, upper + [list(lower)])
            // It cannot show that certificates of the lower one are good,
            expectRejection("untrusted-key", "no current revocation list") {
                try validate(chain, upper)
            }
            // or remove a revocation,
            for lists in [upper + [naming], upper + [try list(root, from: -40), naming]] {
                expectRejection("untrusted-key", says: "revoked") { try validate(chain, lists) }
            }
            // or revoke: a serial number of the upper one is not the lower one's.
            expectRejection("untrusted-key", says: "no current revocation list") {
                try validate(chain, [list(root, [13]), upper[1]])
            }
        }
        // A self-issued certificate in between does not extend a list past the next authority.
        let lower = try TestAuthority(TestKeys.bare(TestKeys.decrypting), root.name, by: middle)
        let renewed = try TestAuthority(TestKeys.bare(TestKeys.large), root.name, by: lower)
        let chain = [
            try renewed.leaf(TestKeys.signing), renewed.certificate, lower.certificate,
            middle.certificate,
        ]
        // libcrypto 4.0 takes a self-issued certificate for a self-signed one and rejects the
        // chain.
        guard HostProcess.libraryNumber >> 20 != 0x400 else {
            expectRejection("untrusted-key", says: "signature does not verify") {
                try validate(chain, upper + [list(lower)])
            }
            return
        }
        expectRejection("untrusted-key", says: "no current revocation list") {
            try validate(chain, upper)
        }
        // The lower authority's other key signs lists for the self-issued one's leaf.
        try validate(chain, upper + [list(lower)])
    }

    @Test("an unrelated list changes nothing, and a later list ends the result")
    func others() throws {
        let good = try list(root)
        let other = try TestAuthority(TestKeys.bare(TestKeys.client), "Other")
        let stale = try other.revocationList(from: Self.now - 90, until: Self.now - 80)
        #expect(try validate([good, stale]).notAfter.seconds == Self.now + 100)
        let later = try root.revocationList(
            revoked: [5], from: Self.now + 60, until: Self.now + 500)
        #expect(try validate([good, later]).notAfter.seconds == Self.now + 59)
        expectRevocation("revoked", [good, later], at: Self.now + 60)
    }
}
