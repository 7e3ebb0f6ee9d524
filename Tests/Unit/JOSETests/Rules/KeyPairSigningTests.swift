// Algorithm key pairs if libcrypto supports their algorithms: generated keys, signatures, key
// files, certificates. Otherwise these tests are skipped, each by name.

import JOSECrypto
import Testing

@testable import JOSE

@Suite(
    "Algorithm key pairs (AKP): signing",
    .enabled(if: !SignatureAlgorithm.keyPairsHere.isEmpty, "this libcrypto has no ML-DSA"))
struct KeyPairSigningTests {
    private let now = TestChains.now

    private func certified(_ key: JWK, by authority: JWK) throws -> JWK {
        try key.withCertificate(
            issuedBy: authority, subject: CertificateSubject(commonName: "leaf"),
            from: TestChains.date(now - 100), until: TestChains.date(now + 100))
    }

    private func authority(_ algorithm: SignatureAlgorithm) throws -> JWK {
        try JWK.generate(.akp(algorithm)).selfSignedAuthority(
            subject: CertificateSubject(commonName: "root"), from: TestChains.date(now - 100),
            until: TestChains.date(now + 100))
    }

    @Test(
        "RFC 9964, 3 and 4: a new key has alg and a 32-byte seed, and its JSON reads back",
        arguments: SignatureAlgorithm.keyPairsHere)
    func fresh(_ algorithm: SignatureAlgorithm) throws {
        let key = try JWK.generate(.akp(algorithm), use: .signature)
        #expect(key.algorithm == JOSEAlgorithm(algorithm) && key.isPrivate)
        #expect(try key.keyID == key.thumbprint())
        let members = try need(VectorValue(json: key.privateJSON()).object)
        #expect(Set(members.keys) == ["kid", "use", "alg", "kty", "pub", "priv"])
        #expect(try Independent.base64URL(need(members["priv"]?.string)).count == 32)
        #expect(try !key.publicJSON().contains(need(members["priv"]?.string)))
        #expect(!"\(key)".contains(try need(members["priv"]?.string)))
        let again = try JWK(json: key.privateJSON())
        #expect(try again.privateJSON() == key.privateJSON())
        #expect(try again.publicKey.thumbprint() == key.thumbprint())
        #expect(try key.prepared.material.hasSamePublicKey(as: again.publicKey.prepared.material))
        let other = try JWK.generate(.akp(algorithm))
        #expect(!key.prepared.material.hasSamePublicKey(as: other.prepared.material))
    }

