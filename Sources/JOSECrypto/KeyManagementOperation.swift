// Key management with a prepared key. Content encryption keys stay in C. Only those that come from
// external keys and test vectors pass through Swift.

internal import CJOSEBytes
internal import CJOSECrypto
import JOSEBytes

/// A key management algorithm, apart from its hash and the size of its wrapping key.
package struct KeyManagementFamily: Sendable, Hashable {
    let native: jose_keymgmt_family

    /// RSAES-OAEP; MGF1 uses the same hash (RFC 7518, 4.3).
    package static let rsaOAEP = KeyManagementFamily(native: .JOSE_RSA_OAEP)
    /// AES key wrapping (RFC 7518, 4.4).
    package static let aesKW = KeyManagementFamily(native: .JOSE_AES_KW)
    /// Direct encryption with a shared key (RFC 7518, 4.5).
    package static let direct = KeyManagementFamily(native: .JOSE_DIRECT)
    /// ECDH with an ephemeral key, with or without AES key wrapping (RFC 7518, 4.6).
    package static let ecdhES = KeyManagementFamily(native: .JOSE_ECDH_ES)
    /// AES-GCM key wrapping (RFC 7518, 4.7).
    package static let aesGCMKW = KeyManagementFamily(native: .JOSE_AES_GCM_KW)
    /// PBKDF2 and AES key wrapping (RFC 7518, 4.8). Only with the package trait.
    package static let pbes2 = KeyManagementFamily(native: .JOSE_PBES2)
}

