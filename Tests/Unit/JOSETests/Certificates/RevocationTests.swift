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

    private func validate(
        _ lists: [[UInt8]], _ chain: [[UInt8]]? = nil, at time: Int64 = now
    ) throws -> ValidatedChain {
        let store = try TrustStore(anchors: [root.certificate], revocationLists: lists)
        return try store.validate(
            TestChains.key(TestKeys.signing, chain ?? [leaf]), purpose: .signature,
            at: TestChains.date(time))
    }

    private func expectRevocation(
        _ word: String, _ lists: [[UInt8]], at time: Int64 = now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = expectRejection("untrusted-key", word, sourceLocation: sourceLocation) {
            _ = try validate(lists, at: time)
        }
        #expect(error?.message.contains(word) == true, sourceLocation: sourceLocation)
    }

    @Test("RFC 5280 6.3: a current list limits the result, and counts up to its last second")
    func fresh() throws {
        let list = try root.revocationList(
            revoked: [4, 6], from: Self.now - 50, until: Self.now + 100)
        for offset in [0, 100, -50] as [Int64] {
            let proof = try validate([list], at: Self.now + offset)
            #expect(proof.notBefore.seconds == Self.now - 50)
            #expect(proof.notAfter.seconds == Self.now + 100)
        }
        expectRevocation("no current revocation list", [list], at: Self.now + 101)
        expectRevocation("no current revocation list", [list], at: Self.now - 51)
        #expect(try validate([]).notAfter.seconds == 1_900_000_000)
    }

    @Test("revoked certificates, missing lists, wrong issuers and wrong signatures are rejected")
    func rejected() throws {
        let (start, end) = (Self.now - 50, Self.now + 100)
        expectRevocation(
            "revoked", [try root.revocationList(revoked: [5], from: start, until: end)])
        let other = try TestAuthority(TestKeys.bare(TestKeys.client), "Other")
        let missing = "no current revocation list"
        expectRevocation(missing, [try other.revocationList(from: start, until: end)])
        expectRevocation(
            missing, [try root.revocationList(from: start, until: end, by: TestKeys.client)])
        // The right name does not help a list that another key signed, even next to a valid one.
        let good = try root.revocationList(revoked: [5], from: start, until: end)
        let forged = try root.revocationList(
            from: start + 10, until: end, by: TestKeys.client)
        expectRejection("untrusted-key") { _ = try validate([forged, good]) }
        expectRejection("untrusted-key") { _ = try validate([good, forged]) }
    }

    @Test("every certificate below the anchor needs a list of its issuer") func everyIssuer() throws
    {
        let middle = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root) {
            $0.serial = 9
        }
        let chain = [try middle.leaf(TestKeys.signing), middle.certificate]
        let ofRoot = try root.revocationList(from: Self.now - 50, until: Self.now + 100)
        let ofMiddle = try middle.revocationList(from: Self.now - 40, until: Self.now + 90)
        let proof = try validate([ofRoot, ofMiddle], chain)
        #expect(proof.notBefore.seconds == Self.now - 40)
        #expect(proof.notAfter.seconds == Self.now + 90)
        expectRejection("untrusted-key") { _ = try validate([ofRoot], chain) }
        expectRejection("untrusted-key") { _ = try validate([ofMiddle], chain) }
        let revoking = try root.revocationList(
            revoked: [9], from: Self.now - 50, until: Self.now + 100)
        expectRejection("untrusted-key") { _ = try validate([revoking, ofMiddle], chain) }
    }

    @Test("an anchor that is not a root needs no list, certificates below it do")
    func anchorInTheMiddle() throws {
        let upper = try TestAuthority(TestKeys.bare(TestKeys.client), "Upper", by: root)
        let lower = try TestAuthority(TestKeys.bare(TestKeys.decrypting), "Lower", by: upper)
        let leaf = try lower.leaf(TestKeys.signing)
        let (start, end) = (Self.now - 50, Self.now + 100)
        let ofRoot = try root.revocationList(from: start, until: end)
        let ofUpper = try upper.revocationList(from: start, until: end)
        let ofLower = try lower.revocationList(from: start, until: end)
        func validate(_ anchor: TestAuthority, _ chain: [[UInt8]], _ lists: [[UInt8]]) throws {
            _ = try TrustStore(anchors: [anchor.certificate], revocationLists: lists).validate(
                TestChains.key(TestKeys.signing, chain), purpose: .signature,
                at: TestChains.date(Self.now))
        }
        try validate(lower, [leaf], [ofLower])
        try validate(upper, [leaf, lower.certificate], [ofLower, ofUpper])
        try validate(upper, [leaf, lower.certificate], [ofLower, ofUpper, ofRoot])
        for lists in [[ofLower], [ofLower, ofRoot], [ofUpper], [ofUpper, ofRoot], [ofRoot]] {
            expectRejection("untrusted-key", "revocation") {
                try validate(upper, [leaf, lower.certificate], lists)
            }
        }
        expectRejection("untrusted-key", "revocation") { try validate(lower, [leaf], [ofUpper]) }
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
        let key = try TestChains.key(TestKeys.signing, [leaf])
        for (spans, wanted) in [
            ([(-5, 10)], (-5, 10)), ([(-5, 10), (-9, 100)], (-5, 10)),
            ([(-9, 100), (-5, 10)], (-5, 10)), ([(-9, 5), (-5, 10)], (-5, 10)),
        ] as [([(Int64, Int64)], (Int64, Int64))] {
            let newer = try spans.map { try silent($0.0, $0.1) }
            for lists in [[naming] + newer + [complete], [complete] + newer + [naming]] {
                let store = try TrustStore(anchors: [root.certificate], revocationLists: lists)
                let proof = try store.validate(
                    key, purpose: .signature, at: TestChains.date(Self.now))
                #expect(proof.notBefore.seconds == Self.now + wanted.0)
                #expect(proof.notAfter.seconds == Self.now + wanted.1)
            }
        }
        // The same store, which has the result in its cache.
        let lists = [naming, try silent(-5, 10), complete]
        let store = try TrustStore(anchors: [root.certificate], revocationLists: lists)
        for offset in [0, 10, -5] as [Int64] {
            _ = try store.validate(
                key, purpose: .signature, at: TestChains.date(Self.now + offset))
        }
        for offset in [11, 12, -6, 1_001] as [Int64] {
            expectRejection("untrusted-key", "revoked") {
                _ = try store.validate(
                    key, purpose: .signature, at: TestChains.date(Self.now + offset))
            }
        }
    }

    @Test("RFC 5280 5.2.1: a newer list by another key of the path removes no revocation")
    func otherKey() throws {
        // The authority changed its key: the new one signed the old one's certificate.
        let anchor = try TestAuthority(TestKeys.bare(TestKeys.client))
        let old = try TestAuthority(root.key, by: anchor) { $0.serial = 7 }
        let chain = [leaf, old.certificate]
        let start = Self.now - 50
        let end = Self.now + 100
        func validate(_ lists: [[UInt8]]) throws {
            for lists in [lists, lists.reversed()] {
                _ = try TrustStore(anchors: [anchor.certificate], revocationLists: lists).validate(
                    TestChains.key(TestKeys.signing, chain), purpose: .signature,
                    at: TestChains.date(Self.now))
            }
        }
        let ofOld = try old.revocationList(from: start, until: end)
        let ofNew = try anchor.revocationList(from: start + 10, until: end)
        try validate([ofOld, ofNew])
        try validate([ofNew])
        for (naming, silent) in [(old, anchor), (anchor, old)] {
            let list = try naming.revocationList(revoked: [5], from: start, until: end)
            let other = try silent.revocationList(from: start + 10, until: end)
            expectRejection("untrusted-key", "revoked") { try validate([list, other]) }
            // Its own key can remove the revocation.
            let again = try naming.revocationList(from: start + 5, until: end)
            try validate([list, again, other])
        }
        // A list that no key of the path signed cannot, either.
        let foreign = try root.revocationList(
            revoked: [5], from: start, until: end, by: TestKeys.decrypting)
        expectRejection("untrusted-key", "no current revocation list") {
            try validate([foreign, ofNew])
        }
    }

    @Test("RFC 5280 6.3.3: an authority further up with the issuer's name is not the issuer")
    func sameName() throws {
        let middle = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root) {
            $0.serial = 11
        }
        let (start, end) = (Self.now - 50, Self.now + 100)
        func validate(_ chain: [[UInt8]], _ lists: [[UInt8]]) throws {
            for lists in [lists, lists.reversed()] {
                _ = try TrustStore(anchors: [root.certificate], revocationLists: lists).validate(
                    TestChains.key(TestKeys.signing, chain), purpose: .signature,
                    at: TestChains.date(Self.now))
            }
        }
        let upper = [
            try root.revocationList(from: start, until: end),
            try middle.revocationList(from: start, until: end),
        ]
        for name in ["Lower", root.name] {
            let lower = try TestAuthority(TestKeys.bare(TestKeys.decrypting), name, by: middle) {
                $0.serial = 12
            }
            let leaf = try lower.leaf(TestKeys.signing) { $0.serial = 13 }
            let chain = [leaf, lower.certificate, middle.certificate]
            func list(_ revoked: [UInt8] = []) throws -> [UInt8] {
                try lower.revocationList(revoked: revoked, from: start, until: end)
            }
            try validate(chain, upper + [list()])
            // It cannot show that certificates of the lower one are good,
            expectRejection("untrusted-key", "no current revocation list") {
                try validate(chain, upper)
            }
            // or remove a revocation,
            let newer = try root.revocationList(from: start + 10, until: end)
            for lists in [upper + [try list([13])], upper + [newer, try list([13])]] {
                expectRejection("untrusted-key", says: "revoked") { try validate(chain, lists) }
            }
            // or revoke: a serial number of the upper one is not the lower one's.
            let naming = [
                try root.revocationList(revoked: [13], from: start, until: end), upper[1],
            ]
            expectRejection("untrusted-key", says: "no current revocation list") {
                try validate(chain, naming)
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
                try validate(chain, upper + [lower.revocationList(from: start, until: end)])
            }
            return
        }
        expectRejection("untrusted-key", says: "no current revocation list") {
            try validate(chain, upper)
        }
        // The lower authority's other key signs lists for the self-issued one's leaf.
        try validate(chain, upper + [lower.revocationList(from: start, until: end)])
    }

    @Test("an unrelated list changes nothing, and a later list ends the result")
    func others() throws {
        let good = try root.revocationList(from: Self.now - 50, until: Self.now + 100)
        let other = try TestAuthority(TestKeys.bare(TestKeys.client), "Other")
        let stale = try other.revocationList(from: Self.now - 90, until: Self.now - 80)
        #expect(try validate([good, stale]).notAfter.seconds == Self.now + 100)
        let later = try root.revocationList(
            revoked: [5], from: Self.now + 60, until: Self.now + 500)
        #expect(try validate([good, later]).notAfter.seconds == Self.now + 59)
        expectRevocation("revoked", [good, later], at: Self.now + 60)
    }
}
