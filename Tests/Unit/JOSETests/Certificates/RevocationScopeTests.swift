// Several lists of one issuer: each is used, in every order, and none overrides another that names
// the certificate.

import JOSE
import Testing

@Suite("Certificates: several revocation lists")
struct RevocationScopeTests {
    typealias Extension = TestCertificate.Extension

    private static let now = TestChains.now
    private static let point = "https://a.example/1.crl"
    private let root: TestAuthority
    private let middle: TestAuthority

    init() throws {
        root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        middle = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root) {
            $0.serial = 9
        }
    }

    private static func orders<T>(_ all: [T]) -> [[T]] {
        guard let first = all.first else { return [[]] }
        return orders(Array(all.dropFirst())).flatMap { rest in
            (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
        }
    }

    private func list(
        _ authority: TestAuthority, revoked: [UInt8] = [], _ times: (Int64, Int64) = (-50, 100),
        _ extensions: [Extension] = [], by signer: JWK? = nil
    ) throws -> [UInt8] {
        try authority.revocationList(
            revoked: revoked, from: Self.now + times.0, until: Self.now + times.1, by: signer,
            extensions: extensions)
    }

    /// The result for the leaf, below the intermediate or the root, in every order of the lists.
    private func expect(
        _ wanted: String, _ lists: [[UInt8]], belowRoot: Bool = true,
        change: (inout TestCertificate) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let leaf = try (belowRoot ? root : middle).leaf(TestKeys.signing) {
            $0.serial = 5
            change(&$0)
        }
        let chain = belowRoot ? [leaf] : [leaf, middle.certificate]
        for chain in [chain, chain + [root.certificate]] {
            for lists in Self.orders(lists) {
                let store = try TrustStore(anchors: [root.certificate], revocationLists: lists)
                let report = try TestChains.report(chain, store)
                #expect(report.message.contains(wanted), sourceLocation: sourceLocation)
            }
        }
    }

    private let users = Extension.scope([0x81, 0x01, 0xff])
    private let authorities = Extension.scope([0x82, 0x01, 0xff])
    private let missing = "certificate 1 (CN=Leaf): there is no current revocation list"
    private let revoked = "certificate 1 (CN=Leaf): a certificate has been revoked"

    @Test("RFC 5280 6.3.3: a newer list of other or partial scope replaces none")
    func silence() throws {
        let full = try list(root, revoked: [5])
        let mine = try Extension.authorityKeyID(of: root.key)
        for newer in [
            [users], [authorities], [.distributionPoint(Self.point)], [mine], [mine, users],
            [.distributionPoint("https://b.example/2.crl")],
        ] as [[Extension]] {
            let other = try list(root, (-10, 100), newer)
            try expect(revoked, [full, other])
            try expect(revoked, [full, other]) { $0.extensions.append(.listsAt(Self.point)) }
            try expect(revoked, [full, other, list(root, (-20, 90), [users])])
        }
    }

    @Test("RFC 5280 6.3.3: a newer list of the same scope replaces an older one")
    func newest() throws {
        let (older, newer) = (try list(root, revoked: [5]), try list(root, (-10, 100)))
        try expect("valid", [older, newer])
        try expect(revoked, [list(root), list(root, revoked: [5], (-10, 100))])
        // Of two with the same start, both count.
        try expect(revoked, [list(root, revoked: [5]), list(root, (-50, 90))])
        let (one, two) = (try list(root, revoked: [5], (-50, 100), [users]), [users])
        try expect("valid", [one, list(root, (-10, 100), two)])
        try expect(revoked, [one, newer])
        try expect(revoked, [one, list(root, (-10, 100), [authorities])])
    }

    @Test("an expired list still revokes but no longer shows that a certificate is good")
    func ended() throws {
        let ended = try list(root, revoked: [5], (-30, -1))
        try expect(revoked, [ended])
        try expect(revoked, [ended, list(root)])
        try expect(revoked, [ended, list(root, (-30, 100))])
        try expect("valid", [ended, list(root, (-29, 100))])
        // An expired list replaces none.
        try expect(revoked, [list(root, revoked: [5]), list(root, (-30, -1))])
        try expect(missing, [list(root, (-30, -1))])
    }

    @Test("RFC 5280 5.2.5: a list shows that a certificate is good only within its scope")
    func scopes() throws {
        let ofMiddle = try list(middle)
        try expect("valid", [list(root, (-50, 100), [users])])
        try expect(missing, [list(root, (-50, 100), [authorities])])
        try expect(
            "valid", [ofMiddle, list(root, (-50, 100), [authorities])], belowRoot: false)
        try expect(
            "certificate 2 (CN=Middle): there is no current revocation list",
            [ofMiddle, list(root, (-50, 100), [users])], belowRoot: false)
        try expect(
            "certificate 2 (CN=Middle): a certificate has been revoked",
            [ofMiddle, list(root, revoked: [9]), list(root, (-10, 100), [authorities])],
            belowRoot: false)
        // A list that names a certificate out of its scope still revokes it.
        try expect(revoked, [list(root), list(root, revoked: [5], (-60, 100), [authorities])])
    }

    @Test("RFC 5280 4.2.1.13: a distribution point's list covers certificates that name the point")
    func points() throws {
        let part = try list(root, (-50, 100), [.distributionPoint(Self.point)])
        try expect(missing, [part])
        try expect("valid", [part]) { $0.extensions.append(.listsAt(Self.point)) }
        try expect(missing, [part]) { $0.extensions.append(.listsAt(Self.point + "x")) }
        // A point for some reasons, or with lists of another issuer, does not match this list.
        try expect(missing, [part]) {
            $0.extensions.append(.listsAt(Self.point, [0x81, 0x02, 0x06, 0x40]))
        }
        try expect(missing, [part]) {
            $0.extensions.append(
                .listsAt(Self.point, TestDER.tagged(0xa2, TestDER.tagged(0x82, [0x61]))))
        }
        // A list of all certificates needs no point.
        try expect("valid", [list(root)]) { $0.extensions.append(.listsAt(Self.point)) }
        let revoking = try list(root, revoked: [5], (-50, 100), [.distributionPoint(Self.point)])
        try expect(revoked, [revoking]) { $0.extensions.append(.listsAt(Self.point)) }
        try expect(revoked, [revoking, list(root)])
    }

    /// A distribution point: its bytes, and the names that it matches.
    private struct Point {
        let bytes: [UInt8]
        let names: Set<[UInt8]>

        /// Full names.
        init(_ names: [[UInt8]]) {
            bytes = TestDER.tagged(0xa0, TestDER.tagged(0xa0, names.flatMap { $0 }))
            self.names = Set(names)
        }

        /// A name relative to the issuer of the lists in this file, the root.
        init(relative name: String) {
            let part = TestDER.tagged(0x31, Self.part(name))
            bytes = TestDER.tagged(0xa0, TestDER.tagged(0xa1, Self.part(name)))
            names = [
                TestDER.tagged(
                    0xa4, TestDER.sequence(Array(TestDER.name("Root").dropFirst(2)) + part))
            ]
        }

        /// A common name as an attribute.
        private static func part(_ name: String) -> [UInt8] {
            TestDER.sequence(
                [0x06, 0x03, 0x55, 0x04, 0x03] + TestDER.tagged(0x0c, Array(name.utf8)))
        }
    }

    @Test("RFC 5280 4.2.1.13: points with several names or names relative to the issuer")
    func relativePoints() throws {
        let addresses = ["https://a.example/1.crl", "https://a.example/2.crl"].map {
            TestDER.tagged(0x86, Array($0.utf8))
        }
        let (first, second) = (Point(relative: "First"), Point(relative: "Second"))
        let directory = TestDER.tagged(0xa4, TestDER.name("Elsewhere"))
        let full = Array(first.names)
        let all = [
            Point([addresses[0]]), Point([addresses[1]]), Point(addresses), Point([directory]),
            Point(full), Point([addresses[0]] + full), Point([directory, addresses[1]] + full),
            first, second,
        ]
        for theirs in all {
            let part = try list(root, (-50, 100), [.scope(theirs.bytes)])
            for mine in all {
                let shared = !mine.names.isDisjoint(with: theirs.names)
                try expect(shared ? "valid" : missing, [part]) {
                    $0.extensions.append(
                        .other(
                            31, TestDER.sequence(TestDER.sequence(mine.bytes)), isCritical: false))
                }
            }
        }
    }

    @Test("RFC 5280 6.3.3 (f): a revocation by a key outside the path makes the status unknown")
    func signers() throws {
        let stranger = TestKeys.bare(TestKeys.decrypting)
        let silent = try list(root, (-10, 100), by: stranger)
        let naming = try list(root, revoked: [5], (-10, 100), by: stranger)
        try expect(missing, [silent])
        try expect("valid", [silent, list(root)])
        try expect(revoked, [silent, list(root, revoked: [5])])
        try expect(missing, [naming])
        try expect(missing, [naming, list(root)])
        try expect(revoked, [naming, list(root, revoked: [5])])
        // The same for an authority that did not issue its own certificate.
        let ofRoot = try list(root)
        try expect("valid", [list(middle), ofRoot], belowRoot: false)
        for serials in [[], [5]] as [[UInt8]] {
            let forged = try list(middle, revoked: serials, (-10, 100), by: stranger)
            try expect(missing, [forged, ofRoot], belowRoot: false)
        }
    }

    @Test("RFC 5280 4.2.1.3: a list of an issuer that may not sign lists does not count")
    func usage() throws {
        let root = try TestAuthority(TestKeys.bare(TestKeys.stranger)) {
            $0.extensions = [.basicConstraints(isCA: true), .keyUsage(0x04, unused: 2)]
        }
        let leaf = try root.leaf(TestKeys.signing)
        let store = try TrustStore(anchors: [root.certificate], revocationLists: [list(root)])
        let report = try TestChains.report([leaf], store)
        #expect(report.message.contains("there is no current revocation list"))
    }
}
