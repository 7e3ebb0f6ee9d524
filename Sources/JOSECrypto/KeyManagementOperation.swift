// A key made ready to seal or to open: content encryption keys never leave C.

internal import CJOSEBytes
internal import CJOSECrypto
import JOSEBytes

/// A way to carry the content encryption key; hash and size of a wrapping key are said apart.
package struct KeyManagementFamily: Sendable, Hashable {
    let native: jose_keymgmt_family

    /// RSAES-OAEP, MGF1 with the same hash (RFC 7518 section 4.3).
    package static let rsaOAEP = KeyManagementFamily(native: .JOSE_RSA_OAEP)
    /// AES key wrapping (RFC 7518 section 4.4).
    package static let aesKW = KeyManagementFamily(native: .JOSE_AES_KW)
    /// The shared key itself (RFC 7518 section 4.5).
    package static let direct = KeyManagementFamily(native: .JOSE_DIRECT)
    /// ECDH with an ephemeral key, with AES key wrapping or without (RFC 7518 section 4.6).
    package static let ecdhES = KeyManagementFamily(native: .JOSE_ECDH_ES)
    /// AES-GCM key wrapping (RFC 7518 section 4.7).
    package static let aesGCMKW = KeyManagementFamily(native: .JOSE_AES_GCM_KW)
    /// A password, PBKDF2 and AES key wrapping (RFC 7518 section 4.8); only with the package trait.
    package static let pbes2 = KeyManagementFamily(native: .JOSE_PBES2)
}

