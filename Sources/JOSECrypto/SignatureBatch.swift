// Signatures that are verified together.

internal import CJOSECrypto

/// Verifies many signatures together, with a result for each. A batch only accepts: a signature
/// that it does not accept is undecided, so call the operation's `verify`.
package struct SignatureBatch: ~Copyable {
    package static var maxCount: Int { Int(JOSE_BATCH_MAX) }

    private let handle: Handle
    /// Retains the operations, which C borrows.
    private var operations: [SignatureOperation] = []

    package init(capacity: Int) throws(CryptoError) {
        guard let batch = unsafe jose_batch_make(max(capacity, 0)) else { throw .failure }
        handle = unsafe Handle(batch, release: jose_batch_free)
        operations.reserveCapacity(capacity)
    }

    /// Hashes the message and copies the signature. Returns its index, or nil if it was not added.
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

    package mutating func run() { unsafe jose_batch_run(handle.pointer) }

    /// Reports that `verify` accepted a signature that this batch did not accept. If the batch had
    /// computed a wrong RSA result, the key's precomputed numbers are dropped and computed again.
    package func reportWronglyRejected(_ index: Int) {
        unsafe jose_batch_report_mismatch(handle.pointer, index)
    }

    /// False means that the signature must be verified alone.
    package func accepted(_ index: Int) -> Bool {
        unsafe jose_batch_accepted(handle.pointer, index)
    }
}
