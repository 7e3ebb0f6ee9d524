// Writing PKCS#12 files: their parts as another reader sees them, and what cannot be written (RFC
// 7292).

import JOSE
import JOSECrypto
import Testing

@Suite("Writing PKCS#12 files")
struct PKCS12WriteTests {
    private static let password = Array("pass".utf8)
    private let key: [UInt8]
    private let chain: [[UInt8]]

    init() throws {
        let made = try JWK.generate(.curve(.ed25519))
        key = try made.privateKeyFile()
        let root = try TestAuthority(TestKeys.stranger)
        chain = try [root.leaf(TestKeys.signing), root.certificate]
    }

    private func written(
        _ certificates: [[UInt8]], name: String? = nil, _ password: [UInt8] = password,
        iterations: UInt32 = 3, key: [UInt8]? = nil
    ) throws(CryptoError) -> [UInt8] {
        let file = key ?? self.key
        let secret = SecretBytes(copying: file.span)
        return try PKCS12Contents.write(
            key: secret, certificates: certificates, name: name,
            password: SecretBytes(copying: password.span), iterations: iterations)
    }

    /// The text encrypted with PBES2 as this writer does: HMAC-SHA-256, AES-256-CBC, and the number
    /// of iterations.
    private func opened(
        _ algorithm: DERValue, _ text: [UInt8], iterations: UInt8, leastSalt: Int
    ) throws -> [UInt8] {
        let parts = try algorithm.inside()
        #expect(parts[0].contents == PKCS12Maker.pkcs5 + [13])
        let rules = try parts[1].inside()
        let derivation = try rules[0].inside()
        #expect(derivation[0].contents == PKCS12Maker.pkcs5 + [12])
        let parameters = try derivation[1].inside()
        #expect(parameters[0].contents.count >= leastSalt)
        #expect(parameters[1].contents == [iterations])
        let function = try need(parameters.last).inside()
        #expect(function[0].contents == PKCS12Maker.hmac + [9])
        let cipher = try rules[1].inside()
        #expect(cipher[0].contents == PKCS12Maker.aes + [42])
        let rule = PBES2(
            hash: .sha256, iterations: UInt32(iterations), keyBytes: 32,
            salt: parameters[0].contents, initializationVector: cipher[1].contents)
        let secret = SecretBytes(copying: Self.password.span)
        return try rule.decrypt(text.span, password: secret).copied
    }

    /// The attributes that a key and its certificate share.
    private func label(_ name: String?, _ leaf: [UInt8]?) throws -> Set<[UInt8]> {
        let digest = try leaf.map { try Hash.digest(.sha256, $0.span) }
        return Set([name.map(PKCS12Maker.name), digest.map(PKCS12Maker.keyID)].compactMap { $0 })
    }

    private func attributes(_ bag: [DERValue]) throws -> Set<[UInt8]> {
        guard bag.count > 2 else { return [] }
        #expect(bag[2].tag == 0x31)
        return Set(try bag[2].inside().map(\.whole))
    }

