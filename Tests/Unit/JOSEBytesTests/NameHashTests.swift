// The hash with which names are found in large objects.

import Testing

@testable import JOSEBytes

@Suite struct NameHashTests {
    @Test("a name has the same hash at every offset, also at the end of the text") func places() {
        for count in 0...80 {
            let name = (0..<count).map { UInt8($0 * 7 % 251) }
            let alone = NameHash.of(name.span, 0, count)
            for before in [0, 1, 9] {
                for behind in [0, 1, 4, 7, 8, 30] {
                    let text =
                        [UInt8](repeating: 0xaa, count: before) + name
                        + [UInt8](repeating: 0x55, count: behind)
                    #expect(NameHash.of(text.span, before, before + count) == alone)
                }
            }
        }
    }

    @Test("names that differ in one bit, in length or in byte order have different hashes")
    func different() {
        var seen: Set<UInt64> = []
        var names: [[UInt8]] = (0...80).map { [UInt8](repeating: 0, count: $0) }
        for count in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 33, 63, 64, 65] {
            for bit in 0..<(8 * count) {
                var name = [UInt8](repeating: 0, count: count)
                name[bit / 8] = 1 << UInt8(bit % 8)
                names.append(name)
            }
        }
        for name in names { seen.insert(NameHash.of(name.span, 0, name.count)) }
        #expect(seen.count == names.count)
    }

    @Test("the low bits, which select the slot, are distributed randomly") func spread() {
        let places = 1 << 16
        var taken = Set<UInt64>()
        var count = 0
        for a in UInt8(0)..<64 {
            for b in UInt8(0)..<64 {
                for c in UInt8(0)..<16 {
                    taken.insert(NameHash.of([a, b, c].span, 0, 3) % UInt64(places))
                    count += 1
                }
            }
        }
        // As many names as slots: chance uses 63.2 % of them, within 0.1 %.
        #expect(count == places && taken.count > places * 62 / 100)
    }
}
