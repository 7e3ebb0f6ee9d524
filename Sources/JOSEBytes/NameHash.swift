// A hash of short byte strings that an attacker cannot foresee, in three multiplications.

/// Vector multiply-shift with 128-bit factors that are drawn once in a process (Dietzfelbinger, 1996; Thorup, "High
/// speed hashing for integers and strings", 2015, section 3): two different names agree in any given bits of it as
/// often as chance would have it, whoever chose them. It is linear, so that names in a row could collide all at once:
/// what is mixed behind it, one to one, takes their order out.
enum NameHash {
    private static let factors = (
        UInt128.random(in: .min ... .max), UInt128.random(in: .min ... .max),
        UInt128.random(in: .min ... .max), UInt128.random(in: .min ... .max)
    )
    /// Up to this many bytes two words and the length tell names apart; longer ones go to Swift's own hasher.
    private static let most = 16

    /// The hash of the bytes from `start` to `end`.
    static func of(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> UInt64 {
        let count = end &- start
        guard count <= most else { return long(text, start, end) }
        var first: UInt64 = 0
        var last: UInt64 = 0
        if count >= 8 {
            first = text.word(at: start)
            last = text.word(at: end &- 8)
        } else if start &+ 8 <= text.count {
            first = text.word(at: start) & ((1 << (UInt64(truncatingIfNeeded: count) &* 8)) &- 1)
        } else {
            // The same number where the text ends.
            for at in (start..<end).reversed() { first = first << 8 | UInt64(text[at]) }
        }
        let (one, two, three, four) = factors
        let sum =
            one &* UInt128(first) &+ two &* UInt128(last)
            &+ three &* UInt128(truncatingIfNeeded: count) &+ four
        return mixed(UInt64(truncatingIfNeeded: sum >> 64))
    }

    @inline(__always)
    private static func mixed(_ hash: UInt64) -> UInt64 {
        let half = (hash ^ hash >> 32) &* 0x9e37_79b9_7f4a_7c15
        let whole = (half ^ half >> 29) &* 0xd6e8_feb8_6659_fd93
        return whole ^ whole >> 32
    }

    /// Swift seeds its hasher once in a process, at random.
    private static func long(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> UInt64 {
        var hasher = Hasher()
        var at = start
        while at + 8 <= end {
            hasher.combine(text.word(at: at))
            at += 8
        }
        var rest = UInt64(end - at)
        while at < end {
            rest = rest << 8 | UInt64(text[at])
            at += 1
        }
        hasher.combine(rest)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
