// NameHash: a fast hash of byte strings that an attacker cannot predict.

/// Vector multiply-shift with 128-bit factors that are drawn once for each process (Dietzfelbinger,
/// 1996; Thorup, "High speed hashing for integers and strings", 2015, section 3).
/// Two names collide, in any bits of the hash, as rarely as random numbers, even if an attacker
/// chose them. But the sum is linear: if a1 and a2 collided in some bits, a3 could collide with
/// them too. A bijective mixing step after the sum prevents that.
package enum NameHash {
    private static let factors = (count: factor(0), one: factor(1), two: factor(2), sum: factor(3))
    /// The factors of the words between the first and the last, in names of 17 to 64 bytes.
    private static let further: [6 of UInt128] = .init { factor(4 + $0) }

    /// Returns a factor, derived from the seed of Swift's hasher (SipHash), which is random for
    /// each process. Benchmarks that count instructions set `SWIFT_DETERMINISTIC_HASHING`.
    private static func factor(_ index: Int) -> UInt128 {
        UInt128(half(2 * index)) << 64 | UInt128(half(2 * index + 1))
    }

    private static func half(_ index: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(index)
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }

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

    /// Hashes the words between the first and the last eight bytes. The last word may overlap.
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

    /// Hashes a name of more than 64 bytes with Swift's hasher, which is seeded for each process.
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
