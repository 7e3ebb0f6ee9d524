// The content encryption key of one message between wrapping and encryption, in memory of C.

internal import CJOSECrypto

/// A content encryption key that was wrapped for a recipient, for one message.
///
/// For messages whose header, and thus authenticated data, depends on the wrapping: an ephemeral
/// key, a wrapping IV, a salt, or several recipients. The key is wiped on deinitialisation.
@safe
package struct ContentKey: ~Copyable {
    private let holder: OpaquePointer
    package let content: ContentAlgorithm

    fileprivate init(_ holder: OpaquePointer, _ content: ContentAlgorithm) {
        unsafe self.holder = holder
        self.content = content
    }

    // Safe: the owner cannot be copied, so this runs once and after the last use.
    deinit { unsafe jose_cek_free(holder) }

    /// Generates an IV and encrypts; every output must have its exact size, and is zeroed on error.
    /// A second call throws `failure`.
    package func finish(
        _ plaintext: Span<UInt8>, aad: Span<UInt8>, iv: inout MutableSpan<UInt8>,
        ciphertext: inout MutableSpan<UInt8>, tag: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        let holder = unsafe self.holder
        let status = unsafe iv.withPointer { iv, ivCount in
            unsafe ciphertext.withPointer { text, textCount in
                unsafe tag.withPointer { tag, tagCount in
                    var sealed = unsafe jose_seal_output(
                        encrypted_key: nil, encrypted_key_len: 0, iv: iv, iv_len: ivCount,
                        ciphertext: text, ciphertext_len: textCount, tag: tag, tag_len: tagCount)
                    return unsafe plaintext.withPointer { input, inputCount in
                        unsafe aad.withPointer { aad, aadCount in
                            unsafe jose_cek_finish(
                                holder, &sealed, aad, aadCount, input, inputCount)
                        }
                    }
                }
            }
        }
        try check(status)
    }

    /// Wraps the same key for another recipient.
    ///
    /// - Throws: `unusableKey` if the algorithm of the first recipient or of this one determines
    ///   the key itself: direct encryption, or ECDH-ES without key wrapping.
    package func wrapAgain(
        for operation: KeyManagementOperation,
        _ chosen: KeyParameters = KeyParameters(), in parties: Span<UInt8> = Span(),
        encryptedKey: inout MutableSpan<UInt8>, parameters: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        let holder = unsafe self.holder
        let status = unsafe withWrapped(&encryptedKey, &parameters, chosen, parties) {
            wrapped, recipient in
            var wrapped = unsafe wrapped
            var recipient = unsafe recipient
            return unsafe jose_cek_wrap_again(
                holder, operation.handle.pointer, &wrapped, &recipient)
        }
        try check(status)
    }
}

extension KeyManagementOperation {
    /// Generates a content encryption key, or agrees on one, and wraps it.
    ///
    /// - Parameters:
    ///   - chosen: The header values that the sender chooses: party information and iterations.
    ///   - parties: The bytes of the party information.
    ///   - encryptedKey: Receives exactly `encryptedKeyBytes(for:)` bytes.
    ///   - parameters: Receives exactly `parameterBytes` bytes for the header.
    /// - Throws: `unusableKey` if the key's size does not match the content encryption.
    package func begin(
        _ content: ContentAlgorithm, _ chosen: KeyParameters = KeyParameters(),
        in parties: Span<UInt8> = Span(), encryptedKey: inout MutableSpan<UInt8>,
        parameters: inout MutableSpan<UInt8>
    ) throws(CryptoError) -> ContentKey {
        var holder: OpaquePointer?
        let status = unsafe withWrapped(&encryptedKey, &parameters, chosen, parties) {
            wrapped, recipient in
            var wrapped = unsafe wrapped
            var recipient = unsafe recipient
            return unsafe jose_cek_begin(
                &holder, handle.pointer, content.native, &wrapped, &recipient)
        }
        try check(status)
        guard let holder = unsafe holder else { throw .failure }
        return unsafe ContentKey(holder, content)
    }
}

/// Key wrapping with given values, only for published test vectors, like `ContentTestVectors`.
package enum KeyManagementTestVectors {
    /// Wraps a given key with given random bytes or a given ephemeral key. Returns the encrypted
    /// key, the parameters and the key, which differs if it was agreed on.
    package static func wrap(
        _ operation: KeyManagementOperation, content: ContentAlgorithm, cek: Span<UInt8>,
        seed: Span<UInt8>, ephemeral: NativeKey?,
        _ chosen: KeyParameters = KeyParameters(), in parties: Span<UInt8> = Span()
    ) throws(CryptoError) -> (encryptedKey: [UInt8], parameters: [UInt8], cek: [UInt8]) {
        var key = [UInt8](repeating: 0, count: content.keyBytes)
        for index in 0..<min(key.count, cek.count) { key[index] = cek[index] }
        var encryptedKey = [UInt8](
            repeating: 0, count: operation.encryptedKeyBytes(for: content))
        var parameters = [UInt8](repeating: 0, count: operation.parameterBytes)
        var keySpan = key.mutableSpan
        var encryptedKeySpan = encryptedKey.mutableSpan
        var parametersSpan = parameters.mutableSpan
        let status = unsafe withWrapped(&encryptedKeySpan, &parametersSpan, chosen, parties) {
            wrapped, recipient in
            var wrapped = unsafe wrapped
            var recipient = unsafe recipient
            return unsafe keySpan.withPointer { key, keyCount in
                unsafe seed.withPointer { seed, seedCount in
                    unsafe jose_cek_wrap_given(
                        operation.handle.pointer, content.native, key, keyCount, &wrapped,
                        &recipient, seed, seedCount, ephemeral?.handle.pointer)
                }
            }
        }
        try check(status)
        return (encryptedKey, parameters, key)
    }
}

/// Calls `body` with the outputs of a wrapping and its inputs.
@inline(__always)
private func withWrapped<R>(
    _ encryptedKey: inout MutableSpan<UInt8>, _ parameters: inout MutableSpan<UInt8>,
    _ chosen: KeyParameters, _ parties: Span<UInt8>,
    _ body: (jose_wrapped, jose_recipient) -> R
) -> R {
    unsafe encryptedKey.withPointer { key, keyCount in
        unsafe parameters.withPointer { bytes, count in
            unsafe chosen.withPointer(parties) { recipient in
                unsafe body(
                    jose_wrapped(
                        encrypted_key: key, encrypted_key_len: keyCount, parameters: bytes,
                        parameters_len: count), recipient)
            }
        }
    }
}
