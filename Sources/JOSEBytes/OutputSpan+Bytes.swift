// Appends bytes, literals and base64url to an OutputSpan. Traps if the capacity is too small.

internal import CJOSEBytes

extension OutputSpan where Element == UInt8 {
    package mutating func append(copying bytes: Span<UInt8>) {
        precondition(bytes.count <= freeCapacity, "capacity too small for the bytes")
        unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            unsafe bytes.withUnsafeBufferPointer { source in
                // Safe: the precondition above; NULL comes with a count of 0.
                guard let target = buffer.baseAddress, let from = source.baseAddress else { return }
                unsafe (target + initialized).update(from: from, count: source.count)
            }
            initialized += bytes.count
        }
    }

    /// Appends a copy of `bytes` with each `byte` replaced by `other`.
    package mutating func append(copying bytes: Span<UInt8>, with other: UInt8, for byte: UInt8) {
        precondition(bytes.count <= freeCapacity, "capacity too small for the bytes")
        unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            unsafe bytes.withUnsafeBufferPointer { source in
                // Safe: the precondition above; NULL comes with a count of 0.
                guard let base = buffer.baseAddress, let from = source.baseAddress else { return }
                let target = unsafe base + initialized
                for index in 0..<source.count {
                    let next = unsafe from[index]
                    unsafe target[index] = next == byte ? other : next
                }
            }
            initialized += bytes.count
        }
    }

    package mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { source in
            // Safe: the literal outlives the call.
            append(copying: unsafe Span(_unsafeElements: source))
        }
    }

    /// Appends a number in at most 20 decimal digits.
    package mutating func append(decimal number: UInt64) {
        var text = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        var first = 20
        var rest = number
        repeat {
            first -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            text[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        } while rest != 0
        append(copying: text.span.extracting(first..<20))
    }

    /// Appends a text after its length in bytes, so that no reader takes later bytes for a part of
    /// the text. Needs at most `lengthPrefixBytes` bytes more than the text.
    package mutating func append(counted text: String) {
        append(decimal: UInt64(text.utf8.count))
        append(UInt8(ascii: ":"))
        append(copying: text.utf8.span)
    }

    /// The maximum size in bytes of a length and its colon.
    package static var lengthPrefixBytes: Int { 21 }

    package mutating func appendBase64URL(of bytes: Span<UInt8>) {
        appendBase64URL(of: bytes, kernel: .best)
    }

    package mutating func appendBase64URL(of bytes: Span<UInt8>, kernel: Base64URLKernel) {
        let count = Base64URL.encodedCount(bytes.count)
        precondition(count <= freeCapacity, "capacity too small for the text")
        unsafe withUnsafeMutableBufferPointer { buffer, initialized in
            unsafe bytes.withUnsafeBufferPointer { source in
                // Safe: the precondition above; NULL comes with a count of 0.
                guard let target = buffer.baseAddress, let from = source.baseAddress else { return }
                unsafe josebytes_base64url_encode(
                    target + initialized, from, source.count, kernel.native)
            }
            initialized += count
        }
    }

    /// Appends the base64url text of `count` bytes. `fill` must write them to all of `tail`, the
    /// end of the space for the text; they are then encoded in place, front to back. `written` has
    /// the bytes appended before. If `fill` throws, the tail is wiped and nothing is appended.
    @inlinable
    package mutating func appendBase64URL<E: Error>(
        count: Int, kernel: Base64URLKernel = .best,
        filling fill: (_ written: Span<UInt8>, _ tail: inout MutableSpan<UInt8>) throws(E) -> Void
    ) throws(E) {
        let characters = Base64URL.encodedCount(count)
        precondition(count >= 0 && characters <= freeCapacity, "capacity too small for the text")
        try unsafe withUnsafeMutableBufferPointer {
            (buffer, initialized) throws(E) in
            // Safe: the precondition above; `written` and `tail` do not overlap; any byte is valid.
            let start = initialized
            let end = start + characters
            let written = unsafe Span(
                _unsafeElements: UnsafeBufferPointer(rebasing: buffer[..<start]))
            var tail = unsafe MutableSpan(
                _unsafeElements: UnsafeMutableBufferPointer(rebasing: buffer[(end - count)..<end]))
            do throws(E) {
                try fill(written, &tail)
            } catch {
                wipe(&tail)
                throw error
            }
            guard let base = buffer.baseAddress else { return }
            unsafe Base64URL.encodeTail(base + start, characters, count, kernel)
            initialized = end
        }
    }
}

extension Base64URL {
    /// Encodes the last `count` bytes of a text of `size` characters into the whole text.
    @usableFromInline
    static func encodeTail(
        _ text: UnsafeMutablePointer<UInt8>, _ size: Int, _ count: Int, _ kernel: Base64URLKernel
    ) {
        unsafe josebytes_base64url_encode(text, text + size - count, count, kernel.native)
    }
}
