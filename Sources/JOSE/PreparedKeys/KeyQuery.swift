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
    /// Whether only a key whose own `alg` names the algorithm may be used: the policy does not name it.
    var isOnlyByKey = false

    /// Which content encryption a key may name.
    enum NamedContent { case none, any, only(ContentEncryptionAlgorithm) }

    /// - Parameter isOnlyByKey: Whether the policy leaves the algorithm to keys whose own `alg` names it.
    package static func verifying(
        _ algorithm: SignatureAlgorithm, isOnlyByKey: Bool = false
    ) -> KeyQuery {
        KeyQuery(
            kinds: algorithm.kinds, use: .signature, operations: .verify,
            algorithm: algorithm.word, isOnlyByKey: isOnlyByKey)
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

    /// - Parameter isOnlyByKey: As for `verifying`.
    package static func decrypting(
        _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm? = nil,
        isOnlyByKey: Bool = false
    ) -> KeyQuery {
        KeyQuery(
            kinds: algorithm.kinds, use: .encryption,
            operations: [.decrypt, .unwrapKey, .deriveKey, .deriveBits], algorithm: algorithm.word,
            content: NamedContent(algorithm, content), isOnlyByKey: isOnlyByKey)
    }

    /// The word of `key_ops` and the use that the operation needs, for errors.
    fileprivate var words: (operation: StaticString, use: StaticString) {
        if operations.contains(.verify) { return ("verify", "sig") }
        if operations.contains(.sign) { return ("sign", "sig") }
        return (operations.contains(.decrypt) ? "decrypt" : "encrypt", "enc")
    }

    /// Whether a token names the algorithm, and not the caller.
    fileprivate var isOfToken: Bool { !operations.isDisjoint(with: [.verify, .decrypt]) }

    /// Whether the private key is needed, and its external key would have to do more than it offers.
    package func exceeds(_ capabilities: ExternalKeyCapabilities) -> Bool {
        if operations.contains(.sign) {
            return !capabilities.signatures.contains { $0.name.isExactly(algorithm) }
        }
        guard operations.contains(.decrypt) else { return false }
        return !capabilities.keyManagement.contains { $0.name.isExactly(algorithm) }
    }

    /// Whether a key that names this algorithm may be used.
    func allows(_ name: String) -> Bool {
        if name.isExactly(algorithm) { return true }
        return switch content {
        case .none: false
        case .any: ContentEncryptionAlgorithm(name: name) != nil
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

/// Why a key does or does not fit a query; the reasons go into an `TokenExplanation`.
package enum KeyMatch: UInt8, Sendable {
    case matches, wrongType, wrongUse, wrongOperations, wrongAlgorithm, contradiction, untrusted
    case wrongKeyID
    /// It would, but the external key that has the private key does not do this.
    case notOffered
    /// The key cannot be used for anything: its set skips it.
    case defective
    /// It would, but the libcrypto that runs has no such keys.
    case unsupportedByLibcrypto
    /// Nobody could tell: memory or the provider failed.
    case undetermined

    var error: JOSEError {
        switch self {
        case .matches, .wrongType: .keyUnusable("the key's type or curve does not match the algorithm")
        case .wrongUse: .keyUnusable("the key's use does not allow this")
        case .wrongOperations: .keyUnusable("the key's key_ops do not allow this")
        case .wrongAlgorithm: .keyUnusable("the key's alg is another algorithm")
        case .contradiction: .keyUnusable("the key's use and key_ops contradict each other")
        case .wrongKeyID: .keyNotFound("the token names another kid")
        case .notOffered:
            .keyUnusable("the external key of the private key does not offer the algorithm")
        case .defective: .keyUnusable("the key set skips this key: it cannot be used")
        case .unsupportedByLibcrypto: .unsupportedByLibcrypto
        case .undetermined: .internalFailure
        case .untrusted:
            JOSEError(
                .untrustedKey, .certificate,
                "the key's certificates are not trusted for this at this time")
        }
    }
}

extension KeyMatch {
    /// Why a key does not match, with what it is and what is needed.
    @inline(never)
    package func error(_ query: KeyQuery, _ key: KeyNames) -> JOSEError {
        let algorithm = JOSEError.Value.name(query.algorithm)
        let words = query.words
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
                "the key's use is not {}, which {} needs", .name(words.use), algorithm)
        case .wrongOperations:
            return .keyUnusable(
                "the key's key_ops do not have {}, which {} needs", .name(words.operation),
                algorithm)
        case .wrongAlgorithm:
            switch (key.algorithm, query.isOfToken) {
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
        case .notOffered:
            return .keyUnusable("the external key of the private key does not offer {}", algorithm)
        case .contradiction, .untrusted, .wrongKeyID, .defective, .unsupportedByLibcrypto, .undetermined: return error
        }
    }

    /// The same for a token that names this kid: what else is wrong with a key is told before its kid.
    func naming(_ wanted: String?, _ own: String?, isOptional: Bool) -> KeyMatch {
        guard self == .matches, let wanted else { return self }
        guard let own else { return isOptional ? .matches : .wrongKeyID }
        return own.isExactly(wanted) ? .matches : .wrongKeyID
    }
}

/// What a key is called in errors: constants of the tables only.
package struct KeyNames: Sendable {
    /// The `alg` of a key.
    package enum Algorithm: Sendable {
        case none
        case registered(StaticString)
        /// A name that no table has, which is not shown.
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

    /// The kind as a value of an error.
    var label: JOSEError.Value { kind.label.map { .name($0) } ?? "unsupported" }

    package init(_ kind: KeyKind, _ algorithm: Algorithm) {
        self.kind = kind
        self.algorithm = algorithm
    }
}

extension KeyKind {
    /// The curve, or the key type where there is none; nil for no kind or several.
    package var label: StaticString? {
        for row in KeyKindEntry.rows where row.kind == self {
            if row.type == .akp { return row.certificates?.algorithm }
            return row.curve?.word ?? row.type.word
        }
        return nil
    }

    /// What an algorithm of these kinds needs.
    fileprivate var needed: StaticString {
        if let label { return label }
        if self == .agreement { return "an EC, X25519 or X448 key" }
        if self == SignatureAlgorithm.edDSA.kinds { return "Ed25519 or Ed448" }
        return "another key type"
    }
}

/// The facts of a key that selection looks at.
package struct KeyFacts: Sendable {
    enum Use: UInt8 { case absent, signature, encryption, other }

    /// The key's one kind; none where it is of a type or curve that is not supported.
    var kind: KeyKind
    var use: Use
    var operations: KeyOperations?

    /// Of an entry that is no key.
    static let none = KeyFacts(kind: [], use: .absent, operations: nil)

    /// Whether the key fits; `sameAlgorithm` is the caller's comparison of alg (nil: the key has none).
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
        if sameAlgorithm == false || (query.isOnlyByKey && sameAlgorithm == nil) {
            return .wrongAlgorithm
        }
        return .matches
    }
}
