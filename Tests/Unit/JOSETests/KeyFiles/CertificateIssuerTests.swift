// The issuer of a certificate in a key file is found by name and signature, so that no added
// certificate changes which key or chain is read.

import JOSE
import JOSEBytes
import Testing

@Suite("Certificate issuers in key files")
struct CertificateIssuerTests {
    private let root: TestAuthority
    private let middle: TestAuthority
    /// The certificate of the signer, issued by the intermediate authority.
    private let leaf: [UInt8]
    private let signer: TestAuthority
    /// A key that is not in the chain.
    private let foreign: JWK

    init() throws {
        root = try TestAuthority(TestKeys.bare(TestKeys.stranger))
        middle = try TestAuthority(TestKeys.bare(TestKeys.client), "Middle", by: root)
        signer = try TestAuthority(TestKeys.bare(TestKeys.signing), "Signer", by: middle) {
            $0.extensions = [.keyUsage(0xa0, unused: 5)]
        }
        leaf = signer.certificate
        foreign = try JWK.generate(.curve(.secp256k1))
    }

    private var chain: [[UInt8]] { [leaf, middle.certificate, root.certificate] }

    private func pem(_ certificates: [[UInt8]], _ keys: [JWK] = []) throws -> KeyFileContents {
        let files = try keys.flatMap { try $0.privateKeyFile(.pem) }
        return try KeyFileContents(
            files + certificates.flatMap { TestDER.pemFile("CERTIFICATE", $0) })
    }

    /// The same certificates in PEM, PKCS#7 and PKCS#12.
    private func files(_ certificates: [[UInt8]]) throws -> [KeyFileContents] {
        let bags = certificates.map { PKCS12Maker.certificateBag($0) }
        let password = Array("pass".utf8)
        return [
            try pem(certificates), try KeyFileContents(PKCS12Maker.certificatesOnly(certificates)),
            try KeyFileContents(
                PKCS12Maker(safes: [PKCS12Maker.plain(bags)]).file(), password: password),
        ]
    }

    /// All orders with the added certificate in another position and the chain rotated.
    private func orders(_ certificates: [[UInt8]], _ added: [UInt8]) -> [[[UInt8]]] {
        [certificates, certificates.reversed()].flatMap { certificates in
            (0...certificates.count).map { index in
                Array(certificates[..<index]) + [added] + certificates[index...]
            }
        }
    }

    /// A certificate with these names and this key, signed by another key.
    private func forged(
        _ subject: String, issuer: String, key: JWK? = nil, by signer: JWK? = nil
    ) throws -> [UInt8] {
        let draft = TestCertificate(subject: subject, issuer: issuer, key: key ?? foreign)
        return try draft.signed(by: signer ?? foreign)
    }

    // MARK: certificates alone