    @Test("FIPS 204, 3.4: signing is hedged: two signatures differ and both verify")
    func hedged() throws {
        for algorithm in SignatureAlgorithm.keyPairsHere {
            let key = try JWK.generate(.akp(algorithm))
            for signing in [key, key.checkingEverySignature(), key.withAcceleration(.openSSLOnly)] {
                let signer = try JWSSigner(key: signing, algorithm: algorithm)
                let tokens = try (0..<4).map { _ in try signer.sign("x") }
                #expect(Set(tokens).count == 4)
                let verifier = try JWSVerifier(key: key.publicKey, algorithms: [algorithm])
                for token in tokens { #expect(try verifier.verify(token).payload == [0x78]) }
            }
        }
    }

    @Test("a seed of another key is rejected, whichever bit differs")
    func otherSeed() throws {
        for algorithm in SignatureAlgorithm.keyPairsHere {
            let set = try need(AKPParameterSet.of(algorithm.kinds))
            let key = try JWK.generate(.akp(algorithm))
            let material = try need(key.prepared.material as? AKPKeyMaterial)
            let seed = try material.secretMember()
            let bytes = seed.withSpan { span in span.indices.map { span[$0] } }
            func verdict(_ pub: [UInt8], _ seed: [UInt8]) throws -> String {
                try Rejection.verdict {
                    _ = try AKPKeyMaterial(
                        set, pub: pub, seed: SecretBytes(copying: seed.span), expanded: Span())
                }
            }
            #expect(try verdict(material.pub, bytes) == "accepted")
            for bit in stride(from: 0, to: bytes.count * 8, by: 37) {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(try verdict(material.pub, changed) == "key-unusable")
            }
            for bit in stride(from: 0, to: material.pub.count * 8, by: 997) {
                var changed = material.pub
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(try verdict(changed, bytes) == "key-unusable")
            }
        }
    }

    @Test(
        "RFC 9881 6: key files contain the seed and read back, with and without a password",
        arguments: SignatureAlgorithm.keyPairsHere)
    func files(_ algorithm: SignatureAlgorithm) throws {
        let key = TestKeys.bare(try JWK.generate(.akp(algorithm)))
        let password = Array("pass".utf8)
        func numbers(_ file: [UInt8]) throws -> String {
            try TestKeys.bare(need(KeyFileContents(file, password: password).keys.first))
                .privateJSON()
        }
        let der = try key.privateKeyFile()
        let last = try 17 + UInt8(need(SignatureAlgorithm.keyPairs.firstIndex(of: algorithm)))
        let head: [UInt8] = [
            0x30, 0x34, 0x02, 0x01, 0x00, 0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65,
            0x03, 0x04, 0x03, last, 0x04, 0x22, 0x80, 0x20,
        ]
        #expect(Array(der.prefix(head.count)) == head && der.count == head.count + 32)
        for file in [
            der, try key.privateKeyFile(.pem), try key.privateKeyFile(.pem, password: password),
            try key.pkcs12File(password: password),
        ] {
            #expect(try numbers(file) == key.privateJSON())
        }
        // An expanded key alone, no key, another length, trailing data.
        func wrapped(_ inner: [UInt8]) -> [UInt8] {
            [0x30, UInt8(18 + inner.count)] + der[2..<18] + [0x04, UInt8(inner.count)] + inner
        }
        let seed = Array(der.suffix(32))
        #expect(try numbers(wrapped([0x80, 32] + seed)) == key.privateJSON())
        for (inner, wanted) in [
            ([0x04, 32] + seed, "key-unusable"), ([0x80, 31] + seed.dropLast(), "malformed"),
            ([0x80, 33] + seed + [0], "malformed"), ([0x80, 32] + seed + [0x05, 0], "malformed"),
            ([0xa0, 34, 0x04, 32] + seed, "malformed"), ([0x30, 34, 0x04, 32] + seed, "malformed"),
            ([0x30, 36, 0x04, 32] + seed + [0x04, 0], "malformed"),
            ([0x30, 37, 0x04, 32] + seed + [0x04, 1, 7], "key-unusable"), ([], "malformed"),
        ] {
            #expect(try Rejection.verdict { _ = try numbers(wrapped(inner)) } == wanted, "\(inner)")
        }
    }

    @Test("RFC 9881 2: chains of such keys lead to an anchor, corrupted ones do not")
    func chains() throws {
        for issuer in SignatureAlgorithm.keyPairsHere {
            let root = try authority(issuer)
            let store = try TrustStore(anchors: need(root.certificateChain))
            for algorithm in SignatureAlgorithm.keyPairsHere {
                let leaf = try certified(JWK.generate(.akp(algorithm), use: .signature), by: root)
                let at = try TestChains.date(now)
                let proven = try JWK(json: leaf.publicJSON())
                    .validated(by: store, purpose: .signature, at: at)
                let token = try JWSSigner(key: leaf, algorithm: algorithm).sign("x")
                #expect(proven.validatedChain?.purpose == .signature)
                let verifier = try JWSVerifier(
                    key: JWK(json: leaf.publicJSON()), algorithms: [algorithm])
                #expect(try verifier.verify(token).payload == [0x78])
                let set = try PublicJWKSet(
                    json: #"{"keys":[\#(leaf.publicJSON())]}"#, certificates: .require(store),
                    at: at)
                #expect(set.skipped.isEmpty)
                // A bit of the issuer's signature, at the end of the leaf's certificate.
                var chain = try need(leaf.certificateChain)
                chain[0][chain[0].count - 9] ^= 1
                let report = try store.report(chain, purpose: .signature, at: at)
                #expect(report.error?.code == .untrustedKey)
                // The leaf is for another key than the JWK.
                let other = try JWK.generate(.akp(algorithm))
                let certificates = try need(leaf.certificateChain)
                expectRejection("key-unusable") { _ = try TestChains.key(other, certificates) }
            }
        }
    }
}
