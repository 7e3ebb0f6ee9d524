// Secret bytes that an external key returns.

package import JOSECrypto
import JOSEBytes

/// Secret bytes from an external key. Copies share the bytes, which are never printed and are wiped
/// when the last copy is released.
public struct ExternalKeySecret: Sendable {
    package let bytes: SecretBytes

    package init(_ bytes: SecretBytes) { self.bytes = bytes }

    /// Creates a secret that `filling` writes straight into its own memory.
    ///
    /// - Parameters:
    ///   - count: The size in bytes; a number below 0 counts as 0, above 1,048,576 as 1,048,576.
    ///     Bytes that `filling` does not append are zero.
    ///   - filling: Appends at most as many bytes as its `OutputSpan` has room for.
    public init<E: Error>(
        count: Int, filling: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        bytes = try SecretBytes(count: min(max(count, 0), 1_048_576), filling: filling)
    }

    /// Copies a secret from an array and wipes the array.
    ///
    /// - Parameter bytes: The secret; zeros after the call. Other copies of it are not wiped.
    public init(wiping bytes: inout [UInt8]) {
        self.bytes = SecretBytes(copying: bytes.span)
        var span = bytes.mutableSpan
        wipe(&span)
    }
}

extension ExternalKeySecret: RedactedDescription {}
