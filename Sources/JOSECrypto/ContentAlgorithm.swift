// Content encryption algorithms, and encryption with given keys for test vectors.

internal import CJOSECrypto

/// Authenticated encryption of content (RFC 7518, 5). All sizes are in bytes.
package struct ContentAlgorithm: Sendable, Hashable, CaseIterable {
    let native: jose_content

    package static let a128CBCHS256 = ContentAlgorithm(native: .JOSE_A128CBC_HS256)
    package static let a192CBCHS384 = ContentAlgorithm(native: .JOSE_A192CBC_HS384)
    package static let a256CBCHS512 = ContentAlgorithm(native: .JOSE_A256CBC_HS512)
    package static let a128GCM = ContentAlgorithm(native: .JOSE_A128GCM)
    package static let a192GCM = ContentAlgorithm(native: .JOSE_A192GCM)
    package static let a256GCM = ContentAlgorithm(native: .JOSE_A256GCM)

    package static let allCases = [
        a128CBCHS256, a192CBCHS384, a256CBCHS512, a128GCM, a192GCM, a256GCM,
    ]

    package var keyBytes: Int { jose_content_key_bytes(native) }
    package var ivBytes: Int { jose_content_iv_bytes(native) }
    package var tagBytes: Int { jose_content_tag_bytes(native) }

    /// Whether a rejected ciphertext is unchanged, so that another key can be tried.
    package var checksTagFirst: Bool { jose_content_checks_tag_first(native) }

    /// The exact size of the ciphertext; nil if it does not fit an `Int`.
    package func ciphertextBytes(for plaintextBytes: Int) -> Int? {
        guard plaintextBytes >= 0, plaintextBytes <= Int.max - 64 else { return nil }
        return jose_content_ciphertext_bytes(native, plaintextBytes)
    }
}

/// Content encryption with a given key and IV, only for published test vectors: using an IV twice
/// with one key breaks the encryption.
package enum ContentTestVectors {
    package static func encrypt(
        _ content: ContentAlgorithm, cek: Span<UInt8>, iv: Span<UInt8>, aad: Span<UInt8>,
        plaintext: Span<UInt8>
    ) throws(CryptoError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        guard let count = content.ciphertextBytes(for: plaintext.count) else { throw .failure }
        var ciphertext = [UInt8](repeating: 0, count: count)
        var tag = [UInt8](repeating: 0, count: content.tagBytes)
        var ciphertextSpan = ciphertext.mutableSpan
        var tagSpan = tag.mutableSpan
        try check(
            unsafe ciphertextSpan.withPointer { c, cCount in
                unsafe tagSpan.withPointer { t, tCount in
                    unsafe withPointers(cek, iv, aad, plaintext) { key, iv, aad, text in
                        unsafe jose_content_encrypt(
                            content.native, c, cCount, t, tCount, key.bytes, key.len, iv.bytes,
                            iv.len, aad.bytes, aad.len, text.bytes, text.len)
                    }
                }
            })
        return (ciphertext, tag)
    }

    package static func decrypt(
        _ content: ContentAlgorithm, cek: Span<UInt8>, iv: Span<UInt8>, aad: Span<UInt8>,
        ciphertext: Span<UInt8>, tag: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        var text = [UInt8](repeating: 0, count: ciphertext.count)
        var span = text.mutableSpan
        for index in ciphertext.indices { span[index] = ciphertext[index] }
        let count = try decrypt(content, inPlace: &span, cek: cek, iv: iv, aad: aad, tag: tag)
        text.removeLast(text.count - count)
        return text
    }

    /// Returns the number of plaintext bytes. After an error the buffer holds ciphertext or zeros.
    package static func decrypt(
        _ content: ContentAlgorithm, inPlace ciphertext: inout MutableSpan<UInt8>,
        cek: Span<UInt8>, iv: Span<UInt8>, aad: Span<UInt8>, tag: Span<UInt8>
    ) throws(CryptoError) -> Int {
        var plaintextCount = 0
        let status = unsafe ciphertext.withPointer { c, cCount in
            unsafe withPointers(cek, iv, aad, tag) { key, iv, aad, tag in
                unsafe jose_content_decrypt(
                    content.native, &plaintextCount, c, cCount, key.bytes, key.len, iv.bytes,
                    iv.len, aad.bytes, aad.len, tag.bytes, tag.len)
            }
        }
        try check(status)
        return plaintextCount
    }
}

@inline(__always)
func withPointers<R>(
    _ a: Span<UInt8>, _ b: Span<UInt8>, _ c: Span<UInt8>, _ d: Span<UInt8>,
    _ body: (jose_number, jose_number, jose_number, jose_number) -> R
) -> R {
    unsafe a.withPointer { aBytes, aCount in
        unsafe b.withPointer { bBytes, bCount in
            unsafe c.withPointer { cBytes, cCount in
                unsafe d.withPointer { dBytes, dCount in
                    unsafe body(
                        jose_number(bytes: aBytes, len: aCount),
                        jose_number(bytes: bBytes, len: bCount),
                        jose_number(bytes: cBytes, len: cCount),
                        jose_number(bytes: dBytes, len: dCount))
                }
            }
        }
    }
}
