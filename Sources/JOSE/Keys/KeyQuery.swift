// The question that selects a key, and the answer that a key's own facts give to it.

/// What an operation asks of a key: its type, use, operation and algorithm.
package struct KeyQuery: Sendable {
    package let keyType: KeyType
    let use: KeyFacts.Use
    /// Any one of these, where the key names operations.
    package let operations: KeyOperations
    /// The registered name that the key's `alg`, if any, must equal.
    package let algorithm: StaticString

    package static func verifying(_ algorithm: SignatureAlgorithm) -> KeyQuery {
        KeyQuery(
            keyType: algorithm.keyType, use: .signature, operations: .verify,
            algorithm: algorithm.name)
    }

    package static func signing(_ algorithm: SignatureAlgorithm) -> KeyQuery {
        KeyQuery(
            keyType: algorithm.keyType, use: .signature, operations: .sign,
            algorithm: algorithm.name)
    }

    package static func encrypting(_ algorithm: KeyManagementAlgorithm) -> KeyQuery {
        KeyQuery(
            keyType: algorithm.keyType, use: .encryption,
            operations: [.encrypt, .wrapKey, .deriveKey, .deriveBits], algorithm: algorithm.name)
    }

    package static func decrypting(_ algorithm: KeyManagementAlgorithm) -> KeyQuery {
        KeyQuery(
            keyType: algorithm.keyType, use: .encryption,
            operations: [.decrypt, .unwrapKey, .deriveKey, .deriveBits], algorithm: algorithm.name)
    }
}

/// Why a key does or does not fit a query; the reasons go into an `Explanation`.
package enum KeyFit: UInt8, Sendable {
    case fits, otherType, otherUse, otherOperations, otherAlgorithm, contradiction

    var error: JOSEError {
        switch self {
        case .fits, .otherType: .keyUnusable("the key's type does not fit the algorithm")
        case .otherUse: .keyUnusable("the key's use does not allow this")
        case .otherOperations: .keyUnusable("the key's key_ops do not allow this")
        case .otherAlgorithm: .keyUnusable("the key's alg is another algorithm")
        case .contradiction: .keyUnusable("the key's use and key_ops contradict each other")
        }
    }
}

/// The facts of a key that selection looks at.
package struct KeyFacts: Sendable {
    enum Use: UInt8 { case absent, signature, encryption, other }

    var hasKnownType: Bool
    var use: Use
    var operations: KeyOperations?

    /// Whether the key fits; `sameType` and `algorithm` are the caller's comparisons of kty and alg (nil: the key has none).
    func fit(_ query: KeyQuery, sameType: Bool, sameAlgorithm: Bool?) -> KeyFit {
        guard hasKnownType, sameType else { return .otherType }
        switch use {
        case .absent: break
        case .signature: guard query.use == .signature else { return .otherUse }
        case .encryption: guard query.use == .encryption else { return .otherUse }
        case .other: return .otherUse
        }
        if let operations {
            guard !operations.isDisjoint(with: query.operations) else { return .otherOperations }
            if use == .signature, !operations.isSubset(of: .forSignatures) { return .contradiction }
            if use == .encryption, !operations.isSubset(of: .forEncryption) {
                return .contradiction
            }
        }
        if sameAlgorithm == false { return .otherAlgorithm }
        return .fits
    }
}
