// Appends the last four parts of a compact JWE in base64url. One closure writes their bytes.

extension OutputSpan where Element == UInt8 {
    /// Appends four base64url texts with dots between them. `fill` must fill four spans with the
    /// bytes of the parts. Each span is the end of the space for a part's text, and its bytes are
    /// encoded in place. If `fill` throws, all bytes are wiped and nothing is appended.
    @inlinable
    package mutating func appendBase64URLParts<E: Error>(
        counts: (Int, Int, Int, Int),
        filling fill: (
            inout MutableSpan<UInt8>, inout MutableSpan<UInt8>, inout MutableSpan<UInt8>,
            inout MutableSpan<UInt8>
        ) throws(E) -> Void
    ) throws(E) {
        let sizes = (
            Base64URL.encodedCount(counts.0), Base64URL.encodedCount(counts.1),
            Base64URL.encodedCount(counts.2), Base64URL.encodedCount(counts.3)
        )
        let total = sizes.0 + sizes.1 + sizes.2 + sizes.3 + 3
        precondition(total <= freeCapacity, "capacity too small for the text")
        try unsafe withUnsafeMutableBufferPointer { (buffer, initialized) throws(E) in
            guard let base = buffer.baseAddress else { return }
            // Safe: the four texts follow one another within the capacity checked above.
            let first = unsafe base + initialized
            let second = unsafe first + sizes.0 + 1
            let third = unsafe second + sizes.1 + 1
            let fourth = unsafe third + sizes.2 + 1
            var a = unsafe MutableSpan(_unsafeStart: first + sizes.0 - counts.0, count: counts.0)
            var b = unsafe MutableSpan(_unsafeStart: second + sizes.1 - counts.1, count: counts.1)
            var c = unsafe MutableSpan(_unsafeStart: third + sizes.2 - counts.2, count: counts.2)
            var d = unsafe MutableSpan(_unsafeStart: fourth + sizes.3 - counts.3, count: counts.3)
            do throws(E) {
                try fill(&a, &b, &c, &d)
            } catch {
                wipe(&a)
                wipe(&b)
                wipe(&c)
                wipe(&d)
                throw error
            }
            unsafe Base64URL.encodeTail(first, sizes.0, counts.0, .best)
            unsafe first[sizes.0] = UInt8(ascii: ".")
            unsafe Base64URL.encodeTail(second, sizes.1, counts.1, .best)
            unsafe second[sizes.1] = UInt8(ascii: ".")
            unsafe Base64URL.encodeTail(third, sizes.2, counts.2, .best)
            unsafe third[sizes.2] = UInt8(ascii: ".")
            unsafe Base64URL.encodeTail(fourth, sizes.3, counts.3, .best)
            initialized += total
        }
    }
}
