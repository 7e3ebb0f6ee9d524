// Raw DEFLATE (RFC 1951) with zlib.

internal import CJOSECrypto
internal import JOSEBytes

package enum CompressionError: Error {
    /// The input is not exactly one complete stream.
    case malformed
    case tooLong
    case failure
    /// The installed zlib has another major version than the package was compiled with.
    case unsupported
}

package enum Deflate {
    /// Decompresses to at most `limit` bytes. Needs that much memory, and zlib's window.
    package static func inflate(
        _ compressed: Span<UInt8>, atMost limit: Int
    ) throws(CompressionError) -> [UInt8] {
        try withScratch(of: UInt8.self, capacity: max(limit, 1), wiping: false) {
            (out) throws(CompressionError) in
            var count = max(limit, 0)
            var isLonger = false
            let status = unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
                // Safe: C writes at most `count` bytes, and returns how many.
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

    package static func compress(_ text: Span<UInt8>) throws(CompressionError) -> [UInt8] {
        let bound = jose_deflate_bound(text.count)
        guard bound > 0 else { throw .tooLong }
        return try withScratch(of: UInt8.self, capacity: bound) { (out) throws(CompressionError) in
            var count = bound
            let status = unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
                // Safe: C writes at most `count` bytes, and returns how many.
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
