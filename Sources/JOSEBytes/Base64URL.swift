// Base64URL: base64url of JOSE (RFC 7515, 2): no padding, no white space, unused bits zero.

internal import CJOSEBytes

@usableFromInline
package enum Base64URL {
    @inlinable
    package static func encodedCount(_ byteCount: Int) -> Int {
        byteCount / 3 * 4 + (byteCount % 3 == 0 ? 0 : byteCount % 3 + 1)
    }

    /// Returns the number of bytes in `characterCount` characters; nil if 4k + 1 characters.
    @inlinable
    package static func decodedCount(_ characterCount: Int) -> Int? {
        let rest = characterCount % 4
        return rest == 1 ? nil : characterCount / 4 * 3 + (rest == 0 ? 0 : rest - 1)
    }

    package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](byteCapacity: encodedCount(bytes.count)) { out in out.appendBase64URL(of: bytes) }
    }

    package static func encodeToString(_ bytes: Span<UInt8>) -> String {
        String(asciiCapacity: encodedCount(bytes.count)) { out in out.appendBase64URL(of: bytes) }
    }

    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard let count = decodedCount(text.count) else { return nil }
        var isValid = false
        let bytes = [UInt8](byteCapacity: count) { out in isValid = decode(text, into: &out) }
        return isValid ? bytes : nil
    }

    /// Appends the decoded bytes; appends nothing and returns false if malformed or too long.
    package static func decode(_ text: Span<UInt8>, into out: inout OutputSpan<UInt8>) -> Bool {
        decode(text, into: &out, kernel: .best)
    }

    package static func decode(
        _ text: Span<UInt8>, into out: inout OutputSpan<UInt8>, kernel: Base64URLKernel
    ) -> Bool {
        unsafe append(to: &out, from: text) {
            unsafe josebytes_base64url_decode($0, $1, $2, kernel.native)
        }
    }

    package static func isValid(_ text: Span<UInt8>) -> Bool {
        // In chunks. All chunks except the last consist of whole groups of four characters.
        let chunkSize = 1024
        var start = 0
        while start < text.count {
            let chunk = text.extracting(start..<min(start + chunkSize, text.count))
            let isValid = withScratch(of: UInt8.self, capacity: chunkSize / 4 * 3) { out in
                decode(chunk, into: &out)
            }
            guard isValid else { return false }
            start += chunkSize
        }
        return true
    }

    /// Appends decoded secret bytes. The timing depends only on the length and on success.
    package static func decodeSecret(
        _ text: Span<UInt8>, into out: inout OutputSpan<UInt8>
    ) -> Bool {
        unsafe append(to: &out, from: text) { unsafe josebytes_base64url_decode_secret($0, $1, $2) }
    }

    /// Appends the encoding of secret bytes. The timing depends only on the length.
    package static func encodeSecret(_ bytes: Span<UInt8>, into out: inout OutputSpan<UInt8>) {
        let count = encodedCount(bytes.count)
        precondition(count <= out.freeCapacity, "capacity too small for the text")
        unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
            unsafe bytes.withUnsafeBufferPointer { source in
                // Safe: the precondition above; NULL comes with a count of 0.
                guard let target = buffer.baseAddress, let from = source.baseAddress else { return }
                unsafe josebytes_base64url_encode_secret(
                    target + initialized, from, source.count)
            }
            initialized += count
        }
    }

    /// Appends the bytes that `decoder` writes, if they fit and `decoder` returns true.
    @inline(__always)
    private static func append(
        to out: inout OutputSpan<UInt8>, from text: Span<UInt8>,
        by decoder: (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, Int) -> Bool
    ) -> Bool {
        guard let count = decodedCount(text.count), count <= out.freeCapacity else { return false }
        if count == 0 { return true }
        return unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
            let isValid = unsafe text.withUnsafeBufferPointer { source in
                // Safe: the decoder writes `count` bytes, for which there is capacity.
                guard let target = buffer.baseAddress, let from = source.baseAddress else {
                    return false
                }
                let isValid = unsafe decoder(target + initialized, from, source.count)
                // The bytes decoded from a malformed text may be part of a secret.
                if !isValid { unsafe josebytes_wipe(target + initialized, count) }
                return isValid
            }
            if isValid { initialized += count }
            return isValid
        }
    }
}

/// The base64url code for one kind of processor. It is not an RSA kernel. Only tests choose one. On
/// a processor that does not support the chosen kernel, the scalar kernel is used.
@usableFromInline
package enum Base64URLKernel: CaseIterable, Sendable {
    case best, scalar, avx2, avx512, neon

    package var isAvailable: Bool { josebytes_kernel_available(native) }

    @inline(__always)
    var native: josebytes_kernel {
        switch self {
        case .best: .best
        case .scalar: .scalar
        case .avx2: .avx2
        case .avx512: .avx512
        case .neon: .neon
        }
    }
}
