// A hash of byte strings that an attacker cannot foresee, in a multiplication for each word.

/// Vector multiply-shift with 128-bit factors that are drawn once in a process (Dietzfelbinger, 1996; Thorup, "High
/// speed hashing for integers and strings", 2015, section 3): two different names agree in any given bits of it as
/// often as chance would have it, whoever chose them. It is linear, so that names in a row could collide all at once:
/// what is mixed behind it, one to one, takes their order out.
package enum NameHash {
    private static let factors = (count: drawn(), one: drawn(), two: drawn(), sum: drawn())
    /// For the words of longer names, behind the two that all have.
    private static let further: [6 of UInt128] = .init { _ in drawn() }

    private static func drawn() -> UInt128 { .random(in: .min ... .max) }

    /// The hash of the bytes from `start` to `end`.
    package static func of(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> UInt64 {
        let count = end &- start
        let factors = Self.factors
        var sum = factors.count &* UInt128(truncatingIfNeeded: count) &+ factors.sum
        if count > 8 {
            if count > 64 { return long(text, start, end) }
            sum &+= factors.one &* UInt128(text.word(at: start))
            if count > 16 { sum &+= middle(text, start &+ 8, end &- 8) }
        }
        sum &+= factors.two &* UInt128(text.lastWord(start, end))
        return mixed(UInt64(truncatingIfNeeded: sum >> 64))
    }

    /// The words between the first eight bytes and the last eight; the last of them may share some bytes with those.
    @inline(never)
    private static func middle(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> UInt128 {
        var sum: UInt128 = 0
        var at = start
        for index in further.indices where at < end {
            sum &+= further[index] &* UInt128(text.word(at: at))
            at &+= 8
        }
        return sum
    }

    @inline(__always)
    private static func mixed(_ hash: UInt64) -> UInt64 {
        let half = (hash ^ hash >> 32) &* 0x9e37_79b9_7f4a_7c15
        let whole = (half ^ half >> 29) &* 0xd6e8_feb8_6659_fd93
        return whole ^ whole >> 32
    }

    /// Names of more than 64 bytes. Swift seeds its hasher once in a process, at random.
    private static func long(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> UInt64 {
        var hasher = Hasher()
        var at = start
        while at &+ 8 < end {
            hasher.combine(text.word(at: at))
            at &+= 8
        }
        hasher.combine(text.lastWord(start, end))
        hasher.combine(end &- start)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
