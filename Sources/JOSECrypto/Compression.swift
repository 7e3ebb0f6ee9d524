// Raw DEFLATE over zlib, with a bound on what comes out.

internal import CJOSECrypto
internal import JOSEBytes

/// Why a compressed text was not accepted.
package enum CompressionError: Error {
    /// Not one whole stream, or something behind its end.
    case malformed
    /// More comes out than is allowed.
    case tooLong
    /// Memory.
    case failure
    /// The zlib that runs is another than the one that was compiled against.
    case unsupported
}

/// Raw DEFLATE (RFC 1951).
package enum Deflate {
    /// Decompresses into one exact array; never holds more than `most` bytes and zlib's window.
    package static func inflate(
        _ compressed: Span<UInt8>, atMost most: Int
    ) throws(CompressionError) -> [UInt8] {
        try withScratch(of: UInt8.self, capacity: max(most, 1), wiping: false) {
            (out) throws(CompressionError) in
            var count = max(most, 0)
            var isLonger = false
            let status = unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
                // Safe: C writes at most `most` bytes, and says how many.
                let status = unsafe compressed.withPointer { text, textCount in
                    unsafe jose_inflate(buffer.baseAddress, &count, &isLonger, text, textCount)
                }
                initialized = count
                return status
            }
            guard status == .JOSE_OK else {
                throw switch status {
                case .JOSE_REJECTED: isLonger ? .tooLong : .malformed
                case .JOSE_UNSUPPORTED: .unsupported
                default: .failure
                }
            }
            defer {
                var bytes = out.mutableSpan
                wipe(&bytes)
            }
            return [UInt8](byteCapacity: count) { $0.append(copying: out.span) }
        }
    }

    /// Compresses into one array.
    package static func compress(_ text: Span<UInt8>) throws(CompressionError) -> [UInt8] {
        let most = jose_deflate_bound(text.count)
        guard most > 0 else { throw .tooLong }
        return try withScratch(of: UInt8.self, capacity: most) { (out) throws(CompressionError) in
            var count = most
            let status = unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
                // Safe: C writes at most `most` bytes, and says how many.
                let status = unsafe text.withPointer { text, textCount in
                    unsafe jose_deflate(buffer.baseAddress, &count, text, textCount)
                }
                initialized = count
                return status
            }
            guard status == .JOSE_OK else {
                throw status == .JOSE_UNSUPPORTED ? .unsupported : .failure
            }
            return [UInt8](byteCapacity: count) { $0.append(copying: out.span) }
        }
    }
}
