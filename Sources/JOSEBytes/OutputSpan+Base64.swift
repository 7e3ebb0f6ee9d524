// Copies base64 of either alphabet for the decoder of secrets, which reads base64url.

/// The alphabets that a base64 text needs (RFC 4648, 4 and 5). Empty if every character is in both.
package struct Base64Alphabets: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The text has `+` or `/`.
    package static let standard = Base64Alphabets(rawValue: 1)
    /// The text has `-` or `_`.
    package static let url = Base64Alphabets(rawValue: 2)
}

extension OutputSpan where Element == UInt8 {
    /// Appends base64 in the alphabet of base64url (`+` as `-`, `/` as `_`), and returns the
    /// alphabets of `text`. The timing depends only on its length. The decoder must reject other
    /// characters.
    package mutating func append(base64 text: Span<UInt8>) -> Base64Alphabets {
        precondition(text.count <= freeCapacity, "capacity too small for the text")
        var alphabets: UInt8 = 0
        unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            unsafe text.withUnsafeBufferPointer { source in
                // Safe: the precondition above; NULL comes with a count of 0.
                guard let base = buffer.baseAddress, let from = source.baseAddress else { return }
                let target = unsafe base + initialized
                for index in 0..<source.count {
                    let byte = unsafe from[index]
                    let plus = mask(byte, equal: UInt8(ascii: "+"))
                    let solidus = mask(byte, equal: UInt8(ascii: "/"))
                    let others =
                        mask(byte, equal: UInt8(ascii: "-")) | mask(byte, equal: UInt8(ascii: "_"))
                    alphabets |= (plus | solidus) & 1 | others & 2
                    unsafe target[index] = byte &+ (plus & 2) &+ (solidus & 48)
                }
            }
            initialized += text.count
        }
        return Base64Alphabets(rawValue: alphabets)
    }
}

/// Returns 0xff if the bytes are equal, else 0, without a branch.
@inlinable
@inline(__always)
package func mask(_ a: UInt8, equal b: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt16(a ^ b) &- 1) >> 8)
}
