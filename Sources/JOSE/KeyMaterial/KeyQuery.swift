// The question that selects a key, and the answer that a key's own facts give to it.

import JOSECrypto

/// What an operation asks of a key: its kind, use, operation and algorithm.
package struct KeyQuery: Sendable {
    package let kinds: KeyKind
    let use: KeyFacts.Use
    /// Any one of these, where the key names operations.
    package let operations: KeyOperations
    /// The registered name that the key's `alg`, if any, must equal.
    package let algorithm: StaticString
    /// A key for direct encryption may name the content encryption in its `alg` instead (RFC 7520, 5.6).
    var content = NamedContent.none

    /// Which content encryption a key may name.
    enum NamedContent { case none, any, only(ContentEncryptionAlgorithm) }

    package static func verifying(_ algorithm: SignatureAlgorithm) -> KeyQuery {
        KeyQuery(
            kinds: algorithm.kinds, use: .signature, operations: .verify,
            algorithm: algorithm.word)
    }

    package static func signing(_ algorithm: SignatureAlgorithm) -> KeyQuery {
        KeyQuery(
            kinds: algorithm.kinds, use: .signature, operations: .sign,
            algorithm: algorithm.word)
    }

    package static func encrypting(
        _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm? = nil
    ) -> KeyQuery {
        KeyQuery(
            kinds: algorithm.kinds, use: .encryption,
            operations: [.encrypt, .wrapKey, .deriveKey, .deriveBits], algorithm: algorithm.word,
            content: NamedContent(algorithm, content))
    }

    package static func decrypting(
        _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm? = nil
    ) -> KeyQuery {
        KeyQuery(
            kinds: algorithm.kinds, use: .encryption,
            operations: [.decrypt, .unwrapKey, .deriveKey, .deriveBits], algorithm: algorithm.word,
            content: NamedContent(algorithm, content))
    }

    /// Whether the private key is needed, and its custodian would have to do more than it offers.
    package func exceeds(_ abilities: CustodianAbilities) -> Bool {
        if operations.contains(.sign) {
            return !abilities.signatures.contains { $0.name.isExactly(algorithm) }
        }
        guard operations.contains(.decrypt) else { return false }
        return !abilities.keyManagement.contains { $0.name.isExactly(algorithm) }
    }

    /// Whether a key that names this algorithm may be used.
    func allows(_ name: String) -> Bool {
        if name.isExactly(algorithm) { return true }
        return switch content {
        case .none: false
        case .any: ContentEncryptionAlgorithm.named(name) != nil
        case .only(let content): name.isExactly(content.word)
        }
    }
}

extension KeyQuery.NamedContent {
    fileprivate init(
        _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm?
    ) {
        guard case .shared = algorithm.contentKey else {
            self = .none
            return
        }
        self = content.map { .only($0) } ?? .any
    }
}

/// Why a key does or does not fit a query; the reasons go into an `Explanation`.
package enum KeyFit: UInt8, Sendable {
    case fits, otherType, otherUse, otherOperations, otherAlgorithm, contradiction, untrusted
    case otherKeyID
    /// It would, but the custodian that has the private key does not do this.
    case notOffered
    /// It would, but the libcrypto that runs has no such keys.
    case notHere
    /// Nobody could tell: memory or the provider failed.
    case unjudged

    var error: JOSEError {
        switch self {
        case .fits, .otherType: .keyUnusable("the key's type or curve does not fit the algorithm")
        case .otherUse: .keyUnusable("the key's use does not allow this")
        case .otherOperations: .keyUnusable("the key's key_ops do not allow this")
        case .otherAlgorithm: .keyUnusable("the key's alg is another algorithm")
        case .contradiction: .keyUnusable("the key's use and key_ops contradict each other")
        case .otherKeyID: .keyNotFound("the token names another kid")
        case .notOffered: .keyUnusable("the private key's custodian does not offer the algorithm")
        case .notHere: .notHere
        case .unjudged: .internalFailure
        case .untrusted:
            JOSEError(
                .untrustedKey, .certificate,
                "the key's certificates are not trusted for this at this time")
        }
    }
}

extension KeyFit {
    /// The same for a token that names this kid: what else is wrong with a key is told before its kid.
    func naming(_ wanted: String?, _ own: String?, isOptional: Bool) -> KeyFit {
        guard self == .fits, let wanted else { return self }
        guard let own else { return isOptional ? .fits : .otherKeyID }
        return own.isExactly(wanted) ? .fits : .otherKeyID
    }
}

/// The facts of a key that selection looks at.
package struct KeyFacts: Sendable {
    enum Use: UInt8 { case absent, signature, encryption, other }

    /// The key's one kind; none where it is of a type or curve that is not supported.
    var kind: KeyKind
    var use: Use
    var operations: KeyOperations?

    /// Whether the key fits; `sameAlgorithm` is the caller's comparison of alg (nil: the key has none).
    func fit(_ query: KeyQuery, sameAlgorithm: Bool?) -> KeyFit {
        guard !kind.isDisjoint(with: query.kinds) else { return .otherType }
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
