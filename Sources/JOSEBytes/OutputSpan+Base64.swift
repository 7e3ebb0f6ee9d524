// Base64 of either alphabet on its way to the decoder of secrets, which reads base64url.

/// The alphabets that characters of base64 need (RFC 4648, 4 and 5); none where both have them all.
package struct Base64Alphabets: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `+` or `/` occurs.
    package static let standard = Base64Alphabets(rawValue: 1)
    /// `-` or `_` occurs.
    package static let url = Base64Alphabets(rawValue: 2)
}

extension OutputSpan where Element == UInt8 {
    /// Appends characters of base64 as base64url writes them: `+` as `-` and `/` as `_`.
    ///
    /// Only their count shows in its timing. What is no character of base64 stays as it is, for the
    /// decoder to reject.
    package mutating func append(base64 text: Span<UInt8>) -> Base64Alphabets {
        precondition(text.count <= freeCapacity, "no room for the text")
        var alphabets: UInt8 = 0
        unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            unsafe text.withUnsafeBufferPointer { source in
                // Safe: the precondition above; NULL comes with a count of 0.
                guard let base = buffer.baseAddress, let from = source.baseAddress else { return }
                let target = unsafe base + initialized
                for index in 0..<source.count {
                    let byte = unsafe from[index]
                    let plus = bits(byte, equal: UInt8(ascii: "+"))
                    let solidus = bits(byte, equal: UInt8(ascii: "/"))
                    let others =
                        bits(byte, equal: UInt8(ascii: "-")) | bits(byte, equal: UInt8(ascii: "_"))
                    alphabets |= (plus | solidus) & 1 | others & 2
                    unsafe target[index] = byte &+ (plus & 2) &+ (solidus & 48)
                }
            }
            initialized += text.count
        }
        return Base64Alphabets(rawValue: alphabets)
    }
}

/// All bits where the bytes are equal, else none; without a branch.
@inline(__always)
private func bits(_ a: UInt8, equal b: UInt8) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt16(a ^ b) &- 1) >> 8)
}
