// A key with its operations, each prepared at its first use.

package import JOSECrypto
import JOSEBytes
import Synchronization

package final class PreparedKey: Sendable {
    package let material: any KeyMaterial
    package let options: OperationOptions
    /// Has the private part; `material` is then public. Nil for a local key.
    package let externalKey: ExternalKeyBinding?

    private struct Entry<Operation> {
        let algorithm: UInt8
        let isPrivate: Bool
        let operation: Operation
    }
    private struct Operations {
        var signatures: [Entry<SignatureOperation>] = []
        var keyManagement: [Entry<KeyManagementOperation>] = []
    }
    private let operations = Lock(Operations())
    /// The key of `material` after its import into the FIPS provider; see `native()`.
    private let fipsKey = LazyNativeKey()

    package init(
        _ material: any KeyMaterial, options: OperationOptions = [],
        externalKey: ExternalKeyBinding? = nil
    ) {
        self.material = material
        self.options = options
        self.externalKey = externalKey
    }

    /// The options without `checksEverySignature`, which only concerns signing.
    var publicOptions: OperationOptions { options.subtracting(.checksEverySignature) }

    package var gainsFromBatch: Bool {
        externalKey == nil && material.isPrivate && material.kind == .rsa
            && options.contains(.acceleratesPrivateKeys)
    }

    /// Whether the private part can be used, here or by an external key.
    package var isPrivate: Bool { material.isPrivate || externalKey != nil }

    /// Returns the operation that signs with a local key (`signing`) or verifies. Once it is
    /// prepared, a call costs about 10 ns.
    package func signature(
        _ algorithm: SignatureAlgorithm, signing: Bool
    ) throws(JOSEError) -> SignatureOperation {
        let found = operations.withLock { PreparedKey.find($0.signatures, algorithm.id, signing) }
        if let found { return found }
        try check(
            signing ? .signing(algorithm) : .verifying(algorithm), algorithm.symmetricKeyBytes)
        if signing, !material.isPrivate {
            throw .keyUnusable("signing needs a private key; this {} key is public", names.label)
        }
        let key = try native()
        let made: SignatureOperation
        do {
            made = try SignatureOperation(
                key: key, family: algorithm.family, hash: algorithm.hash, signing: signing,
                options: options)
        } catch {
            throw failure(error, key, KeyMatch.wrongType.error(.verifying(algorithm), names))
        }
        return operations.withLock {
            PreparedKey.keep(made, in: &$0.signatures, algorithm.id, signing)
        }
    }

    /// Returns the operation that wraps (`wrapping`) or unwraps content encryption keys.
    package func keyManagement(
        _ algorithm: KeyManagementAlgorithm, wrapping: Bool
    ) throws(JOSEError) -> KeyManagementOperation {
        let found = operations.withLock {
            PreparedKey.find($0.keyManagement, algorithm.id, !wrapping)
        }
        if let found { return found }
        try check(
            wrapping ? .encrypting(algorithm) : .decrypting(algorithm), algorithm.symmetricKeyBytes)
        if !wrapping, !isPrivate {
            throw .keyUnusable("decrypting needs a private key; this {} key is public", names.label)
        }
        let key = try native()
        let made: KeyManagementOperation
        do {
            made =
                !wrapping && externalKey != nil
                ? try KeyManagementOperation(
                    externalKey: key, family: algorithm.family, hash: algorithm.hash,
                    wrapBytes: algorithm.wrapBytes, options: options)
                : try KeyManagementOperation(
                    key: key, family: algorithm.family, hash: algorithm.hash,
                    wrapBytes: algorithm.wrapBytes, wrapping: wrapping,
                    options: options)
        } catch {
            throw failure(error, key, KeyMatch.wrongType.error(.decrypting(algorithm), names))
        }
        return operations.withLock {
            PreparedKey.keep(made, in: &$0.keyManagement, algorithm.id, !wrapping)
        }
    }

    /// The key in the provider that `options` name.
    func native() throws(JOSEError) -> NativeKey {
        // The pool computes with the options from when it got the key. They cannot change any more.
        if let pooled = externalKey?.key(as: PooledKey.self),
            options.subtracting(.checksEverySignature) != pooled.options
        {
            throw .acceleratedInPool
        }
        let key = try material.native()
        guard options.contains(.fips), !key.isFIPS else { return key }
        return try fipsKey.get(
            unusable: .keyUnusable("the FIPS provider rejects the {} key", names.label),
            unsupported: .unsupportedByFIPSProvider
        ) { () throws(CryptoError) in try key.inFIPSProvider() }
    }

    private func failure(
        _ error: CryptoError, _ key: NativeKey, _ rejected: JOSEError
    ) -> JOSEError {
        if error == .unsupported, key.isFIPS { return .unsupportedByFIPSProvider }
        return JOSEError(error, ifRejected: rejected)
    }

    /// Throws `misuse` for an external key, which needs an asynchronous call.
    package func checkIsLocal() throws(JOSEError) {
        guard externalKey == nil else { throw .needsAsyncCall }
    }

    /// PrivateKeyInfo (RFC 5958, 2). Throws `misuse` for an external key, else as `KeyMaterial`.
    package func privateDER() throws(JOSEError) -> SecretBytes {
        guard externalKey == nil else { throw .externalKeyHasNoPrivatePart }
        return try material.privateDER()
    }

    /// A symmetric key must also have the algorithm's size (RFC 7518, 3.2, 4.4, 4.7).
    private func check(_ query: KeyQuery, _ size: SymmetricKeySize?) throws(JOSEError) {
        guard !material.kind.isDisjoint(with: query.kinds) else {
            throw KeyMatch.wrongType.error(query, names)
        }
        guard material.kind == .oct, let size else { return }
        try size.check(bits: material.sizeBits, query.algorithm)
    }

    private var names: KeyLabels { KeyLabels(material.kind, .none) }

    private static func find<Operation>(
        _ entries: [Entry<Operation>], _ algorithm: UInt8, _ isPrivate: Bool
    ) -> Operation? {
        for entry in entries where entry.algorithm == algorithm && entry.isPrivate == isPrivate {
            return entry.operation
        }
        return nil
    }

    /// If two threads made the operation, the first one is kept.
    private static func keep<Operation>(
        _ made: Operation, in entries: inout [Entry<Operation>], _ algorithm: UInt8,
        _ isPrivate: Bool
    ) -> Operation {
        if let earlier = find(entries, algorithm, isPrivate) { return earlier }
        entries.append(Entry(algorithm: algorithm, isPrivate: isPrivate, operation: made))
        return made
    }
}
