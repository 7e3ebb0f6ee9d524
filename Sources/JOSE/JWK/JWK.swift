// A JSON Web Key: metadata and prepared key material.

import JOSEBytes
import JOSECrypto

/// A JSON Web Key (RFC 7517): a public, private or symmetric key with its metadata.
///
/// Copies share the key material, which is immutable and prepared once. Safe to use from many
/// threads.
public struct JWK: Sendable {
    /// The key ID, `kid`, by which tokens name the key: any string; nil if the key has none.
    public var keyID: String?
    /// The intended use, `use`: signatures or encryption; nil if the key may do both.
    public var use: KeyUse?
    /// The intended operations, `key_ops`; nil if the key has no such member.
    public var keyOperations: KeyOperations?
    /// The only algorithm that the key may be used with, `alg`. Unregistered names are kept.
    public var algorithm: JOSEAlgorithm?

    package internal(set) var prepared: PreparedKey
    var certificates: CertificateMembers?
    /// The validated chain of a key from `validated(by:purpose:at:)`, or from a `PublicJWKSet` that
    /// validated it; nil for other keys.
    public internal(set) var validatedChain: ValidatedChain?

    package init(_ material: any KeyMaterial) {
        // `[]` would build a generic array at run time.
        prepared = PreparedKey(material, options: OperationOptions(rawValue: 0))
        algorithm = material.boundAlgorithm.map { JOSEAlgorithm(name: $0.description) }
    }

    package init(_ prepared: PreparedKey) {
        self.prepared = prepared
    }

    /// The key type, `kty`.
    public var keyType: KeyType { prepared.material.keyType }
    /// The curve, `crv`; nil for a key type without curves.
    public var curve: JWKCurve? { (prepared.material as? CurveKeyMaterial)?.curve }
    /// The size in bits of the RSA modulus, the curve's field, the symmetric key, or the public key
    /// of an algorithm key pair.
    public var sizeBits: Int { prepared.material.sizeBits }
    /// Whether the JSON had zero bytes before `n` or `e`, which were removed.
    package var hasLeadingZeros: Bool {
        (prepared.material as? RSAKeyMaterial)?.hadLeadingZeros ?? false
    }
    /// The certificates of `x5c` in DER, leaf first; not trusted before
    /// `validated(by:purpose:at:)`.
    public var certificateChain: [[UInt8]]? { certificates?.chain }
    /// The defect for which every trust store rejects the certificates of this key; nil if none.
    package var certificateDefect: JOSEError? { certificates?.defect?.error }
    /// Whether the private part can be used, locally or by an external key. True for symmetric
    /// keys.
    public var isPrivate: Bool { prepared.isPrivate }

    /// The public key, with the same certificates and acceleration, and `key_ops` of a public key.
    ///
    /// - Throws: `keyUnusable` for a symmetric key, which has no public part.
    public var publicKey: JWK {
        get throws(JOSEError) {
            guard isPrivate else { return self }
            var key = JWK(
                PreparedKey(
                    try prepared.material.publicMaterial(), options: prepared.publicOptions))
            key.keyID = keyID
            key.use = use
            key.algorithm = algorithm
            key.certificates = certificates
            key.validatedChain = validatedChain
            key.keyOperations = keyOperations?.ofPublicKey
            return key
        }
    }

    var facts: KeyFacts {
        let use: KeyFacts.Use =
            switch self.use {
            case nil: .absent
            case KeyUse.signature: .signature
            case KeyUse.encryption: .encryption
            default: .other
            }
        return KeyFacts(kind: prepared.material.kind, use: use, operations: keyOperations)
    }

    /// Whether the key has this kid, byte for byte.
    package func isNamed(_ name: String?) -> Bool {
        guard let keyID, let name else { return false }
        return keyID.isExactly(name)
    }

    package var names: KeyLabels {
        KeyLabels(prepared.material.kind, KeyLabels.Algorithm(algorithm?.name))
    }

    package func match(_ query: KeyQuery) -> KeyMatch {
        let match = facts.match(
            query, sameAlgorithm: algorithm.map { query.allows($0.name) })
        guard match == .matches else { return match }
        if let externalKey = prepared.externalKey, query.exceeds(externalKey.capabilities) {
            return .unsupportedByExternalKey
        }
        guard let validatedChain else { return .matches }
        // A chain that was validated for one purpose does not count for another.
        return validatedChain.purpose == query.purpose ? .matches : .untrusted
    }
}

extension JWK: RedactedDescription {
    /// Type, size or curve, and whether the key is private; never the numbers of the key.
    package var shownAs: String {
        let part = keyType == .oct ? "symmetric" : isPrivate ? "private" : "public"
        return
            "\(part) \(keyType) key \(sizeText)\(prepared.externalKey == nil ? "" : ", external")"
    }
    package var sizeText: String {
        if let bound = prepared.material.boundAlgorithm { return "for \(bound)" }
        return curve.map { "on \($0)" } ?? "of \(sizeBits) bits"
    }
}
