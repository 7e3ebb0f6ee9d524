// RSA private operations that run together.

internal import CJOSECrypto
import JOSEBytes

/// Computes RSA signatures and the RSA operation on encrypted keys, with a result for each. Four
/// run at once if their keys opted in to kernels that can; others run one after the other. Secrets
/// are wiped on deinitialisation.
package struct PrivateBatch: ~Copyable {
    package static var maxCount: Int { Int(JOSE_PRIVATE_BATCH_MAX) }

    /// The number of operations that a kernel runs at once.
    package static var laneCount: Int { Int(JOSE_PRIVATE_BATCH_LANES) }

    /// The fewest operations that are faster together than alone, if a kernel runs them.
    package static func worthwhileCount(modulusBytes: Int) -> Int {
        jose_private_batch_worthwhile(modulusBytes)
    }

    private let handle: Handle
    /// Retains the operations, which C borrows.
    private var operations: [AnyObject] = []

    package init(capacity: Int) throws(CryptoError) {
        guard let batch = unsafe jose_private_batch_make(max(capacity, 0)) else { throw .failure }
        handle = unsafe Handle(batch, release: jose_private_batch_free)
        operations.reserveCapacity(min(max(capacity, 0), PrivateBatch.maxCount))
    }

    /// Adds the signature of a message. Returns its index; nil if it must be signed alone.
    package mutating func add(signing operation: SignatureOperation, _ message: Span<UInt8>) -> Int?
    {
        unsafe add(operation, operation.handle.pointer, message, jose_private_batch_add_message)
    }

    /// Adds the signature of a message with this digest; see `add(signing:_:)`.
    package mutating func add(
        signing operation: SignatureOperation, digest: Span<UInt8>
    ) -> Int? {
        unsafe add(operation, operation.handle.pointer, digest, jose_private_batch_add_digest)
    }

    /// Adds the RSA operation on an encrypted key. Returns its index; nil if it must run alone.
    package mutating func add(
        unwrapping operation: KeyManagementOperation, _ encryptedKey: Span<UInt8>
    ) -> Int? {
        unsafe add(operation, operation.handle.pointer, encryptedKey, jose_private_batch_add_key)
    }

    private mutating func add(
        _ operation: AnyObject, _ native: OpaquePointer, _ bytes: Span<UInt8>,
        _ addToC: (OpaquePointer?, OpaquePointer?, Bytes?, Int) -> Int
    ) -> Int? {
        let batch = unsafe handle.pointer
        let index = unsafe bytes.withPointer { bytes, count in
            unsafe addToC(batch, native, bytes, count)
        }
        guard index >= 0 else { return nil }
        operations.append(operation)
        return index
    }

    /// Call it once, after the last operation was added.
    package mutating func run() { unsafe jose_private_batch_run(handle.pointer) }

    /// Writes a signature, which was verified; `signature` must have its exact size. Throws as
    /// `SignatureOperation.sign(_:into:)`.
    package func signature(
        _ index: Int, into signature: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        try check(
            unsafe signature.withPointer { out, count in
                unsafe jose_private_batch_result(handle.pointer, index, out, count)
            })
    }

    /// Returns the RSA result for an encrypted key of `count` bytes, still OAEP-encoded.
    package func block(_ index: Int, count: Int) throws(CryptoError) -> SecretBytes {
        var status = jose_status.JOSE_INTERNAL
        let block = SecretBytes(count: count) { out in
            unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
                // Safe: C writes all bytes of the buffer, or none.
                status = unsafe jose_private_batch_result(
                    handle.pointer, index, buffer.baseAddress, buffer.count)
                initialized = buffer.count
            }
        }
        try check(status)
        return block
    }

    var pointer: OpaquePointer { unsafe handle.pointer }
}
