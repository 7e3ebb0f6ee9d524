// A few RSA keys that all tests share: the vectors' own, since making new ones is slow.

import JOSE
import Testing

enum TestKeys {
    /// Signing, 2048 bits, kid `sig-1`, use sig, alg RS256.
    static let signing = attack("sig")
    /// Decrypting, 2048 bits, kid `enc-1`, use enc, alg RSA-OAEP.
    static let decrypting = attack("enc")
    /// A stranger's key without use and alg, kid `attacker`.
    static let stranger = attack("attacker")
    /// Another signing key, kid `client-1`, use sig, alg RS256.
    static let client = attack("sender")
    /// 4096 bits, use enc, alg RSA-OAEP.
    static let large = key("rfc7520.json", "5-rsa-samwise")

    /// The numbers of a key without kid, use, alg and key_ops.
    static func bare(_ key: JWK) -> JWK {
        named(key, nil)
    }

    /// The numbers of a key with other metadata.
    static func named(
        _ key: JWK, _ keyID: String?, use: KeyUse? = nil, algorithm: String? = nil,
        operations: KeyOperations? = nil
    ) -> JWK {
        var copy = key
        copy.keyID = keyID
        copy.use = use
        copy.algorithm = algorithm
        copy.keyOperations = operations
        return copy
    }

    private static func attack(_ name: String) -> JWK { key("attacks.json", name) }

    private static func key(_ file: String, _ name: String) -> JWK {
        do {
            return try JWK(json: need(VectorFile.named(file).keys[name]).json)
        } catch {
            preconditionFailure("the vectors' key \(name) cannot be read: \(error)")
        }
    }
}

extension TestKeys {
    /// A private key for a row of the signature table; a new key type adds its line here.
    static func signer(for algorithm: SignatureAlgorithm) throws -> JWK {
        try bare(of: algorithm.keyType, TestKeys.signing)
    }

    /// A private key for a row of the key management table.
    static func decrypter(for algorithm: KeyManagementAlgorithm) throws -> JWK {
        try bare(of: algorithm.keyType, TestKeys.decrypting)
    }

    private static func bare(of type: KeyType, _ rsa: JWK) throws -> JWK {
        try need(type == .rsa ? bare(rsa) : nil)
    }
}
