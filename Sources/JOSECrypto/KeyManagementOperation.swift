// A key made ready to seal or to open: content encryption keys never leave C.

internal import CJOSECrypto

/// A way to carry the content encryption key; hash and size of a wrapping key are said apart.
package enum KeyManagementFamily: UInt8, Sendable {
    /// RSAES-OAEP, MGF1 with the same hash (RFC 7518 section 4.3).
    case rsaOAEP
    /// AES key wrapping (RFC 7518 section 4.4).
    case aesKW
    /// The shared key itself (RFC 7518 section 4.5).
    case direct
    /// ECDH with an ephemeral key, with AES key wrapping or without (RFC 7518 section 4.6).
    case ecdhES
    /// AES-GCM key wrapping (RFC 7518 section 4.7).
    case aesGCMKW
    /// A password, PBKDF2 and AES key wrapping (RFC 7518 section 4.8); only with the package trait.
    case pbes2

    var native: jose_keymgmt_family {
        switch self {
        case .rsaOAEP: .JOSE_RSA_OAEP
        case .aesKW: .JOSE_AES_KW
        case .direct: .JOSE_DIRECT
        case .ecdhES: .JOSE_ECDH_ES
        case .aesGCMKW: .JOSE_AES_GCM_KW
        case .pbes2: .JOSE_PBES2
        }
    }
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
    ) throws(CryptoFault) {
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

    /// Exact size of an encrypted key in bytes; 0 where there is none.
    package func encryptedKeyBytes(for content: ContentAlgorithm) -> Int {
        unsafe jose_keymgmt_encrypted_key_bytes(handle.pointer, content.native)
    }

    /// Whether a key of this content encryption can be carried: its size may be fixed by the key.
    package func fits(_ content: ContentAlgorithm) -> Bool {
        unsafe jose_keymgmt_fits(handle.pointer, content.native)
    }

    /// Encrypts plaintext under a fresh key and IV and wraps the key; every output has its exact
    /// size and holds zeros after a throw. Only where nothing goes to the header.
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
    ///
    /// - Parameters:
    ///   - parameters: What the sender's operation put into the header, as bytes.
    ///   - partyU: `apu` of ECDH-ES, decoded.
    ///   - partyV: `apv` of ECDH-ES, decoded.
    ///   - iterations: `p2c` of PBES2.
    /// - Returns: how many bytes of the buffer are plaintext.
    /// - Throws: `rejected`, whatever was wrong; the buffer then holds ciphertext or zeros.
    package func open(
        inPlace ciphertext: inout MutableSpan<UInt8>, content: ContentAlgorithm, aad: Span<UInt8>,
        encryptedKey: Span<UInt8>, iv: Span<UInt8>, tag: Span<UInt8>,
        parameters: Span<UInt8> = Span(), partyU: Span<UInt8> = Span(),
        partyV: Span<UInt8> = Span(), iterations: UInt32 = 0
    ) throws(CryptoFault) -> Int {
        var plaintextCount = 0
        let status = unsafe ciphertext.lend { text, textCount in
            unsafe lendRecipient(parameters, partyU, partyV, iterations) { recipient in
                unsafe lend(encryptedKey, iv, tag, aad) { key, iv, tag, aad in
                    var opened = unsafe jose_opened(
                        encrypted_key: key.bytes, encrypted_key_len: key.len, iv: iv.bytes,
                        iv_len: iv.len, ciphertext: text, ciphertext_len: textCount,
                        tag: tag.bytes, tag_len: tag.len, recipient: recipient)
                    return unsafe jose_keymgmt_open(
                        handle.pointer, content.native, &plaintextCount, &opened, aad.bytes,
                        aad.len)
                }
            }
        }
        try check(status)
        return plaintextCount
    }
}

/// Lends what stands in a header besides names.
@inline(__always)
func lendRecipient<R>(
    _ parameters: Span<UInt8>, _ partyU: Span<UInt8>, _ partyV: Span<UInt8>, _ iterations: UInt32,
    _ body: (jose_recipient) -> R
) -> R {
    unsafe parameters.lend { bytes, count in
        unsafe partyU.lend { u, uCount in
            unsafe partyV.lend { v, vCount in
                unsafe body(
                    jose_recipient(
                        parameters: bytes, parameters_len: count, party_u: u, party_u_len: uCount,
                        party_v: v, party_v_len: vCount, iterations: iterations))
            }
        }
    }
}
