// Strict base64url without padding (RFC 7515 section 2, RFC 4648 section 5), both ways.

internal import CJOSEBytes

/// Base64url as JOSE writes it: no padding, no white space, no unused bits set.
@usableFromInline
package enum Base64URL {
    /// The number of characters that `byteCount` bytes become.
    @inlinable
    package static func encodedCount(_ byteCount: Int) -> Int {
        byteCount / 3 * 4 + (byteCount % 3 == 0 ? 0 : byteCount % 3 + 1)
    }

    /// The number of bytes in `characterCount` characters, nil for 4k + 1.
    @inlinable
    package static func decodedCount(_ characterCount: Int) -> Int? {
        let rest = characterCount % 4
        return rest == 1 ? nil : characterCount / 4 * 3 + (rest == 0 ? 0 : rest - 1)
    }

    /// The text of `bytes`, in one exact array.
    package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
        [UInt8](byteCapacity: encodedCount(bytes.count)) { out in out.appendBase64URL(of: bytes) }
    }

    /// The text of `bytes`, in one allocation.
    package static func encodeToString(_ bytes: Span<UInt8>) -> String {
        String(asciiCapacity: encodedCount(bytes.count)) { out in out.appendBase64URL(of: bytes) }
    }

    /// The bytes of `text` in one exact array, nil if it is malformed.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard let count = decodedCount(text.count) else { return nil }
        var good = false
        let bytes = [UInt8](byteCapacity: count) { out in good = decode(text, into: &out) }
        return good ? bytes : nil
    }

    /// Appends the bytes of `text`; appends nothing and says false if it is malformed or there is
    /// no room.
    package static func decode(_ text: Span<UInt8>, into out: inout OutputSpan<UInt8>) -> Bool {
        decode(text, into: &out, kernel: .best)
    }

    /// The same by a kernel of the caller's choice, for tests.
    package static func decode(
        _ text: Span<UInt8>, into out: inout OutputSpan<UInt8>, kernel: Base64URLKernel
    ) -> Bool {
        unsafe append(to: &out, from: text) {
            unsafe josebytes_base64url_decode($0, $1, $2, kernel.native)
        }
    }

    /// Whether `text` is well-formed. No allocation.
    package static func isValid(_ text: Span<UInt8>) -> Bool {
        // Piece by piece; all but the last consist of whole groups.
        let piece = 1024
        var start = 0
        while start < text.count {
            let part = text.extracting(start..<min(start + piece, text.count))
            let good = withScratch(of: UInt8.self, capacity: piece / 4 * 3) { out in
                decode(part, into: &out)
            }
            guard good else { return false }
            start += piece
        }
        return true
    }

    /// `decode` for secrets: nothing but the verdict and the length shows in its timing.
    package static func decodeSecret(
        _ text: Span<UInt8>, into out: inout OutputSpan<UInt8>
    ) -> Bool {
        unsafe append(to: &out, from: text) { unsafe josebytes_base64url_decode_secret($0, $1, $2) }
    }

    /// Appends the text of secret bytes; nothing but the length shows in its timing.
    package static func encodeSecret(_ bytes: Span<UInt8>, into out: inout OutputSpan<UInt8>) {
        let count = encodedCount(bytes.count)
        precondition(count <= out.freeCapacity, "no room for the text")
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

    /// Appends what `decoder` makes of `text` if there is room and it succeeds.
    @inline(__always)
    private static func append(
        to out: inout OutputSpan<UInt8>, from text: Span<UInt8>,
        by decoder: (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>, Int) -> Bool
    ) -> Bool {
        guard let count = decodedCount(text.count), count <= out.freeCapacity else { return false }
        if count == 0 { return true }
        return unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
            let good = unsafe text.withUnsafeBufferPointer { source in
                // Safe: the decoder writes `count` bytes, and there is room for them.
                guard let target = buffer.baseAddress, let from = source.baseAddress else {
                    return false
                }
                let good = unsafe decoder(target + initialized, from, source.count)
                // What was decoded of a malformed text may be a secret's.
                if !good { unsafe josebytes_wipe(target + initialized, count) }
                return good
            }
            if good { initialized += count }
            return good
        }
    }
}

/// A base64url kernel. Tests name one; all else takes the best, and so does a name that this
/// processor does not run.
@usableFromInline
package enum Base64URLKernel: CaseIterable, Sendable {
    case best, scalar, avx2, avx512, neon

    /// Whether this processor runs it.
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
