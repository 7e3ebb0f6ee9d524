// Rejects members that occur twice in an object, in linear time.

extension JSON {
    /// Up to this many members, names are compared. In larger objects they are hashed.
    private static let comparedMembers = 32

    /// Returns 28 bits that differ for most pairs of different names without escapes.
    @inline(__always)
    static func fingerprint(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        let count = end &- start
        let first = count >= 8 ? text.word(at: start) : 0
        let last = text.lastWord(start, end)
        let mixed =
            (first &* 0x9e37_79b9_7f4a_7c15)
            ^ ((last &+ UInt64(truncatingIfNeeded: count)) &* 0xd6e8_feb8_6659_fd93)
        return Int(truncatingIfNeeded: (mixed ^ (mixed >> 32)) >> 8 & 0xfff_ffff)
    }

    /// Throws `.duplicate` if two members have the same name. The object must have two or more. Not
    /// inlined: the scanner has no registers left for this loop.
    @inline(never)
    static func rejectDuplicates(
        ofObjectAt object: Int, in text: Span<UInt8>, _ nodes: Span<JSONNode>
    ) throws(JSONError) {
        let count = nodes[object].count
        let end = nodes[object].next
        var hasEscapes = false
        if count <= comparedMembers {
            // Two small filters show that nearly all names are new. The others are compared.
            var seen: (UInt64, UInt64) = (0, 0)
            var at = object + 1
            while at < end {
                let name = nodes[at]
                hasEscapes = hasEscapes || name.hasEscapes
                let fingerprint = UInt64(truncatingIfNeeded: name.count)  // its fingerprint
                let bits: (UInt64, UInt64) = (1 &<< fingerprint, 1 &<< (fingerprint &>> 6))
                if seen.0 & bits.0 != 0 && seen.1 & bits.1 != 0 {
                    try compare(at, withNamesFrom: object + 1, in: text, nodes)
                }
                seen.0 |= bits.0
                seen.1 |= bits.1
                at = nodes[at + 1].next
            }
        }
        if hasEscapes || count > comparedMembers {
            guard duplicate(inObjectAt: object, text, nodes) == nil else { throw .duplicate }
        }
    }

    /// Compares a name with all names before it in the object.
    @inline(never)
    private static func compare(
        _ candidate: Int, withNamesFrom first: Int, in text: Span<UInt8>, _ nodes: Span<JSONNode>
    ) throws(JSONError) {
        let name = nodes[candidate]
        let bytes = text.extracting(name.start..<name.end)
        var at = first
        while at < candidate {
            let other = nodes[at]
            if other.traits == name.traits
                && equal(text.extracting(other.start..<other.end), bytes)
            {
                throw .duplicate
            }
            at = nodes[at + 1].next
        }
    }

    /// Returns the node of the first name that an earlier member has too; nil if there is none.
    /// Takes linear time: all names go into a table, with a hash that is seeded for each process.
    @inline(never)
    static func duplicate(
        inObjectAt object: Int, _ text: Span<UInt8>, _ nodes: Span<JSONNode>
    ) -> Int? {
        // A power of two, and at least twice the count.
        let capacity = 1 << (Int.bitWidth - (nodes[object].count * 2 - 1).leadingZeroBitCount)
        return withScratch(of: UInt32.self, capacity: capacity) { table -> Int? in
            table.append(repeating: 0, count: capacity)
            var at = object + 1
            while at < nodes[object].next {
                let name = nodes[at]
                let hash = seededHash(name, in: text)
                // An entry is the index of the name and, above it, six bits of the hash. 0 is
                // empty: index 0 is never a name. `maxIndexedNodes` bounds the index.
                let upper = UInt32(truncatingIfNeeded: hash >> 58) << 26
                var slot = Int(truncatingIfNeeded: hash) & (capacity - 1)
                while table[slot] != 0 {
                    let entry = table[slot]
                    if entry & 0xfc00_0000 == upper
                        && equals(nodes[Int(entry & 0x3ff_ffff)], name, in: text)
                    {
                        return at
                    }
                    slot = (slot + 1) & (capacity - 1)
                }
                table[slot] = upper | UInt32(truncatingIfNeeded: at)
                at = nodes[at + 1].next
            }
            return nil
        }
    }

    /// Returns a hash of a name after unescaping. An attacker cannot predict it.
    private static func seededHash(_ name: JSONNode, in text: Span<UInt8>) -> UInt64 {
        guard name.hasEscapes else { return NameHash.of(text, name.start, name.end) }
        return withUnescaped(name, in: text) { NameHash.of($0, 0, $0.count) }
    }

    private static func equals(_ a: JSONNode, _ b: JSONNode, in text: Span<UInt8>) -> Bool {
        withUnescaped(a, in: text) { bytes in equals(b, bytes, in: text) }
    }
}
