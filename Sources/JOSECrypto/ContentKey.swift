// The content encryption key of one message, between wrapping and encryption.

internal import CJOSECrypto

/// A content encryption key, in memory of C, which `deinit` wipes.
/// For messages whose authenticated data depends on the wrapping: the header has an ephemeral key,
/// an IV or a salt, or there are several recipients.
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

    /// Generates an IV and encrypts. Each output must have its exact size, and is zeroed on error.
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

    /// Wraps the same key for another recipient. Throws `unusableKey` if either algorithm is direct
    /// encryption or ECDH-ES without key wrapping, or if their keys have different providers.
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
    /// Generates a content encryption key, or agrees on one, and wraps it. `chosen` has the sizes
    /// of `apu` and `apv`, whose bytes are in `parties`, and the iterations. `encryptedKey` and
    /// `parameters` must have exactly the sizes that the operation states. Throws `unusableKey` if
    /// `supports(content)` is false.
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

/// Key wrapping with given random values, only for published test vectors.
package enum KeyManagementTestVectors {
    /// Wraps `cek`, with `seed` as the random bytes, or with a given ephemeral key. `cek` in the
    /// result is the content encryption key: another one if it was agreed on.
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
