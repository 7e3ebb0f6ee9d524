// The checks of a leaf (signature, key, usage, subject), and how long revocation lists are valid.

import JOSE
import JOSECrypto
import Testing

@Suite("Certificates: checks of the leaf")
struct CertificateUseTests {
    private static let rsaName: [UInt8] = [
        0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    private static let pkcs1: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]
    private static let ecdsa: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04]

    /// The public key of a modulus with this number of bits.
    private static func rsa(_ bits: Int) -> [UInt8] {
        let count = (bits + 7) / 8
        var modulus = [UInt8](repeating: 0x5b, count: count)
        modulus[0] = 1 << UInt8((bits - 1) % 8)
        if modulus[0] == 0x80 { modulus.insert(0, at: 0) }
        let key = TestDER.sequence(TestDER.integer(modulus) + TestDER.integer([1, 0, 1]))
        return TestDER.sequence(TestDER.sequence(rsaName) + TestDER.tagged(0x03, [0] + key))
    }

    private static func plain(_ last: UInt8, _ value: [UInt8]) -> [UInt8] {
        TestDER.sequence([0x06, 0x03, 0x55, 0x1d, last] + TestDER.tagged(0x04, value))
    }

    /// A leaf whose signature is never verified.
    private func leaf(
        signedBy name: [UInt8] = pkcs1 + [11], parameters: [UInt8] = [0x05, 0x00],
        key: [UInt8] = rsa(2_048), subject: [UInt8] = TestDER.name("Leaf"),
        extensions: [[UInt8]] = []
    ) -> [UInt8] {
        let algorithm = TestDER.sequence(TestDER.tagged(0x06, name) + parameters)
        let times = TestDER.sequence(
            TestDER.time(1_700_000_000) + TestDER.time(1_900_000_000))
        let serial: [UInt8] = [0xa0, 0x03, 0x02, 0x01, 0x02, 0x02, 0x01, 0x07]
        var body = serial + algorithm + TestDER.name("Issuer")
        body += times + subject + key
        let other = [Self.plain(14, TestDER.tagged(0x04, [1, 2, 3]))]
        let all = (extensions + other).flatMap { $0 }
        body += TestDER.tagged(0xa3, TestDER.sequence(all))
        let signature = TestDER.tagged(0x03, [UInt8](repeating: 0, count: 257))
        return TestDER.sequence(TestDER.sequence(body) + algorithm + signature)
    }

    private func failure(
        _ leaf: [UInt8], _ purpose: ChainPurpose = .signature
    ) throws -> ChainError? {
        try CertificateChain([leaf]).leafFailure(purpose)
    }

    @Test("only signatures with SHA-256 or longer, or with EdDSA, are accepted")
    func signatures() throws {
        for (last, wanted) in [
            (2, .weakSignature), (4, .weakSignature), (5, .weakSignature), (14, .weakSignature),
            (11, nil), (12, nil), (13, nil), (15, .weakSignature),
        ] as [(UInt8, ChainError?)] {
            let found = try failure(leaf(signedBy: Self.pkcs1 + [last]))
            #expect(found == wanted, "RSA \(last)")
        }
        for (name, wanted) in [
            ([1], .weakSignature), ([3, 1], .weakSignature), ([3, 2], nil), ([3, 3], nil),
            ([3, 4], nil),
        ] as [([UInt8], ChainError?)] {
            let found = try failure(leaf(signedBy: Self.ecdsa + name, parameters: []))
            #expect(found == wanted, "ECDSA \(name)")
        }
        for (last, wanted) in [(112, nil), (113, nil), (110, .weakSignature)]
            as [(UInt8, ChainError?)]
        {
            let found = try failure(leaf(signedBy: [0x2b, 0x65, last], parameters: []))
            #expect(found == wanted, "Edwards \(last)")
        }
        let dsa: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x02]
        #expect(try failure(leaf(signedBy: dsa, parameters: [])) == .weakSignature)
    }

    @Test("RSA keys of 2,048 to 16,384 bits are accepted, exactly")
    func sizes() throws {
        for (bits, wanted) in [
            (1_024, .weakKey), (2_047, .weakKey), (2_048, nil), (2_049, nil), (4_096, nil),
            (16_384, nil), (16_385, .weakKey),
        ] as [(Int, ChainError?)] {
            #expect(try failure(leaf(key: Self.rsa(bits))) == wanted, "\(bits)")
        }
    }

    @Test("RFC 5280 4.2.1.3, 4.2.1.12: every keyUsage bit and every extended key usage")
    func uses() throws {
        let curve = try JWK.generate(.curve(.p256)).publicKeyFile(.der)
        let other = try JWK.generate(.curve(.x25519)).publicKeyFile(.der)
        for bit in 0..<8 as Range<UInt8> {
            let usage = [Self.plain(15, [0x03, 0x02, 7 - bit, 0x80 >> bit])]
            let (rsa, agreeing) = (leaf(extensions: usage), leaf(key: curve, extensions: usage))
            // keyCertSign without cA is a contradiction, for which libcrypto may have its own
            // error.
            guard bit != 5 else { continue }
            let signs: ChainError? = bit <= 1 ? nil : .keyUsage
            #expect(try failure(rsa) == signs, "bit \(bit)")
            #expect(try failure(agreeing) == signs, "bit \(bit)")
            let enciphers: ChainError? = bit == 2 ? nil : .keyUsage
            #expect(try failure(rsa, .encryption) == enciphers, "bit \(bit)")
            let agrees: ChainError? = bit == 4 ? nil : .keyUsage
            #expect(try failure(agreeing, .encryption) == agrees, "bit \(bit)")
            #expect(
                try failure(leaf(key: other, extensions: usage), .encryption) == agrees,
                "bit \(bit)")
        }
        let any: [UInt8] = [0x06, 0x04, 0x55, 0x1d, 0x25, 0x00]
        func use(_ last: UInt8) -> [UInt8] {
            [0x06, 0x08, 0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, last]
        }
        let (server, code, mail) = (use(1), use(3), use(4))
        for (list, wanted) in [
            ([server], .extendedKeyUsage), ([code], .extendedKeyUsage), ([mail], nil),
            ([any], nil), ([server, mail], nil), ([mail, server], nil), ([server, any], nil),
            ([any, server], nil), ([server, code], .extendedKeyUsage),
        ] as [([[UInt8]], ChainError?)] {
            let uses = Self.plain(37, TestDER.sequence(list.flatMap { $0 }))
            for purpose in [ChainPurpose.signature, .encryption] {
                let found = try failure(leaf(extensions: [uses]), purpose)
                #expect(found == wanted, "\(list.count)")
            }
        }
        #expect(try failure(leaf()) == nil)
        #expect(try failure(leaf(), .encryption) == nil)
        let authority = Self.plain(19, TestDER.sequence([0x01, 0x01, 0xff]))
        #expect(try failure(leaf(extensions: [authority])) == .leafIsCA)
        let broken = Self.plain(15, [0x04, 0x01, 0x80])
        #expect(try failure(leaf(extensions: [broken])) == .other)
    }

    @Test("RFC 2253: a subject is written as text if it is valid and fits the buffer")
    func subjects() throws {
        let text = String(repeating: "x", count: 1_020)
        for (name, wanted) in [
            ("Leaf", "CN=Leaf"), ("Käse, \u{65e5}", "CN=Käse\\, \u{65e5}"), (text, "CN=" + text),
            (text + "x", ""),
        ] {
            let chain = try CertificateChain([leaf(subject: TestDER.name(name))])
            #expect(chain.subject(0) == wanted)
            #expect(chain.subject(1) == "")
        }
        let chain = try CertificateChain([
            leaf(subject: TestDER.sequence([])), leaf(subject: TestDER.name("Second")),
        ])
        #expect(chain.subject(0) == "" && chain.subject(1) == "CN=Second")
        #expect(chain.subject(2) == "")
    }

    @Test("a chain has 1 to 16 certificates, each complete")
    func chains() throws {
        let leaf = self.leaf()
        for count in [1, 2, 15, 16] {
            #expect(try CertificateChain([[UInt8]](repeating: leaf, count: count)).count == count)
        }
        for bad in [
            [], [[UInt8]](repeating: leaf, count: 17), [[]], [leaf, []], [leaf + [0]],
            [Array(leaf.dropLast())], [leaf, [0x30, 0x00]],
        ] as [[[UInt8]]] {
            #expect(throws: CryptoError.rejected, "\(bad.count)") {
                _ = try CertificateChain(bad)
            }
        }
    }
}
