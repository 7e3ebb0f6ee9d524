// A key with its prepared operations: made once per algorithm, then only looked up.

package import JOSECrypto
import JOSEBytes
import Synchronization

/// A key's material and the operations that were prepared for it.
package final class PreparedKey: Sendable {
    package let material: any KeyMaterial
    package let options: OperationOptions
    /// Who has the private key, where it is elsewhere; `material` is then the public one.
    package let held: ExternalKeyBinding?

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

    package init(
        _ material: any KeyMaterial, options: OperationOptions = [], held: ExternalKeyBinding? = nil
    ) {
        self.material = material
        self.options = options
        self.held = held
    }

    /// The options of the public part, which signs nothing.
    var publicOptions: OperationOptions { options.subtracting(.checksEverySignature) }

    /// Whether the private part can be used, here or elsewhere.
    package var isPrivate: Bool { material.isPrivate || held != nil }

    /// The operation that signs (`signing`) with a key that is here, or verifies; about 10 ns once prepared.
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
        let key = try material.native()
        let made: SignatureOperation
        do {
            made = try SignatureOperation(
                key: key, family: algorithm.family, hash: algorithm.hash, signing: signing,
                options: options)
        } catch {
            throw JOSEError(
                error, rejected: KeyMatch.wrongType.error(.verifying(algorithm), names))
        }
        return operations.withLock {
            PreparedKey.keep(made, in: &$0.signatures, algorithm.id, signing)
        }
    }

    /// The operation that wraps (`wrapping`) or unwraps content keys; about 10 ns once prepared.
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
        let key = try material.native()
        let made: KeyManagementOperation
        do {
            made =
                !wrapping && held != nil
                ? try KeyManagementOperation(
                    answeredFor: key, family: algorithm.family, hash: algorithm.hash,
                    wrapBytes: algorithm.wrapBytes, options: options)
                : try KeyManagementOperation(
                    key: key, family: algorithm.family, hash: algorithm.hash,
                    wrapBytes: algorithm.wrapBytes, wrapping: wrapping,
                    options: options)
        } catch {
            throw JOSEError(
                error, rejected: KeyMatch.wrongType.error(.decrypting(algorithm), names))
        }
        return operations.withLock {
            PreparedKey.keep(made, in: &$0.keyManagement, algorithm.id, !wrapping)
        }
    }

    /// Throws `misuse` for an external key, which only asynchronous calls use.
    package func checkIsLocal() throws(JOSEError) {
        guard held == nil else { throw .isExternal }
    }

    /// PrivateKeyInfo (RFC 5958, 2); throws `keyUnusable` where there is none, `misuse` where it is elsewhere.
    package func privateDER() throws(JOSEError) -> SecretBytes {
        guard held == nil else { throw .externalKeyHasNoPrivatePart }
        return try material.privateDER()
    }

    /// Rejects a key of another kind, and a symmetric key of another size (RFC 7518, 3.2, 4.4, 4.7).
    private func check(_ query: KeyQuery, _ size: SymmetricKeySize?) throws(JOSEError) {
        guard !material.kind.isDisjoint(with: query.kinds) else {
            throw KeyMatch.wrongType.error(query, names)
        }
        guard material.kind == .oct, let size else { return }
        try size.check(bits: material.sizeBits, query.algorithm)
    }

    /// What the key is, without its metadata.
    private var names: KeyNames { KeyNames(material.kind, .none) }

    private static func find<Operation>(
        _ entries: [Entry<Operation>], _ algorithm: UInt8, _ isPrivate: Bool
    ) -> Operation? {
        for entry in entries where entry.algorithm == algorithm && entry.isPrivate == isPrivate {
            return entry.operation
        }
        return nil
    }

    /// Keeps the first of two that were made at the same time.
    private static func keep<Operation>(
        _ made: Operation, in entries: inout [Entry<Operation>], _ algorithm: UInt8,
        _ isPrivate: Bool
    ) -> Operation {
        if let earlier = find(entries, algorithm, isPrivate) { return earlier }
        entries.append(Entry(algorithm: algorithm, isPrivate: isPrivate, operation: made))
        return made
    }
}
