// A JSON Web Key: metadata beside prepared key material.

import JOSEBytes
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
    /// The only algorithm that the key is for, `alg`; a name that is not registered is kept.
    public var algorithm: JOSEAlgorithm?

    package internal(set) var prepared: PreparedKey
    /// What the JWK carries of certificates.
    var certificates: CertificateMembers?
    /// Whether the text that it was read from had zero bytes before `n` or `e`, which are not kept.
    package internal(set) var hasLeadingZeros = false
    /// The proof that its certificates are trusted; nil for a key that did not go through `validated(by:purpose:at:)`.
    public internal(set) var validatedChain: ValidatedChain?

    package init(_ material: any KeyMaterial) {
        // The empty literal would be made by the runtime, of a generic array.
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
    /// The size that people name: the bits of an RSA modulus, of a curve's field, of a symmetric key; of an algorithm key pair
    /// those of the public key.
    public var sizeBits: Int { prepared.material.sizeBits }
    /// The certificates that the key carries, `x5c`: DER, leaf first, not trusted by being here.
    public var certificateChain: [[UInt8]]? { certificates?.chain }
    /// Why no trust store would believe them, although the key itself is good; nil for nothing.
    package var certificateDefect: JOSEError? { certificates?.defect?.error }
    /// Whether the private part can be used, here or by an external key; a symmetric key is all private.
    public var isPrivate: Bool { prepared.isPrivate }

    /// The same key without its private part: with `key_ops` of the public side, the same
    /// certificates and the same acceleration.
    ///
    /// - Throws: `keyUnusable` for a symmetric key, which has no public part.
    public var publicKey: JWK {
        get throws(JOSEError) {
            guard isPrivate else { return self }
            return publicSide(try prepared.material.publicMaterial())
        }
    }

    private func publicSide(_ material: any KeyMaterial) -> JWK {
        var key = JWK(PreparedKey(material, options: prepared.publicOptions))
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
        return KeyFacts(kind: prepared.material.kind, use: use, operations: keyOperations)
    }

    /// Whether this is the key's kid, byte for byte.
    package func isNamed(_ name: String?) -> Bool {
        guard let keyID, let name else { return false }
        return keyID.isExactly(name)
    }

    /// Whether the key's own facts allow what the query asks.
    package func match(_ query: KeyQuery) -> KeyMatch {
        let match = facts.match(
            query, sameAlgorithm: algorithm.map { query.allows($0.name) })
        guard match == .matches else { return match }
        if let held = prepared.held, query.exceeds(held.capabilities) { return .notOffered }
        guard let validatedChain else { return .matches }
        // What was validated for one purpose says nothing about the other.
        return validatedChain.purpose == query.purpose ? .matches : .untrusted
    }
}

extension JWK: RedactedDescription {
    /// Type, size or curve, and whether it is private; never a number of the key.
    package var shownAs: String {
        let side = keyType == .oct ? "symmetric" : isPrivate ? "private" : "public"
        let place = prepared.held == nil ? "" : ", held elsewhere"
        return "\(side) \(keyType) key \(sizeText)\(place)"
    }
    /// What stands behind the key type in texts: `on P-256`, `of 2048 bits`.
    package var sizeText: String {
        if let bound = prepared.material.boundAlgorithm { return "for \(bound)" }
        return curve.map { "on \($0)" } ?? "of \(sizeBits) bits"
    }
}
