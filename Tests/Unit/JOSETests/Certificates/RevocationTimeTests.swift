// How long a validation result is valid with revocation lists: the newest current list and the next
// one to start.

import JOSE
import Testing

@Suite("Certificates: validity of revocation lists")
struct RevocationTimeTests {
    private static let now = TestChains.now
    private let root: TestAuthority

    init() throws {
        root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
    }

    /// The first and last second of the result, relative to now.
    private func proof(
        _ times: [(Int64, Int64)], leaf span: (Int64, Int64) = (-1_000, 1_000),
        extensions: [[TestCertificate.Extension]] = [], pointsTo uri: String? = nil
    ) throws -> [Int64] {
        let leaf = try root.leaf(TestKeys.signing) {
            ($0.start, $0.end) = (Self.now + span.0, Self.now + span.1)
            if let uri { $0.extensions.append(.listsAt(uri)) }
        }
        let lists = try times.enumerated().map { index, times in
            try root.revocationList(
                from: Self.now + times.0, until: Self.now + times.1,
                extensions: index < extensions.count ? extensions[index] : [])
        }
        let proof = try TestChains.validate(
            [leaf], TrustStore(anchors: [root.certificate], revocationLists: lists))
        return [proof.notBefore.seconds - Self.now, proof.notAfter.seconds - Self.now]
    }

    @Test("RFC 5280 6.3.3: the list or the certificate limits the result, whichever ends first")
    func shorter() throws {
        #expect(try proof([(-50, 100)]) == [-50, 100])
        #expect(try proof([(-50, 100)], leaf: (-20, 30)) == [-20, 30])
        #expect(try proof([(-50, 100)], leaf: (-60, 30)) == [-50, 30])
        #expect(try proof([(-50, 100)], leaf: (-20, 130)) == [-20, 100])
        #expect(try proof([(0, 100)]) == [0, 100])
        #expect(try proof([(-50, 0)]) == [-50, 0])
        #expect(try proof([(0, 0)]) == [0, 0])
    }

    @Test("of two current lists the newest counts, in either order")
    func newest() throws {
        for (older, newer) in [((-50, 100), (-10, 30)), ((-50, 30), (-10, 100))]
            as [((Int64, Int64), (Int64, Int64))]
        {
            let wanted = [newer.0, newer.1]
            #expect(try proof([older, newer]) == wanted)
            #expect(try proof([newer, older]) == wanted)
        }
        // An expired list does not count, nor does one that has not started.
        #expect(try proof([(-50, -1), (-60, 40)]) == [-60, 40])
        #expect(try proof([(-60, 40), (-50, -1)]) == [-60, 40])
    }

    @Test("RFC 5280 5.2.1, 5.2.5: a newer list of another key or scope replaces none")
    func scopes() throws {
        let (own, other) = (root.key, TestKeys.client)
        let mine = try [TestCertificate.Extension.authorityKeyID(of: own)]
        let theirs = try [TestCertificate.Extension.authorityKeyID(of: other)]
        let part = [TestCertificate.Extension.distributionPoint("https://a.example/1.crl")]
        let older: (Int64, Int64) = (-50, 30)
        let newer: (Int64, Int64) = (-10, 100)
        #expect(try proof([older, newer], extensions: [mine, mine]) == [-10, 100])
        for (first, second) in [(mine, theirs), (mine, []), ([], theirs)] {
            #expect(try proof([older, newer], extensions: [first, second]) == [-10, 30])
            #expect(try proof([newer, older], extensions: [second, first]) == [-10, 30])
        }
        // A list that does not cover the certificate limits nothing.
        for (uri, wanted) in [
            (nil, [-50, 30]), ("https://a.example/2.crl", [-50, 30]),
            ("https://a.example/1.crl", [-10, 30]),
        ] as [(String?, [Int64])] {
            let both = [mine, mine + part]
            #expect(try proof([older, newer], extensions: both, pointsTo: uri) == wanted)
            #expect(
                try proof([newer, older], extensions: both.reversed(), pointsTo: uri) == wanted)
        }
        // Of two with the same start, either may be the one that is used.
        #expect(try proof([(-50, 100), (-50, 30)]) == [-50, 30])
        #expect(try proof([(-50, 30), (-50, 100)]) == [-50, 30])
    }

    @Test("a list that starts later ends the result one second before")
    func later() throws {
        for (start, wanted) in [(1, 0), (2, 1), (60, 59), (100, 99), (101, 100), (102, 100)]
            as [(Int64, Int64)]
        {
            #expect(try proof([(-50, 100), (start, 500)]) == [-50, wanted], "\(start)")
            #expect(try proof([(start, 500), (-50, 100)]) == [-50, wanted], "\(start)")
        }
        #expect(try proof([(-50, 100), (80, 500), (40, 500), (60, 500)]) == [-50, 39])
        #expect(try proof([(-50, 100), (25, 500)], leaf: (-20, 20)) == [-20, 20])
    }
}
