// A JSON Web Key: metadata beside prepared key material.

import JOSECrypto

/// A JSON Web Key (RFC 7517): a public or a private key with what it says of itself.
///
/// Immutable material, prepared once and shared by copies; safe to use from many threads.
public struct JWK: Sendable {
    /// The key's name, `kid`.
    public var keyID: String?
    /// The intended use, `use`.
    public var use: KeyUse?
    /// The intended operations, `key_ops`; nil where the key does not say.
    public var keyOperations: KeyOperations?
    /// The only algorithm that the key is for, `alg`, by its registered name.
    public var algorithm: String?

    package let prepared: PreparedKey
    /// What the JWK carries of certificates.
    var certificates: CertificateMembers?
    /// The proof that its certificates are trusted; nil for a key that did not go through `validated(by:purpose:at:)`.
    public internal(set) var validatedChain: ValidatedChain?

    package init(_ material: any KeyMaterial) {
        prepared = PreparedKey(material)
    }

    package init(_ prepared: PreparedKey) {
        self.prepared = prepared
    }

    /// The key type, `kty`.
    public var keyType: KeyType { prepared.material.keyType }
    /// The size that people name: the bits of an RSA modulus.
    public var sizeBits: Int { prepared.material.sizeBits }
    /// The certificates that the key carries, `x5c`: DER, leaf first, not trusted by being here.
    public var certificateChain: [[UInt8]]? { certificates?.chain }
    /// Whether the private part is here.
    public var isPrivate: Bool { prepared.material.isPrivate }

    /// The same key without its private part and with the operations of the public side.
    public var publicKey: JWK {
        guard isPrivate else { return self }
        var key = JWK(prepared.material.publicMaterial())
        key.keyID = keyID
        key.use = use
        key.algorithm = algorithm
        key.certificates = certificates
        key.validatedChain = validatedChain
        key.keyOperations = keyOperations.map(JWK.publicSide)
        return key
    }

    private static func publicSide(_ operations: KeyOperations) -> KeyOperations {
        var side = operations.subtracting([.sign, .decrypt, .unwrapKey])
        if operations.contains(.sign) { side.insert(.verify) }
        if operations.contains(.decrypt) { side.insert(.encrypt) }
        if operations.contains(.unwrapKey) { side.insert(.wrapKey) }
        return side
    }

    var facts: KeyFacts {
        let use: KeyFacts.Use =
            switch self.use {
            case nil: .absent
            case KeyUse.signature: .signature
            case KeyUse.encryption: .encryption
            default: .other
            }
        return KeyFacts(hasKnownType: true, use: use, operations: keyOperations)
    }

    /// Whether this is the key's kid, byte for byte.
    func isNamed(_ name: String?) -> Bool {
        guard let keyID, let name else { return false }
        return keyID.isExactly(name)
    }

    /// Whether the key's own facts allow what the query asks.
    package func fit(_ query: KeyQuery) -> KeyFit {
        facts.fit(
            query, sameType: keyType == query.keyType,
            sameAlgorithm: algorithm.map { $0.isExactly(query.algorithm) })
    }
}

extension JWK {
    /// Makes an RSA key in this process.
    ///
    /// - Parameters:
    ///   - rsaBits: The size of the modulus in bits, 2048 to 8192.
    ///   - keyID: The `kid`; the RFC 7638 thumbprint where none is given.
    ///   - use: The `use` to write.
    ///   - algorithm: The `alg` to write, by its registered name.
    /// - Throws: `misuse` for a size outside the limits, `internal` if OpenSSL fails.
    ///
    /// Costs tens of milliseconds at 2048 bits and grows with the fourth power of the size.
    public static func generate(
        rsaBits: Int = 2048, keyID: String? = nil, use: KeyUse? = nil, algorithm: String? = nil
    ) throws(JOSEError) -> JWK {
        guard rsaBits >= 2048, rsaBits <= 8192, rsaBits % 8 == 0 else {
            throw .misuse("RSA keys have 2048 to 8192 bits, a multiple of 8")
        }
        let native: NativeKey
        do {
            native = try NativeKey.rsaGenerate(bits: rsaBits)
        } catch {
            throw JOSEError(error, rejected: .randomFailed)
        }
        var key = JWK(RSAKeyMaterial(native, limits: .standard))
        if let keyID { key.keyID = keyID } else { key.keyID = try key.thumbprint() }
        key.use = use
        key.algorithm = algorithm
        return key
    }
}

extension JWK: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Type, size and whether it is private; never a number of the key.
    public var description: String {
        "\(isPrivate ? "private" : "public") \(keyType.name) key of \(sizeBits) bits"
    }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// Shows nothing of the key to `dump`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