    @Test("a certificate that only names the signer as issuer does not replace the signer")
    func namesTheSigner() throws {
        for (subject, issuer) in [
            ("Added", "Signer"), ("Signer", "Signer"), ("Middle", "Signer"), ("Root", "Signer"),
            ("Signer", "Middle"), ("Signer", "Root"),
        ] {
            let added = try forged(subject, issuer: issuer)
            for certificates in orders([leaf, middle.certificate], added) {
                for file in try files(certificates) {
                    expectRejection("key-unusable", says: "certificates ") { _ = try file.key() }
                    let entries = try file.entries()
                    let signers = entries.keys.filter { $0.key.certificateChain?.first == leaf }
                    #expect(
                        signers.map(\.key.certificateChain) == [[leaf, middle.certificate]],
                        "\(subject) by \(issuer)")
                    let others = entries.keys.filter { $0.key.certificateChain?.first == added }
                    #expect(others.map(\.key.certificateChain) == [[added]])
                    #expect(entries.keys.count == 2)
                }
            }
        }
    }

    @Test("a certificate with an issuer's name and another key is in no chain")
    func namesakeOfAnIssuer() throws {
        for (subject, issuer) in [
            ("Middle", "Root"), ("Middle", "Middle"), ("Root", "Root"), ("Middle", "Nobody"),
        ] {
            let added = try forged(subject, issuer: issuer)
            for certificates in orders(chain, added) {
                for file in try files(certificates) {
                    let chains = try file.entries().keys.compactMap(\.key.certificateChain)
                    #expect(chains.filter { $0.first == leaf } == [chain])
                    #expect(chains.filter { $0.contains(added) } == [[added]])
                    expectRejection("key-unusable") { _ = try file.key() }
                }
            }
        }
    }

    @Test("PKCS#7 certificates keep their order if one only names the signer as issuer")
    func orderOfSets() throws {
        let added = try forged("Added", issuer: "Signer")
        let certificates = [middle.certificate, added, leaf]
        #expect(
            try KeyFileContents(PKCS12Maker.certificatesOnly(certificates)).certificates
                == certificates)
        let ordered = try CertificateOrder.leafFirst([middle.certificate, leaf])
        #expect(ordered == [leaf, middle.certificate])
    }

    // MARK: keys with certificates

    @Test("of two authorities with one name, the chain contains the one that signed")
    func rekeyedAuthority() throws {
        let newRoot = try TestAuthority(TestKeys.bare(TestKeys.decrypting), "Root")
        let newMiddle = try TestAuthority(TestKeys.bare(TestKeys.large), "Middle", by: newRoot)
        let signing = TestKeys.bare(TestKeys.signing)
        for authority in [middle, newMiddle] {
            let top = authority.certificate == middle.certificate ? root : newRoot
            let own = try authority.leaf(signing)
            let all = [
                own, middle.certificate, newMiddle.certificate, root.certificate,
                newRoot.certificate,
            ]
            for turn in all.indices {
                for certificates in [Array(all[turn...] + all[..<turn])] {
                    for turned in [certificates, certificates.reversed()] {
                        let entries = try pem(turned, [signing]).entries()
                        #expect(
                            entries.keys.map(\.key.certificateChain) == [
                                [own, authority.certificate, top.certificate]
                            ])
                        #expect(entries.warnings.count == 2)
                    }
                }
            }
            let other = authority.certificate == middle.certificate ? newMiddle : middle
            expectRejection("key-unusable", says: "certificate 2 ") {
                _ = try signing.withCertificates([own, other.certificate])
            }
            expectRejection("key-unusable") {
                _ = try signing.withCertificates(
                    [other.certificate, own, authority.certificate])
            }
            let key = try signing.withCertificates([top.certificate, authority.certificate, own])
            #expect(key.certificateChain == [own, authority.certificate, top.certificate])
        }
    }

    @Test("RFC 5280 7.1: names that differ in case, spaces and string type are equal")
    func equalNames() throws {
        let signing = TestKeys.bare(TestKeys.signing)
        let names: [[UInt8]] = [
            TestDER.name([(3, 0x13, Array("MIDDLE".utf8))]),
            TestDER.name([(3, 0x0c, Array(" middle ".utf8))]),
            TestDER.name([(3, 0x13, Array("Middle".utf8))]),
        ]
        let own = try middle.leaf(signing)
        for name in names {
            let authority = try TestAuthority(middle.key, "Middle", by: root) {
                $0.subjectName = name
            }
            let certificates = [root.certificate, authority.certificate, own]
            let wanted = [own, authority.certificate, root.certificate]
            #expect(try signing.withCertificates(certificates).certificateChain == wanted)
            #expect(try pem(certificates).key().certificateChain == wanted)
            let entries = try pem(certificates, [signing]).entries()
            #expect(entries.keys.map(\.key.certificateChain) == [wanted])
            #expect(
                try KeyFileContents(PKCS12Maker.certificatesOnly(certificates)).certificates
                    == wanted)
        }
    }

    @Test("a second certificate with an issuer's name and key is an error that names both")
    func crossCertified() throws {
        let signing = TestKeys.bare(TestKeys.signing)
        let other = try TestAuthority(TestKeys.bare(TestKeys.decrypting), "Other")
        let cross = try forged("Middle", issuer: "Other", key: middle.key, by: other.key)
        let own = try middle.leaf(signing)
        for certificates in orders([own, middle.certificate, root.certificate], cross) {
            let (a, b) = (
                try #require(certificates.firstIndex(of: middle.certificate)),
                try #require(certificates.firstIndex(of: cross))
            )
            let error = expectRejection("key-unusable") {
                _ = try pem(certificates, [signing]).entries()
            }
            let message = error?.message ?? ""
            #expect(message.contains("certificates \(min(a, b) + 1) and \(max(a, b) + 1) "))
            expectRejection("key-unusable") { _ = try pem(certificates).key() }
        }
        // A root with this name and key is self-signed, which requires its private key.
        let crossRoot = try forged("Root", issuer: "Other", key: root.key, by: other.key)
        let wanted = [own, middle.certificate, root.certificate]
        for certificates in orders(wanted, crossRoot) {
            let entries = try pem(certificates, [signing]).entries()
            #expect(entries.keys.map(\.key.certificateChain) == [wanted])
            #expect(entries.warnings.count == 1)
        }
        // Without it the cross certificate is the only issuer.
        let certificates = [own, middle.certificate, crossRoot, other.certificate]
        for turned in [certificates, certificates.reversed()] {
            #expect(try pem(turned).key().certificateChain == certificates)
        }
    }

    @Test("two different certificates with one key are an error that names both")
    func twoLeaves() throws {
        let signing = TestKeys.bare(TestKeys.signing)
        let added = try forged("Signer", issuer: "Middle", key: signing)
        for certificates in orders([leaf, middle.certificate], added) {
            let (a, b) = (
                try #require(certificates.firstIndex(of: leaf)),
                try #require(certificates.firstIndex(of: added))
            )
            let wanted = "certificates \(min(a, b) + 1) and \(max(a, b) + 1) "
            let file = try pem(certificates, [signing])
            for error in [
                expectRejection("key-unusable") { _ = try file.key() },
                expectRejection("key-unusable") { _ = try file.entries() },
                expectRejection("key-unusable") { _ = try signing.withCertificates(certificates) },
            ] { #expect(error?.message.contains(wanted) ?? false) }
        }
        // The same certificate twice is no ambiguity.
        let entries = try pem([leaf, middle.certificate, leaf], [signing]).entries()
        #expect(entries.keys.map(\.key.certificateChain) == [[leaf, middle.certificate]])
        #expect(entries.warnings.count == 1)
    }

    @Test("authorities that certified each other do not make a circular chain")
    func loop() throws {
        let one = try forged("One", issuer: "Two", key: foreign, by: root.key)
        let two = try forged("Two", issuer: "One", key: root.key, by: foreign)
        let chains = try pem([one, two]).entries().keys.map(\.key.certificateChain)
        #expect(chains == [[one, two], [two, one]])
        expectRejection("key-unusable") { _ = try pem([one, two]).key() }
        #expect(
            try KeyFileContents(PKCS12Maker.certificatesOnly([one, two])).certificates == [
                one, two,
            ])
    }

    @Test("a signature with an algorithm unknown to libcrypto proves nothing")
    func unknownAlgorithm() throws {
        let signing = TestKeys.bare(TestKeys.signing)
        func unknown(_ der: [UInt8]) throws -> [UInt8] {
            // 1.2.840.113549.1.1.99 in both places.
            let name = TestDER.rs256
            var der = der
            for index in 0...der.count - name.count
            where der[index..<index + name.count].elementsEqual(name) {
                der[index + 12] = 0x63
            }
            return der
        }
        let own = try unknown(try middle.leaf(signing))
        let certificates = [own, middle.certificate, root.certificate]
        #expect(try signing.withCertificates(certificates).certificateChain == certificates)
        // It neither becomes another's authority nor makes the choice between two ambiguous.
        let added = try unknown(try signer.leaf(foreign, "Added"))
        for turned in orders([leaf, middle.certificate], added) {
            let chains = try pem(turned).entries().keys.compactMap(\.key.certificateChain)
            #expect(chains.contains([leaf, middle.certificate]))
            expectRejection("key-unusable") { _ = try pem(turned).key() }
        }
        // Anyone can create one that claims to be self-signed, with another's key.
        let alike = try unknown(
            try forged("Middle", issuer: "Middle", key: middle.key, by: root.key))
        let valid = [try middle.leaf(signing), middle.certificate, root.certificate]
        for turned in orders(valid, alike) {
            expectRejection("key-unusable") { _ = try pem(turned, [signing]).entries() }
            expectRejection("key-unusable") { _ = try signing.withCertificates(turned) }
        }
        // No certificate follows a self-signed one with an unknown algorithm.
        let last = try unknown(
            try forged("Middle", issuer: "Middle", key: middle.key, by: middle.key))
        let ended = [try middle.leaf(signing), last]
        #expect(try signing.withCertificates(ended).certificateChain == ended)
        for issuer in ["Middle", "Root"] {
            expectRejection("key-unusable") {
                _ = try signing.withCertificates(ended + [forged("Middle", issuer: issuer)])
            }
        }
        let namesake = try forged("Middle", issuer: "Root")
        for turned in orders(certificates, namesake) {
            expectRejection("key-unusable") { _ = try pem(turned, [signing]).entries() }
        }
    }

    // MARK: bounds

    @Test("work-bounds: 100 certificates are ordered, too many with one name are not")
    func bounds() throws {
        let signing = TestKeys.bare(TestKeys.signing)
        let leaves = try (0..<99).map { number in
            try root.leaf(number == 50 ? signing : foreign, "Leaf \(number)")
        }
        let many = leaves + [root.certificate]
        var pool = try CertificatePool(many)
        let found = try pool.leaves()
        #expect(found == Array(0..<99))
        for leaf in found { #expect(try pool.next(after: [leaf]) == [99]) }
        // Each of these may be the issuer of each other one.
        for (count, isBounded) in [(16, true), (17, false), (100, false)] {
            let alike = try (0..<count).map { number in
                var draft = TestCertificate(subject: "Alike", issuer: "Alike", key: foreign)
                draft.end += Int64(number)
                return try draft.signed(by: root.key)
            }
            var pool = try CertificatePool(alike)
            if isBounded {
                #expect(try pool.leaves() == Array(0..<count))
            } else {
                expectRejection("limit-exceeded", says: "256") { _ = try pool.leaves() }
            }
            guard count <= 32 else { continue }
            let verdict = try Rejection.verdict { _ = try pem(alike).entries() }
            #expect(verdict == (isBounded ? "accepted" : "limit-exceeded"))
        }
    }
}
