// Symmetric keys.

package import JOSEBytes
package import JOSECrypto

/// A symmetric key (RFC 7518, 6.4), which has no public part.
package final class OctKeyMaterial: KeyMaterial {
    private let key: NativeKey
    package let sizeBits: Int

    package var kind: KeyKind { .oct }
    package var keyType: KeyType { .oct }
    package var isPrivate: Bool { true }

    package init(_ key: NativeKey) {
        self.key = key
        sizeBits = key.bits
    }

    /// Throws `keyUnusable` for a key of 0 or more than 65,536 bytes.
    package convenience init(_ bytes: SecretBytes) throws(JOSEError) {
        do {
            self.init(try NativeKey.symmetric(bytes))
        } catch {
            guard error == .unusableKey else { throw .internalFailure }
            throw .keyUnusable("a symmetric key has 1 to 65,536 bytes")
        }
    }

    package func native() throws(JOSEError) -> NativeKey { key }

    package func writePublicMembers(to writer: inout JSONWriter) {
        writer.name("kty")
        writer.string(keyType.name)
    }

    package func writePrivateMembers(to writer: inout JSONWriter) throws(JOSEError) {
        try writeSecret("k", to: &writer)
    }

    package func writeThumbprintMembers(to writer: inout JSONWriter) throws(JOSEError) {
        try writeSecret("k", to: &writer)
        writePublicMembers(to: &writer)
    }

    package func publicMaterial() throws(JOSEError) -> any KeyMaterial {
        throw .keyUnusable("a symmetric key has no public part")
    }

    package func publicDER() throws(JOSEError) -> [UInt8] { throw OctKeyMaterial.noFile }

    package func privateDER() throws(JOSEError) -> SecretBytes { throw OctKeyMaterial.noFile }

    private static let noFile = JOSEError.keyUnusable(
        "a symmetric key can only be written as a JWK, not as a key file")

    package func hasSamePublicKey(as other: any KeyMaterial) -> Bool { false }
}
