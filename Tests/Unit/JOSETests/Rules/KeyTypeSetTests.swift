// Elliptic curve and symmetric keys together with others: sets, shared kids, algorithms, tables.

import JOSE
import JOSECrypto
import Testing

@Suite("Keys of every type in sets and with algorithms")
struct KeyTypeSetTests {
    /// A new private key of each kind except RSA.
    private static func keys() throws -> [JWK] {
        try JWKCurve.all.map { try JWK.generate(.curve($0)) } + [
            JWK.generate(.symmetric(bits: 256))
        ]
    }

    @Test("a set with every kind of key is published and read back")
    func published() throws {
        let keys = try Self.keys().filter { $0.keyType != .oct } + [TestKeys.signing]
        let set = try JWKSet(keys: keys).publicKeys
        #expect(set.keys().count == keys.count && set.skipped.isEmpty)
        #expect(try PublicJWKSet(json: set.json()).json() == set.json())
        for key in keys {
            let found = try set.key(keyID: need(key.keyID))
            #expect(try found.publicJSON() == key.publicJSON())
            #expect(!set.json().contains(try need(KeyText.members(key.privateJSON())["d"]?.string)))
        }
    }

    @Test("RFC 8725 3.1: a key is never used with another key type's algorithm")
    func confinement() throws {
        let pairs = try SignatureAlgorithm.keyPairsHere.map { try JWK.generate(.akp($0)) }
        for key in try Self.keys() + pairs + [TestKeys.bare(TestKeys.signing)] {
            for algorithm in SignatureAlgorithm.all
            where algorithm.kinds.isDisjoint(with: key.prepared.material.kind) {
                var claimed = key
                claimed.algorithm = JOSEAlgorithm(algorithm)
                claimed.use = .signature
                claimed.keyOperations = [.sign, .verify]
                for key in [key, claimed] {
                    expectRejection("key-unusable") {
                        _ = try JWSSigner(key: key, algorithm: algorithm)
                    }
                    for key in [key] + (key.keyType == .oct ? [] : [try key.publicKey]) {
                        expectRejection("key-unusable") {
                            _ = try JWSVerifier(key: key, algorithms: [algorithm])
                        }
                    }
                }
            }
            for algorithm in KeyManagementAlgorithm.all
            where algorithm.kinds.isDisjoint(with: key.prepared.material.kind) {
                if key.keyType != .oct {
                    expectRejection("key-unusable") {
                        _ = try JWEEncrypter.with(key.publicKey, algorithm, .a128CBCHS256)
                    }
                }
                expectRejection("key-unusable") {
                    _ = try JWEDecrypter.with(key, algorithm, .a128CBCHS256)
                }
            }
        }
    }

    @Test("tables: names are unique, and only exact names are found")
    func tables() {
        #expect(Set(JWKCurve.all.map(\.name)).count == JWKCurve.all.count)
        for curve in JWKCurve.all {
            #expect(
                JWKCurve(name: curve.name) == curve && KeyKind(curve).keyTypes == [curve.keyType])
        }
        for type in KeyType.all { #expect(KeyType(name: type.name) == type) }
        for name in ["", "p-256", "P-256 ", "ed25519", "Ec", "OCT", "rsa", "akp"] {
            #expect(JWKCurve(name: name) == nil && KeyType(name: name) == nil)
        }
        let all =
            JWKCurve.all.map { KeyKind($0).rawValue } + [
                KeyKind.rsa.rawValue, KeyKind.oct.rawValue,
            ]
        #expect(Set(all).count == 10 && all.allSatisfy { $0.nonzeroBitCount == 1 })
        #expect(
            KeyKind([JWKCurve.ed25519.kind, JWKCurve.ed448.kind, .rsa]).keyTypes == [.rsa, .okp])
    }
}
