// Symmetric keys: import and generation.

internal import CJOSECrypto

extension NativeKey {
    /// Sizes in bytes that `symmetricGenerate` makes.
    package static let drawnSymmetricBytes = 1...Int(JOSE_MAX_GENERATED_OCT_BYTES)

    /// A symmetric key of a copy of these bytes.
    /// - Throws: `unusableKey` for none, or for more than 64 KiB.
    package static func symmetric(_ bytes: SecretBytes) throws(CryptoError) -> NativeKey {
        var key: OpaquePointer?
        let status = bytes.withSpan { bytes in
            unsafe bytes.lend { bytes, count in unsafe jose_oct(&key, bytes, count) }
        }
        try check(status)
        return try unsafe owned(key, .symmetric)
    }

    /// A fresh symmetric key.
    /// - Throws: `unusableKey` for a size outside `drawnSymmetricBytes`.
    package static func symmetricGenerate(bytes: Int) throws(CryptoError) -> NativeKey {
        guard drawnSymmetricBytes.contains(bytes) else { throw .unusableKey }
        var key: OpaquePointer?
        try check(unsafe jose_oct_generate(&key, bytes))
        return try unsafe owned(key, .symmetric)
    }
}
