// Queries that select keys, and the match of a key with a query.

import JOSECrypto

/// What an operation requires of a key: kind, use, operation and algorithm.
package struct KeyQuery: Sendable {
    package let kinds: KeyKind
    let use: KeyFacts.Use
    /// A key with `key_ops` needs one of these.
    package let operations: KeyOperations
    /// The name that the key's `alg`, if any, must equal; for the exception see `content`.
    package let algorithm: StaticString
    /// The content encryption that the key's `alg` may name instead (RFC 7520, 5.6).
    var content = NamedContent.none
    /// True if the key must have an `alg`: the policy accepts the algorithm only from such a key.
    var requiresKeyAlgorithm = false

    /// A content encryption that the `alg` of a key for direct encryption may name.
    enum NamedContent { case none, any, only(ContentEncryptionAlgorithm) }

    package static func verifying(
        _ algorithm: SignatureAlgorithm, requiresKeyAlgorithm: Bool = false
    ) -> KeyQuery {
        KeyQuery(
            kinds: algorithm.kinds, use: .signature, operations: .verify,
            algorithm: algorithm.staticName, requiresKeyAlgorithm: requiresKeyAlgorithm)
    }

    package static func signing(_ algorithm: SignatureAlgorithm) -> KeyQuery {
        KeyQuery(
            kinds: algorithm.kinds, use: .signature, operations: .sign,
            algorithm: algorithm.staticName)
    }

    package static func encrypting(
        _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm? = nil
    ) -> KeyQuery {
        KeyQuery(
            kinds: algorithm.kinds, use: .encryption,
            operations: [.encrypt, .wrapKey, .deriveKey, .deriveBits],
            algorithm: algorithm.staticName,
            content: NamedContent(algorithm, content))
    }

    package static func decrypting(
        _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm? = nil,
        requiresKeyAlgorithm: Bool = false
    ) -> KeyQuery {
        KeyQuery(
            kinds: algorithm.kinds, use: .encryption,
            operations: [.decrypt, .unwrapKey, .deriveKey, .deriveBits],
            algorithm: algorithm.staticName,
            content: NamedContent(algorithm, content), requiresKeyAlgorithm: requiresKeyAlgorithm)
    }

    /// The `key_ops` and `use` that the operation needs, for errors.
    fileprivate var requiredValues: (operation: StaticString, use: StaticString) {
        if operations.contains(.verify) { return ("verify", "sig") }
        if operations.contains(.sign) { return ("sign", "sig") }
        if kinds.isDisjoint(with: [.rsa, .oct]) { return ("deriveKey or deriveBits", "enc") }
        return (
            operations.contains(.decrypt) ? "decrypt or unwrapKey" : "encrypt or wrapKey", "enc"
        )
    }

    fileprivate var algorithmIsFromToken: Bool {
        !operations.isDisjoint(with: [.verify, .decrypt])
    }

    /// Whether the operation needs the private key and the external key lacks the algorithm.
    package func exceeds(_ capabilities: ExternalKeyCapabilities) -> Bool {
        if operations.contains(.sign) {
            return !capabilities.signatures.contains { $0.name.isExactly(algorithm) }
        }
        guard operations.contains(.decrypt) else { return false }
        return !capabilities.keyManagement.contains { $0.name.isExactly(algorithm) }
    }

    /// Whether the query accepts a key with this `alg`.
    func allows(_ name: String) -> Bool {
        if name.isExactly(algorithm) { return true }
        return switch content {
        case .none: false
        case .any: ContentEncryptionAlgorithm(name: name) != nil
        case .only(let content): name.isExactly(content.staticName)
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

/// Whether a key matches a query, or why not.
package enum KeyMatch: UInt8, Sendable {
    case matches, wrongType, wrongUse, wrongOperations, wrongAlgorithm, contradiction, untrusted
    case wrongKeyID
    case unsupportedByExternalKey
    /// The key set skips the key: it cannot be used for anything.
    case defective
    /// The provider of the process does not support keys of this kind.
    case unsupportedByProvider
    /// Memory ran out or libcrypto failed.
    case undetermined
}

extension KeyMatch {
    /// The error states what the key is, and what is needed.
    @inline(never)
    package func error(_ query: KeyQuery, _ key: KeyLabels) -> JOSEError {
        let algorithm = JOSEError.Value.name(query.algorithm)
        let required = query.requiredValues
        switch self {
        case .matches, .wrongType:
            guard let own = key.kind.label else {
                return .keyUnusable(
                    "the key's kty or crv is not supported; {} needs {}", algorithm,
                    .name(query.kinds.needed))
            }
            return .keyUnusable(
                "the key is {}; {} needs {}", .name(own), algorithm, .name(query.kinds.needed))
        case .wrongUse:
            return .keyUnusable(
                "the key's use is not {}, which {} needs", .name(required.use), algorithm)
        case .wrongOperations:
            return .keyUnusable(
                "the key's key_ops do not have {}, which {} needs", .name(required.operation),
                algorithm)
        case .wrongAlgorithm:
            switch (key.algorithm, query.algorithmIsFromToken) {
            case (.none, _):
                return .keyUnusable(
                    "the key has no alg; the policy allows {} only for a key whose alg names it",
                    algorithm)
            case (.registered(let own), true):
                return .keyUnusable("the key's alg is {}; the token's is {}", .name(own), algorithm)
            case (.registered(let own), false):
                return .keyUnusable("the key's alg is {}, not {}", .name(own), algorithm)
            case (.other, true):
                return .keyUnusable(
                    "the key's alg is not a registered name; the token's is {}", algorithm)
            case (.other, false):
                return .keyUnusable("the key's alg is not a registered name, and not {}", algorithm)
            }
        case .unsupportedByExternalKey:
            return .keyUnusable("the external key does not support {}", algorithm)
        case .contradiction:
            return .keyUnusable("the key's use and key_ops contradict each other")
        case .wrongKeyID: return .keyNotFound("the token names another kid")
        case .defective: return .keyUnusable("the key set skips this key: it cannot be used")
        case .unsupportedByProvider: return .unsupportedByProvider
        case .undetermined: return .internalFailure
        case .untrusted: return .untrustedForPurpose
        }
    }

    /// Returns `wrongKeyID` for a matching key with another `kid`; keeps any other mismatch.
    func comparingKeyID(
        ofToken wanted: String?, ofKey own: String?, mayBeAbsent: Bool
    ) -> KeyMatch {
        guard self == .matches, let wanted else { return self }
        guard let own else { return mayBeAbsent ? .matches : .wrongKeyID }
        return own.isExactly(wanted) ? .matches : .wrongKeyID
    }
}

/// The kind and `alg` of a key for errors: only constants, no text of the key.
package struct KeyLabels: Sendable {
    package enum Algorithm: Sendable {
        case none
        case registered(StaticString)
        /// An unregistered name, which errors do not show.
        case other

        package init(_ name: String?) {
            guard let name else {
                self = .none
                return
            }
            self = RegisteredAlgorithm.name(name).map { .registered($0) } ?? .other
        }
    }

    let kind: KeyKind
    let algorithm: Algorithm

    var label: JOSEError.Value { kind.label.map { .name($0) } ?? "unsupported" }

    package init(_ kind: KeyKind, _ algorithm: Algorithm) {
        self.kind = kind
        self.algorithm = algorithm
    }
}

extension KeyKind {
    /// The curve, the algorithm of AKP, or else the key type; nil unless exactly one kind.
    package var label: StaticString? {
        for entry in KeyKindEntry.entries where entry.kind == self {
            if entry.type == .akp { return entry.certificates?.algorithm }
            return entry.curve?.staticName ?? entry.type.staticName
        }
        return nil
    }

    fileprivate var needed: StaticString {
        if let label { return label }
        if self == .agreement { return "an EC, X25519 or X448 key" }
        if self == SignatureAlgorithm.edDSA.kinds { return "Ed25519 or Ed448" }
        return "another key type"
    }
}

/// The facts of a key that decide whether it matches a query.
package struct KeyFacts: Sendable {
    enum Use: UInt8 { case absent, signature, encryption, other }

    /// Empty for an unsupported type or curve.
    var kind: KeyKind
    var use: Use
    var operations: KeyOperations?

    /// The facts of an entry of a set that is not a usable key; they match no query.
    static let none = KeyFacts(kind: [], use: .absent, operations: nil)

    /// `sameAlgorithm` is whether `query.allows` the key's `alg`; nil for a key without `alg`.
    func match(_ query: KeyQuery, sameAlgorithm: Bool?) -> KeyMatch {
        guard !kind.isDisjoint(with: query.kinds) else { return .wrongType }
        switch use {
        case .absent: break
        case .signature: guard query.use == .signature else { return .wrongUse }
        case .encryption: guard query.use == .encryption else { return .wrongUse }
        case .other: return .wrongUse
        }
        if let operations {
            guard !operations.isDisjoint(with: query.operations) else { return .wrongOperations }
            if use == .signature, !operations.isSubset(of: .forSignatures) { return .contradiction }
            if use == .encryption, !operations.isSubset(of: .forEncryption) {
                return .contradiction
            }
        }
        if sameAlgorithm == false || (query.requiresKeyAlgorithm && sameAlgorithm == nil) {
            return .wrongAlgorithm
        }
        return .matches
    }
}
