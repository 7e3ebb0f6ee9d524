// Many signatures at once.

internal import CJOSECrypto

/// Takes signatures in and looks at all of them together; each is judged for itself.
///
/// It only accepts. What it does not accept is judged by its operation's `verify`.
package struct SignatureBatch: ~Copyable {
    /// The most signatures that one batch takes.
    package static var most: Int { Int(JOSE_BATCH_MAX) }

    private let handle: Handle
    /// They own the keys that the batch borrows.
    private var operations: [SignatureOperation] = []

    /// Makes room for a number of signatures.
    package init(capacity: Int) throws(CryptoError) {
        guard let batch = unsafe jose_batch_make(max(capacity, 0)) else { throw .failure }
        handle = unsafe Handle(batch, release: jose_batch_free)
        operations.reserveCapacity(capacity)
    }

    /// Hashes the message and copies the signature.
    /// - Returns: its place, or nil where it was not taken.
    package mutating func add(
        _ operation: SignatureOperation, message: Span<UInt8>, signature: Span<UInt8>
    ) -> Int? {
        let place = unsafe message.lend { input, inputCount in
            unsafe signature.lend { bytes, count in
                unsafe operation.add(
                    to: handle.pointer, input, inputCount, bytes, count)
            }
        }
        guard place >= 0 else { return nil }
        operations.append(operation)
        return place
    }

    /// Looks at all that were added.
    package mutating func run() { unsafe jose_batch_run(handle.pointer) }

    /// Tells that `verify` accepted what this batch did not, which is held against the form of that key alone.
    package func overruled(_ place: Int) { unsafe jose_batch_report_mismatch(handle.pointer, place) }

    /// Whether the signature at this place is right; false says nothing.
    package func accepted(_ place: Int) -> Bool {
        unsafe jose_batch_accepted(handle.pointer, place)
    }
}
