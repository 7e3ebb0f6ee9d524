// A key made ready to seal or to open: content encryption keys never leave C.

internal import CJOSECrypto

/// A way to carry the content encryption key; the hash is said apart.
package enum KeyManagementFamily: UInt8, Sendable {
    /// RSAES-OAEP, MGF1 with the same hash (RFC 7518 section 4.3).
    case rsaOAEP

    var native: jose_keymgmt_family {
        switch self {
        case .rsaOAEP: .JOSE_RSA_OAEP
        }
    }
}

/// Seals for, or opens with, one key; may be used from many threads at once.
package final class KeyManagementOperation: Sendable {
    private let handle: Handle

    /// Exact size of an encrypted key in bytes.
    package let encryptedKeyBytes: Int

    /// Prepares the operation.
    /// - Throws: `unusableKey` if the key cannot do it.
    package init(
        key: NativeKey, family: KeyManagementFamily, hash: HashAlgorithm, wrapping: Bool,
        options: OperationOptions = []
    ) throws(CryptoFault) {
        var operation: OpaquePointer?
        try check(
            unsafe jose_keymgmt_make(
                &operation, key.handle.pointer, family.native, hash.native, wrapping,
                options.native))
        guard let operation = unsafe operation else { throw .failure }
        encryptedKeyBytes = unsafe jose_keymgmt_encrypted_key_bytes(operation)
        handle = unsafe Handle(operation, release: jose_keymgmt_free)
    }

    /// Encrypts plaintext under a fresh key and IV and wraps the key; every output has its exact
    /// size and holds zeros after a throw.
    package func seal(
        _ plaintext: Span<UInt8>, content: ContentAlgorithm, aad: Span<UInt8>,
        encryptedKey: inout MutableSpan<UInt8>, iv: inout MutableSpan<UInt8>,
        ciphertext: inout MutableSpan<UInt8>, tag: inout MutableSpan<UInt8>
    ) throws(CryptoFault) {
        let status = unsafe encryptedKey.lend { key, keyCount in
            unsafe iv.lend { iv, ivCount in
                unsafe ciphertext.lend { text, textCount in
                    unsafe tag.lend { tag, tagCount in
                        var sealed = unsafe jose_sealed(
                            encrypted_key: key, encrypted_key_len: keyCount, iv: iv,
                            iv_len: ivCount, ciphertext: text, ciphertext_len: textCount,
                            tag: tag, tag_len: tagCount)
                        return unsafe plaintext.lend { input, inputCount in
                            unsafe aad.lend { aad, aadCount in
                                unsafe jose_keymgmt_seal(
                                    handle.pointer, content.native, &sealed, aad, aadCount, input,
                                    inputCount)
                            }
                        }
                    }
                }
            }
        }
        try check(status)
    }

    /// Unwraps the key, checks the tag and decrypts in place (RFC 7516 section 11.5).
    /// - Returns: how many bytes of the buffer are plaintext.
    /// - Throws: `rejected`, whatever was wrong; the buffer then holds ciphertext or zeros.
    package func open(
        inPlace ciphertext: inout MutableSpan<UInt8>, content: ContentAlgorithm, aad: Span<UInt8>,
        encryptedKey: Span<UInt8>, iv: Span<UInt8>, tag: Span<UInt8>
    ) throws(CryptoFault) -> Int {
        var plaintextCount = 0
        let status = unsafe ciphertext.lend { text, textCount in
            unsafe lend(encryptedKey, iv, tag, aad) { key, iv, tag, aad in
                var opened = unsafe jose_opened(
                    encrypted_key: key.bytes, encrypted_key_len: key.len, iv: iv.bytes,
                    iv_len: iv.len, ciphertext: text, ciphertext_len: textCount, tag: tag.bytes,
                    tag_len: tag.len)
                return unsafe jose_keymgmt_open(
                    handle.pointer, content.native, &plaintextCount, &opened, aad.bytes, aad.len)
            }
        }
        try check(status)
        return plaintextCount
    }
}