/// Wraps or unwraps content encryption keys with one key. Any number of threads may use it at once.
package final class KeyManagementOperation: Sendable {
    let handle: Handle

    package let isFIPS: Bool

    /// Whether a `PrivateBatch` can make the operation faster: it unwraps with an RSA private key
    /// that opted in to kernels. This never changes, unlike `usesLanesNow`.
    package let gainsFromBatch: Bool

    /// The exact size in bytes of the header parameters: coordinates of the ephemeral key, IV and
    /// tag, or salt; 0 for families without.
    package let parameterBytes: Int

    /// `wrapBytes` is the size of the AES key that wraps; 0 if none does. Throws `unusableKey` if
    /// the key does not allow the operation.
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
        isFIPS = key.isFIPS
        gainsFromBatch =
            !wrapping && family == .rsaOAEP && options.contains(.acceleratesPrivateKeys)
        handle = unsafe Handle(operation, release: jose_keymgmt_free)
    }

    /// Creates an operation that decrypts with the results of an external key. Throws `unusableKey`
    /// if `key` is not public, or does not allow the operation.
    package init(
        externalKey key: NativeKey, family: KeyManagementFamily, hash: HashAlgorithm = .sha256,
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
        isFIPS = key.isFIPS
        gainsFromBatch = false
        handle = unsafe Handle(operation, release: jose_keymgmt_free)
    }

    /// Whether a `PrivateBatch` would compute the operation in lanes now. False before the first
    /// use, without a kernel for the key, and after the key stopped using the kernel.
    package var usesLanesNow: Bool { unsafe jose_keymgmt_uses_lanes(handle.pointer) }

    /// The exact size of an encrypted key in bytes; may be 0.
    package func encryptedKeyBytes(for content: ContentAlgorithm) -> Int {
        unsafe jose_keymgmt_encrypted_key_bytes(handle.pointer, content.native)
    }

    /// Whether the operation can wrap, or agree on, a key of this content encryption's size.
    package func supports(_ content: ContentAlgorithm) -> Bool {
        unsafe jose_keymgmt_supports(handle.pointer, content.native)
    }

    /// Encrypts with a new IV and a new wrapped key, or with the shared key of `dir`. Only for
    /// families without header parameters. Outputs must have exact sizes, and are zeroed on error.
    package func seal(
        _ plaintext: Span<UInt8>, content: ContentAlgorithm, aad: Span<UInt8>,
        encryptedKey: inout MutableSpan<UInt8>, iv: inout MutableSpan<UInt8>,
        ciphertext: inout MutableSpan<UInt8>, tag: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        let status = unsafe encryptedKey.withPointer { key, keyCount in
            unsafe iv.withPointer { iv, ivCount in
                unsafe ciphertext.withPointer { text, textCount in
                    unsafe tag.withPointer { tag, tagCount in
                        var sealed = unsafe jose_seal_output(
                            encrypted_key: key, encrypted_key_len: keyCount, iv: iv,
                            iv_len: ivCount, ciphertext: text, ciphertext_len: textCount,
                            tag: tag, tag_len: tagCount)
                        return unsafe plaintext.withPointer { input, inputCount in
                            unsafe aad.withPointer { aad, aadCount in
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

    /// False if public facts exclude that the message can be opened: the length of a part, or for
    /// RSA-OAEP the range of the encrypted key. `open` then rejects it without the private key.
    package func mayOpen(
        ciphertextBytes: Int, content: ContentAlgorithm, _ parts: EncryptedParts,
        in values: Span<UInt8>, _ parameters: KeyParameters, in parameterValues: Span<UInt8>
    ) -> Bool {
        let count = try? unsafe open(
            nil, ciphertextBytes, Span(), parts, in: values, aad: Span(), parameters,
            in: parameterValues
        ) { _, input, _, _ in
            unsafe jose_keymgmt_may_open(handle.pointer, content.native, input)
                ? .JOSE_OK : .JOSE_REJECTED
        }
        return count != nil
    }

    /// Unwraps the key, checks the tag and decrypts in place (RFC 7516, 11.5). `values` has the
    /// encrypted key, IV and tag, `aad` is the header's text as received, and `KeyParameters`
    /// describes `parameterValues`. Returns the number of plaintext bytes.
    ///
    /// Any wrong input throws `rejected`, without a distinction, and leaves ciphertext or zeros.
    package func open(
        inPlace ciphertext: inout MutableSpan<UInt8>, content: ContentAlgorithm,
        _ parts: EncryptedParts, in values: Span<UInt8>, aad: Span<UInt8>,
        _ parameters: KeyParameters = KeyParameters(), in parameterValues: Span<UInt8> = Span()
    ) throws(CryptoError) -> Int {
        try unsafe ciphertext.withPointer { bytes, count throws(CryptoError) in
            try unsafe open(
                bytes, count, Span(), parts, in: values, aad: aad, parameters, in: parameterValues
            ) { count, input, aad, aadCount in
                unsafe jose_keymgmt_open(
                    handle.pointer, content.native, count, input, aad, aadCount)
            }
        }
    }

    /// Decrypts the base64url ciphertext `text`. If the algorithm gains from it, the text is
    /// decoded while the tag is computed. The free capacity of `out` must hold the decoded
    /// ciphertext. Any wrong input, also malformed text, throws `rejected` and appends nothing.
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
            // Safe: the guard above; only this call writes to the free capacity.
            let target = unsafe buffer.baseAddress.map { unsafe $0 + initialized }
            initialized += try unsafe open(
                target, count, text, parts, in: values, aad: aad, parameters, in: parameterValues
            ) { count, input, aad, aadCount in
                unsafe jose_keymgmt_open(
                    handle.pointer, content.native, count, input, aad, aadCount)
            }
        }
    }

    /// Decrypts in place with the raw RSA result that `batch` computed from this encrypted key.
    package func open(
        inPlace ciphertext: inout MutableSpan<UInt8>, content: ContentAlgorithm,
        _ parts: EncryptedParts, in values: Span<UInt8>, aad: Span<UInt8>,
        _ parameters: KeyParameters, in parameterValues: Span<UInt8>,
        by batch: borrowing PrivateBatch, _ index: Int
    ) throws(CryptoError) -> Int {
        let batch = unsafe batch.pointer
        return try unsafe ciphertext.withPointer { bytes, count throws(CryptoError) in
            try unsafe open(
                bytes, count, Span(), parts, in: values, aad: aad, parameters, in: parameterValues,
                by: batch, index
            ) { count, input, aad, aadCount in
                unsafe jose_keymgmt_open(
                    handle.pointer, content.native, count, input, aad, aadCount)
            }
        }
    }

    package enum ExternalResult: Sendable {
        /// No result: decryption continues with a random key, and the tag check fails.
        case nothing
        /// For RSA-OAEP: the content encryption key.
        case contentKey(SecretBytes)
        /// For RSA-OAEP: the result of the raw RSA operation, still OAEP-encoded.
        case block(SecretBytes)
        /// For ECDH-ES: the shared secret.
        case shared(SecretBytes)
    }

    /// Decrypts in place with the result of an external key. A wrong result throws `rejected`.
    package func open(
        inPlace ciphertext: inout MutableSpan<UInt8>, content: ContentAlgorithm,
        _ parts: EncryptedParts, in values: Span<UInt8>, aad: Span<UInt8>,
        _ parameters: KeyParameters = KeyParameters(), in parameterValues: Span<UInt8> = Span(),
        by result: ExternalResult
    ) throws(CryptoError) -> Int {
        try unsafe ciphertext.withPointer { bytes, count throws(CryptoError) in
            try unsafe open(
                bytes, count, Span(), parts, in: values, aad: aad, parameters, in: parameterValues
            ) { count, input, aad, aadCount in
                unsafe result.withPointer { response in
                    var response = unsafe response
                    return unsafe jose_keymgmt_open_external(
                        handle.pointer, content.native, count, input, &response, aad, aadCount)
                }
            }
        }
    }

    /// `text` is the base64url ciphertext, which C decodes into `target`; empty if `target` already
    /// holds the decoded ciphertext.
    @inline(__always)
    private func open(
        _ target: MutableBytes?, _ targetCount: Int, _ text: Span<UInt8>, _ parts: EncryptedParts,
        in values: Span<UInt8>, aad: Span<UInt8>, _ parameters: KeyParameters,
        in parameterValues: Span<UInt8>, by batch: OpaquePointer? = nil, _ index: Int = 0,
        _ body: (
            _ plaintextCount: UnsafeMutablePointer<Int>, _ input: UnsafePointer<jose_open_input>,
            _ aad: Bytes?, _ aadCount: Int
        ) -> jose_status
    ) throws(CryptoError) -> Int {
        var plaintextCount = 0
        let ivStart = parts.encryptedKeyBytes
        let tagStart = ivStart + parts.ivBytes
        let encryptedKey = values.extracting(0..<ivStart)
        let iv = values.extracting(ivStart..<tagStart)
        let tag = values.extracting(tagStart..<values.count)
        let status = unsafe text.withPointer { text, textCount in
            unsafe parameters.withPointer(parameterValues) { recipient in
                unsafe withPointers(encryptedKey, iv, tag, aad) { key, iv, tag, aad in
                    var input = unsafe jose_open_input(
                        encrypted_key: key.bytes, encrypted_key_len: key.len, iv: iv.bytes,
                        iv_len: iv.len, ciphertext: target, ciphertext_len: targetCount,
                        tag: tag.bytes, tag_len: tag.len, recipient: recipient,
                        encoded: textCount == 0
                            ? jose_encoded() : jose_encoded(text: text, decoder: .best),
                        batch: batch, index: index)
                    return unsafe body(&plaintextCount, &input, aad.bytes, aad.len)
                }
            }
        }
        try check(status)
        return plaintextCount
    }
}

extension KeyManagementOperation.ExternalResult {
    fileprivate func withPointer<R>(_ body: (jose_external_result) -> R) -> R {
        let (kind, secret): (jose_external_result_kind, SecretBytes)
        switch self {
        case .nothing:
            return unsafe body(jose_external_result(kind: .JOSE_EXTERNAL_NONE, bytes: nil, len: 0))
        case .contentKey(let bytes): (kind, secret) = (.JOSE_EXTERNAL_KEY, bytes)
        case .block(let bytes): (kind, secret) = (.JOSE_EXTERNAL_BLOCK, bytes)
        case .shared(let bytes): (kind, secret) = (.JOSE_EXTERNAL_SHARED, bytes)
        }
        return secret.withSpan { span in
            unsafe span.withPointer { bytes, count in
                unsafe body(jose_external_result(kind: kind, bytes: bytes, len: count))
            }
        }
    }
}
