// Verifying many signatures together.

internal import CJOSECrypto

/// Collects signatures and verifies them together, with a result for each.
///
/// A batch can only accept. Verify a signature that it does not accept with the operation's
/// `verify`.
package struct SignatureBatch: ~Copyable {
    /// The maximum number of signatures of one batch.
    package static var maxCount: Int { Int(JOSE_BATCH_MAX) }

    private let handle: Handle
    /// Keeps the keys alive that the batch borrows.
    private var operations: [SignatureOperation] = []

    /// Creates a batch for a number of signatures.
    package init(capacity: Int) throws(CryptoError) {
        guard let batch = unsafe jose_batch_make(max(capacity, 0)) else { throw .failure }
        handle = unsafe Handle(batch, release: jose_batch_free)
        operations.reserveCapacity(capacity)
    }

    /// Hashes the message and copies the signature.
    /// - Returns: The signature's index, or nil if it was not added.
    package mutating func add(
        _ operation: SignatureOperation, message: Span<UInt8>, signature: Span<UInt8>
    ) -> Int? {
        let index = unsafe message.withPointer { input, inputCount in
            unsafe signature.withPointer { bytes, count in
                unsafe operation.add(
                    to: handle.pointer, input, inputCount, bytes, count)
            }
        }
        guard index >= 0 else { return nil }
        operations.append(operation)
        return index
    }

    /// Verifies all added signatures.
    package mutating func run() { unsafe jose_batch_run(handle.pointer) }

    /// Reports that `verify` accepted a signature that this batch did not accept. If the batch
    /// computed a block that was not the expected one, the key's precomputed numbers are dropped
    /// and computed again.
    package func reportWronglyRejected(_ index: Int) {
        unsafe jose_batch_report_mismatch(handle.pointer, index)
    }

    /// Whether the signature at an index is valid; false means that it must be verified alone.
    package func accepted(_ index: Int) -> Bool {
        unsafe jose_batch_accepted(handle.pointer, index)
    }
}