/// Seals for, or opens with, one key; may be used from many threads at once.
package final class KeyManagementOperation: Sendable {
    let handle: Handle

    /// Exact size of what goes to the header besides names: coordinates of the ephemeral key, IV
    /// and tag, or salt; 0 for families that need nothing there.
    package let parameterBytes: Int

    /// Prepares the operation.
    ///
    /// - Parameter wrapBytes: Size of the AES key that wraps; 0 where none does.
    /// - Throws: `unusableKey` if the key cannot do it.
    package init(
        key: NativeKey, family: KeyManagementFamily, hash: HashAlgorithm = .sha256,
        wrapBytes: Int = 0, wrapping: Bool, options: OperationOptions = []
    ) throws(CryptoError) {
        var rule = jose_keymgmt_rule(
            family: family.native, hash: hash.native, wrap_bytes: wrapBytes)
        var operation: OpaquePointer?
        try check(
            unsafe jose_keymgmt_make(
                &operation, key.handle.pointer, &rule, wrapping, options.native))
        guard let operation = unsafe operation else { throw .failure }
        parameterBytes = unsafe jose_keymgmt_parameter_bytes(operation)
        handle = unsafe Handle(operation, release: jose_keymgmt_free)
    }

    /// Prepares an operation that opens by the answers of whoever has the private key.
    ///
    /// - Parameter key: The public key.
    /// - Throws: `unusableKey` if the key cannot do it, or its private part is here.
    package init(
        answeredFor key: NativeKey, family: KeyManagementFamily, hash: HashAlgorithm = .sha256,
        wrapBytes: Int = 0, options: OperationOptions = []
    ) throws(CryptoError) {
        var rule = jose_keymgmt_rule(
            family: family.native, hash: hash.native, wrap_bytes: wrapBytes)
        var operation: OpaquePointer?
        try check(
            unsafe jose_keymgmt_make_external(
                &operation, key.handle.pointer, &rule, options.native))
        guard let operation = unsafe operation else { throw .failure }
        parameterBytes = unsafe jose_keymgmt_parameter_bytes(operation)
        handle = unsafe Handle(operation, release: jose_keymgmt_free)
    }

    /// Exact size of an encrypted key in bytes; 0 where there is none.
    package func encryptedKeyBytes(for content: ContentAlgorithm) -> Int {
        unsafe jose_keymgmt_encrypted_key_bytes(handle.pointer, content.native)
    }

    /// Whether a key of this content encryption can be carried: its size may be fixed by the key.
    package func fits(_ content: ContentAlgorithm) -> Bool {
        unsafe jose_keymgmt_supports(handle.pointer, content.native)
    }

    /// Encrypts plaintext under a fresh key and IV and wraps the key; every output has its exact
    /// size and holds zeros after a throw. Only where nothing goes to the header.
    package func seal(
        _ plaintext: Span<UInt8>, content: ContentAlgorithm, aad: Span<UInt8>,
        encryptedKey: inout MutableSpan<UInt8>, iv: inout MutableSpan<UInt8>,
        ciphertext: inout MutableSpan<UInt8>, tag: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
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
    ///
    /// - Parameters:
    ///   - values: The bytes of the parts.
    ///   - aad: What is authenticated besides the ciphertext: the header's text as it was received.
    ///   - parameterValues: The bytes of the parameters.
    /// - Returns: how many bytes of the buffer are plaintext.
    /// - Throws: `rejected`, whatever was wrong; the buffer then holds ciphertext or zeros.
    package func open(
        inPlace ciphertext: inout MutableSpan<UInt8>, content: ContentAlgorithm,
        _ parts: EncryptedParts, in values: Span<UInt8>, aad: Span<UInt8>,
        _ parameters: KeyParameters = KeyParameters(), in parameterValues: Span<UInt8> = Span()
    ) throws(CryptoError) -> Int {
        try unsafe ciphertext.lend { place, count throws(CryptoError) in
            try unsafe open(
                place, count, Span(), parts, in: values, aad: aad, parameters, in: parameterValues
            ) { count, opened, aad, aadCount in
                unsafe jose_keymgmt_open(
                    handle.pointer, content.native, count, opened, aad, aadCount)
            }
        }
    }

    /// As `open(inPlace:)`, of a ciphertext that is still base64url text: it is decoded while its tag is computed, where the
    /// algorithm gains by that.
    ///
    /// - Parameters:
    ///   - out: Takes the plaintext; it has room for the ciphertext, which is decoded there.
    ///   - text: As many characters as some number of bytes has.
    /// - Throws: `rejected`, whatever was wrong, for malformed text too: who asks looks at that; nothing is appended then.
    package func open(
        into out: inout OutputSpan<UInt8>, decoding text: Span<UInt8>, content: ContentAlgorithm,
        _ parts: EncryptedParts, in values: Span<UInt8>, aad: Span<UInt8>,
        _ parameters: KeyParameters = KeyParameters(), in parameterValues: Span<UInt8> = Span()
    ) throws(CryptoError) {
        guard let count = Base64URL.decodedCount(text.count), count <= out.freeCapacity else {
            throw .rejected
        }
        try unsafe out.withUnsafeMutableBufferPointer {
            (buffer, initialized) throws(CryptoError) in
            // Safe: the guard above; the room behind what is there is written by this call alone.
            let place = unsafe buffer.baseAddress.map { unsafe $0 + initialized }
            initialized += try unsafe open(
                place, count, text, parts, in: values, aad: aad, parameters, in: parameterValues
            ) { count, opened, aad, aadCount in
                unsafe jose_keymgmt_open(
                    handle.pointer, content.native, count, opened, aad, aadCount)
            }
        }
    }

    /// What whoever has the private key made of a message.
    package enum Response: Sendable {
        /// No result: the random key goes on to the tag.
        case nothing
        /// Of RSA-OAEP: the content encryption key.
        case contentKey(SecretBytes)
        /// Of RSA-OAEP: the result of the bare operation.
        case block(SecretBytes)
        /// Of ECDH-ES: the shared secret.
        case shared(SecretBytes)
    }

    /// As `open`, with the answer in the place of the private key; a wrong one is a failed unwrapping.
    package func open(
        inPlace ciphertext: inout MutableSpan<UInt8>, content: ContentAlgorithm,
        _ parts: EncryptedParts, in values: Span<UInt8>, aad: Span<UInt8>,
        _ parameters: KeyParameters = KeyParameters(), in parameterValues: Span<UInt8> = Span(),
        by response: Response
    ) throws(CryptoError) -> Int {
        try unsafe ciphertext.lend { place, count throws(CryptoError) in
            try unsafe open(
                place, count, Span(), parts, in: values, aad: aad, parameters, in: parameterValues
            ) { count, opened, aad, aadCount in
                unsafe response.lend { response in
                    var response = unsafe response
                    return unsafe jose_keymgmt_open_external(
                        handle.pointer, content.native, count, opened, &response, aad, aadCount)
                }
            }
        }
    }

    /// Lends a message to C: the place of its ciphertext, and the text of it where the bytes are not there yet.
    @inline(__always)
    private func open(
        _ place: MutableBytes?, _ placeCount: Int, _ text: Span<UInt8>, _ parts: EncryptedParts,
        in values: Span<UInt8>, aad: Span<UInt8>, _ parameters: KeyParameters,
        in parameterValues: Span<UInt8>,
        _ body: (
            _ plaintextCount: UnsafeMutablePointer<Int>, _ opened: UnsafePointer<jose_opened>,
            _ aad: Bytes?, _ aadCount: Int
        ) -> jose_status
    ) throws(CryptoError) -> Int {
        var plaintextCount = 0
        let ivStart = parts.encryptedKeyBytes
        let tagStart = ivStart + parts.ivBytes
        let encryptedKey = values.extracting(0..<ivStart)
        let iv = values.extracting(ivStart..<tagStart)
        let tag = values.extracting(tagStart..<values.count)
        let status = unsafe text.lend { text, textCount in
            unsafe parameters.lend(parameterValues) { recipient in
                unsafe lend(encryptedKey, iv, tag, aad) { key, iv, tag, aad in
                    var opened = unsafe jose_opened(
                        encrypted_key: key.bytes, encrypted_key_len: key.len, iv: iv.bytes,
                        iv_len: iv.len, ciphertext: place, ciphertext_len: placeCount,
                        tag: tag.bytes, tag_len: tag.len, recipient: recipient,
                        encoded: textCount == 0
                            ? jose_encoded() : jose_encoded(text: text, decoder: .best))
                    return unsafe body(&plaintextCount, &opened, aad.bytes, aad.len)
                }
            }
        }
        try check(status)
        return plaintextCount
    }
}

extension KeyManagementOperation.Response {
    /// Lends the answer to C.
    fileprivate func lend<R>(_ body: (jose_external_result) -> R) -> R {
        let (kind, secret): (jose_external_result_kind, SecretBytes)
        switch self {
        case .nothing: return unsafe body(jose_external_result(kind: .JOSE_EXTERNAL_NONE, bytes: nil, len: 0))
        case .contentKey(let bytes): (kind, secret) = (.JOSE_EXTERNAL_KEY, bytes)
        case .block(let bytes): (kind, secret) = (.JOSE_EXTERNAL_BLOCK, bytes)
        case .shared(let bytes): (kind, secret) = (.JOSE_EXTERNAL_SHARED, bytes)
        }
        return secret.withSpan { span in
            unsafe span.lend { bytes, count in
                unsafe body(jose_external_result(kind: kind, bytes: bytes, len: count))
            }
        }
    }
}