    private func check(_ file: [UInt8], _ certificates: [[UInt8]], _ name: String?) throws {
        let outer = try need(DERValue.all(file).first).inside()
        #expect(outer.count == 3 && outer[0].contents == [3])
        let content = try outer[1].inside()
        #expect(content[0].contents == PKCS12Maker.pkcs7 + [1])
        let safes = try need(content[1].inside().first).contents

        let mac = try outer[2].inside()
        #expect(mac[1].contents.count == 16 && mac[2].contents == [3])
        let digest = try mac[0].inside()
        #expect(try need(digest[0].inside().first).contents == PKCS12Maker.sha2 + [1])
        let macKey = try PKCS12Maker.macKey(.sha256, Self.password, mac[1].contents, 3)
        let code = try HMAC.code(.sha256, key: macKey.span, safes.span)
        #expect(digest[1].contents == code)

        var list = try need(DERValue.all(safes).first).inside()
        #expect(list.count == (certificates.isEmpty ? 1 : 2))
        let keySafe = try need(list.popLast()).inside()
        #expect(keySafe[0].contents == PKCS12Maker.pkcs7 + [1])
        let keyBags = try need(need(keySafe[1].inside().first).inside().first).inside()
        #expect(keyBags.count == 1)
        let keyBag = try keyBags[0].inside()
        #expect(keyBag[0].contents == PKCS12Maker.pkcs12 + [10, 1, 2])
        let sealed = try need(keyBag[1].inside().first).inside()
        let salt = try sealed[0].inside()[1].inside()[0].inside()[1].inside()[0]
        #expect(salt.contents.count == 16 && Set(salt.contents).count > 4)
        let found = try opened(sealed[0], sealed[1].contents, iterations: 3, leastSalt: 16)
        #expect(found == key)
        #expect(try attributes(keyBag) == label(name, certificates.first))

        guard let last = list.first else { return }
        let safe = try last.inside()
        #expect(safe[0].contents == PKCS12Maker.pkcs7 + [6])
        let encrypted = try need(safe[1].inside().first).inside()[1].inside()
        let text = try opened(encrypted[1], encrypted[2].contents, iterations: 3, leastSalt: 8)
        let bags = try need(DERValue.all(text).first).inside()
        #expect(bags.count == certificates.count)
        for (index, (value, certificate)) in zip(bags, certificates).enumerated() {
            let bag = try value.inside()
            let wanted = try need(DERValue.all(PKCS12Maker.certificateBag(certificate)).first)
            let parts = try wanted.inside()
            #expect(bag[0].contents == parts[0].contents && bag[1].contents == parts[1].contents)
            // Only the key's own certificate has its attributes.
            let marks = try index == 0 ? label(name, certificate) : []
            #expect(try attributes(bag) == marks)
        }
    }

    @Test("RFC 7292 4: key, certificates, MAC and attributes, all with the same iterations")
    func parts() throws {
        for certificates in [[], [chain[0]], chain] {
            for name in [nil, "signing key 1", "Schlüssel"] {
                let file = try written(certificates, name: name)
                try check(file, certificates, name)
                let read = try PKCS12Contents(
                    file.span, password: SecretBytes(copying: Self.password.span),
                    maxIterations: 3)
                #expect(read.keys.count == 1 && read.certificates == certificates)
                #expect(throws: PKCS12Error.iterations) {
                    _ = try PKCS12Contents(
                        file.span, password: SecretBytes(copying: Self.password.span),
                        maxIterations: 2)
                }
            }
        }
        // Each has its own random salt.
        let twice = try (0..<2).map { _ in try written([]) }
        #expect(twice[0] != twice[1])
    }

    private func outcome(_ body: () throws(CryptoError) -> [UInt8]) -> CryptoError? {
        do throws(CryptoError) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    @Test("limits: iterations and 31 certificates")
    func bounds() throws {
        for (iterations, wanted) in [
            (0, .rejected), (1, nil), (1 << 31, .rejected), (.max, .rejected),
        ] as [(UInt32, CryptoError?)] {
            let failure = outcome { () throws(CryptoError) in
                try written([], iterations: iterations)
            }
            #expect(failure == wanted, "\(iterations)")
        }
        let many = [[UInt8]](repeating: chain[0], count: 31)
        let file = try written(many, iterations: 1)
        let read = try PKCS12Contents(
            file.span, password: SecretBytes(copying: Self.password.span), maxIterations: 1)
        #expect(read.certificates == many && read.keys.count == 1)
        let tooMany = outcome { () throws(CryptoError) in
            try written(many + [chain[0]], iterations: 1)
        }
        #expect(tooMany == .rejected)
        let noKey = outcome { () throws(CryptoError) in try written([], key: []) }
        #expect(noKey == .rejected)
    }

    @Test("an invalid key or certificate cannot be written")
    func noParts() {
        for key in [[0x30], [0x30, 0x00], [0x05, 0x00]] as [[UInt8]] {
            let failure = outcome { () throws(CryptoError) in try written(chain, key: key) }
            #expect(failure == .failure)
        }
        for bad in [[0x30, 0x00], chain[0] + [0], Array(chain[0].dropLast()), []] as [[UInt8]] {
            for certificates in [[bad], [bad, chain[1]], [chain[0], bad]] {
                let failure = outcome { () throws(CryptoError) in try written(certificates) }
                #expect(failure == .failure, "\(bad.count) of \(certificates.count)")
            }
        }
    }
}
