// A secret that an external key hands over.

package import JOSECrypto
import JOSEBytes

/// Secret bytes from an external key: one owner, wiped when the owner goes, never printed.
public struct ExternalKeySecret: Sendable {
    package let bytes: SecretBytes

    /// Makes the secret in its own memory, which nobody else sees.
    ///
    /// - Parameters:
    ///   - count: The size in bytes; what is not filled is zero.
    ///   - filling: Appends up to `count` bytes.
    public init<E: Error>(
        count: Int, filling: (inout OutputSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        bytes = try SecretBytes(count: count, filling: filling)
    }

    /// Takes a secret out of an array that a library or a connection filled.
    ///
    /// - Parameter bytes: The secret; zeros afterwards. Of what was copied from it before, nothing is known here.
    public init(wiping bytes: inout [UInt8]) {
        self.bytes = SecretBytes(copying: bytes.span)
        var span = bytes.mutableSpan
        wipe(&span)
    }
}

extension ExternalKeySecret: RedactedDescription {
    package var shownAs: String { "ExternalKeySecret" }
}
