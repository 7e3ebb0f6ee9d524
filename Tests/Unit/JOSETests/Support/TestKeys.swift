// A few RSA keys that all tests share. They come from the vectors, since generating keys is slow.

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

    /// The public part of `signing`.
    static let verifying: JWK = {
        guard let key = try? signing.publicKey else { preconditionFailure("no public part") }
        return key
    }()

    /// The numbers of a key without kid, use, alg and key_ops.
    static func bare(_ key: JWK) -> JWK {
        named(key, nil)
    }

    /// The numbers of a key with other metadata.
    static func named(
        _ key: JWK, _ keyID: String?, use: KeyUse? = nil, algorithm: JOSEAlgorithm? = nil,
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
    /// A private key for an entry of the signature table. A new key type adds its line here.
    static func signer(for algorithm: SignatureAlgorithm) throws -> JWK {
        try bare(of: algorithm.kinds, algorithm.symmetricKeyBytes, TestKeys.signing)
    }

    /// A private key for an entry of the key management table.
    static func decrypter(for algorithm: KeyManagementAlgorithm) throws -> JWK {
        try bare(of: algorithm.kinds, algorithm.symmetricKeyBytes, TestKeys.decrypting)
    }

    /// A key for an entry of the key management table that also suits the content encryption.
    static func decrypter(
        for algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm
    ) throws -> JWK {
        guard case .byContent = algorithm.symmetricKeyBytes else {
            return try decrypter(for: algorithm)
        }
        return bare(try JWK.generate(.symmetric(bits: content.content.keyBytes * 8)))
    }

    /// Few iterations for passwords, so that a test may create many tokens.
    static let options: RecipientOptions = {
        var options = RecipientOptions()
        options.passwordIterations = JOSELimits.standard.minIterations
        return options
    }()

    /// The key for a verifier or encrypter: the public part, or the symmetric key itself.
    static func otherSide(_ key: JWK) -> JWK { (try? key.publicKey) ?? key }

    private static func bare(
        of kinds: KeyKind, _ size: SymmetricKeySize?, _ rsa: JWK
    ) throws -> JWK {
        if kinds.contains(.rsa) { return bare(rsa) }
        if let curve = JWKCurve.all.first(where: { kinds.contains(KeyKind($0)) }) {
            return bare(try JWK.generate(.curve(curve)))
        }
        if let algorithm = SignatureAlgorithm.keyPairs.first(where: { kinds.contains($0.kinds) }) {
            return bare(try JWK.generate(.akp(algorithm)))
        }
        switch try need(size) {
        case .exactly(let bytes), .atLeast(let bytes):
            return bare(try JWK.generate(.symmetric(bits: max(bytes, 16) * 8)))
        case .byContent: return bare(try JWK.generate(.symmetric(bits: 256)))
        }
    }
}

extension SignatureAlgorithm {
    /// The entries whose keys name them (RFC 9964, 3), including those that the installed libcrypto
    /// lacks.
    static let keyPairs = entries.filter { $0.keyTypes == [.akp] }
    /// Those that the installed libcrypto supports. The tests of the others are reported as
    /// skipped, by name.
    static let keyPairsHere = keyPairs.filter(\.isAvailable)
}

extension JWK {
    /// The part of a signing key that verifies: the public key, or the shared secret itself.
    var forVerifying: JWK { get throws { keyType.name == "oct" ? self : try publicKey } }
}
