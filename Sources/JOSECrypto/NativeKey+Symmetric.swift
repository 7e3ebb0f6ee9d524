// Symmetric keys: import and generation.

internal import CJOSECrypto

extension NativeKey {
    /// The sizes in bytes that `symmetricGenerate` accepts.
    package static let generatedSymmetricBytes = 1...Int(JOSE_MAX_GENERATED_OCT_BYTES)

    /// Copies the bytes. Throws `unusableKey` unless there are 1 to 65,536.
    package static func symmetric(_ bytes: SecretBytes) throws(CryptoError) -> NativeKey {
        var key: OpaquePointer?
        let status = bytes.withSpan { bytes in
            unsafe bytes.withPointer { bytes, count in unsafe jose_oct(&key, bytes, count) }
        }
        try check(status)
        return try unsafe owned(key, .symmetric)
    }

    /// Throws `unusableKey` for a size outside `generatedSymmetricBytes`.
    package static func symmetricGenerate(
        bytes: Int, in module: CryptoModule = .process
    ) throws(CryptoError) -> NativeKey {
        guard generatedSymmetricBytes.contains(bytes) else { throw .unusableKey }
        var key: OpaquePointer?
        try check(unsafe jose_oct_generate(&key, module.native, bytes))
        return try unsafe owned(key, .symmetric)
    }
}
