// The authority key identifier of issued certificates.

import JOSE
import JOSECrypto
import Testing

@Suite("Certificates: authority key identifier")
struct AuthorityKeyIDTests {
    private static let subject = CertificateSubject(commonName: "leaf")

    /// RFC 7093, 2: the left 160 bits of SHA-256, as in our subject key identifiers.
    private func keyID(_ key: JWK) throws -> [UInt8] {
        let spki = try key.publicKeyFile(.der)
        return Array(try Hash.digest(.sha256, spki.span).prefix(20))
    }

    /// The bytes after the object identifier of an extension and the given length of its value's
    /// header.
    private func value(_ last: UInt8, _ head: Int, _ certificate: [UInt8]) throws -> [UInt8] {
        let name: [UInt8] = [0x06, 0x03, 0x55, 0x1d, last, 0x04]
        let index = try need(
            certificate.indices.first { certificate[$0...].starts(with: name) })
        return Array(certificate[(index + name.count + 1 + head)...].prefix(20))
    }

    private func withCertificate(issuedBy authority: JWK) throws -> [UInt8] {
        let key = try TestKeys.bare(TestKeys.signing).withCertificate(
            issuedBy: authority, subject: Self.subject, from: TestChains.date(TestChains.now),
            until: TestChains.date(TestChains.now + 100))
        return try need(key.certificateChain?.first)
    }

    @Test(
        "RFC 5280 4.2.1.1: it identifies the issuer's key, even if the issuer has no key identifier"
    )
    func issuers() throws {
        let (key, own) = (TestKeys.bare(TestKeys.client), TestKeys.bare(TestKeys.signing))
        for namesKeys in [true, false] {
            let authority = try TestAuthority(key) { $0.namesKeys = namesKeys }
            let leaf = try withCertificate(issuedBy: TestChains.key(key, [authority.certificate]))
            let names = namesKeys ? try value(14, 2, authority.certificate) : try keyID(key)
            #expect(try value(35, 4, leaf) == names)
            #expect(try value(14, 2, leaf) == keyID(own))
            #expect(try value(35, 4, leaf) != keyID(own))
        }
    }

    @Test("a self-signed certificate identifies its own key") func itself() throws {
        let key = try TestKeys.bare(TestKeys.signing).withSelfSignedCertificate(
            subject: Self.subject, from: TestChains.date(TestChains.now),
            until: TestChains.date(TestChains.now + 100))
        let certificate = try need(key.certificateChain?.first)
        #expect(try value(35, 4, certificate) == keyID(key))
        #expect(try value(14, 2, certificate) == keyID(key))
    }
}
