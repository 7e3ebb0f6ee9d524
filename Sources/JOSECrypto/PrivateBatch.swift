// RSA private operations that run together.

internal import CJOSECrypto
import JOSEBytes

/// Collects RSA signatures and decryptions of encrypted keys and computes them together, with a
/// result for each.
///
/// Four run at once if their keys opted in to kernels that can; the others run one after the other.
/// It is wiped on deinitialisation.
package struct PrivateBatch: ~Copyable {
    /// The maximum number of operations of one batch.
    package static var maxCount: Int { Int(JOSE_PRIVATE_BATCH_MAX) }

    /// How many operations run at once where a kernel can.
    package static var laneCount: Int { Int(JOSE_PRIVATE_BATCH_LANES) }

    /// The fewest operations that are faster together than alone where a kernel can.
    package static func worthwhileCount(modulusBytes: Int) -> Int {
        jose_private_batch_worthwhile(modulusBytes)
    }

    private let handle: Handle
    /// Keeps the keys alive that the batch borrows.
    private var operations: [AnyObject] = []

    /// Creates a batch for a number of operations.
    package init(capacity: Int) throws(CryptoError) {
        guard let batch = unsafe jose_private_batch_make(max(capacity, 0)) else { throw .failure }
        handle = unsafe Handle(batch, release: jose_private_batch_free)
        operations.reserveCapacity(min(max(capacity, 0), PrivateBatch.maxCount))
    }

    /// Hashes a message to sign.
    /// - Returns: Its index, or nil if it was not taken: then sign it alone.
    package mutating func add(signing operation: SignatureOperation, _ message: Span<UInt8>) -> Int?
    {
        unsafe add(operation, operation.handle.pointer, message, jose_private_batch_add_message)
    }

    /// Adds a message to sign, given by its digest; see `add(signing:_:)`.
    package mutating func add(
        signing operation: SignatureOperation, digest: Span<UInt8>
    ) -> Int? {
        unsafe add(operation, operation.handle.pointer, digest, jose_private_batch_add_digest)
    }

    /// Adds the bare RSA operation on an encrypted key.
    /// - Returns: Its index, or nil if it was not taken: then open the message without it.
    package mutating func add(
        unwrapping operation: KeyManagementOperation, _ encryptedKey: Span<UInt8>
    ) -> Int? {
        unsafe add(operation, operation.handle.pointer, encryptedKey, jose_private_batch_add_key)
    }

    private mutating func add(
        _ operation: AnyObject, _ native: OpaquePointer, _ bytes: Span<UInt8>,
        _ add: (OpaquePointer?, OpaquePointer?, Bytes?, Int) -> Int
    ) -> Int? {
        let batch = unsafe handle.pointer
        let index = unsafe bytes.withPointer { bytes, count in
            unsafe add(batch, native, bytes, count)
        }
        guard index >= 0 else { return nil }
        operations.append(operation)
        return index
    }

    /// Computes all added operations. Call it once.
    package mutating func run() { unsafe jose_private_batch_run(handle.pointer) }

    /// Writes a verified signature; `signature` must have exactly its size.
    /// - Throws: As `SignatureOperation.sign(_:into:)`.
    package func signature(
        _ index: Int, into signature: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        try check(
            unsafe signature.withPointer { out, count in
                unsafe jose_private_batch_result(handle.pointer, index, out, count)
            })
    }

    /// Returns the block of an encrypted key of this size, still OAEP-encoded.
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

    /// The C object, for C calls only.
    var pointer: OpaquePointer { unsafe handle.pointer }
}
