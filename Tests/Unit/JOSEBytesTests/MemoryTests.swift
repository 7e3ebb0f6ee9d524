// Scratch memory, wiping, comparing, and strings built in place.

import Testing

@testable import JOSEBytes

@Suite struct MemoryTests {
    struct Rejection: Error {}

    @Test func wiping() {
        var bytes: [UInt8] = [1, 2, 3]
        var span = bytes.mutableSpan
        wipe(&span)
        #expect(bytes == [0, 0, 0])
        var one: [UInt8] = [0xff]
        var single = one.mutableSpan
        wipe(&single)
        #expect(one == [0])
        var none: [UInt8] = []
        var empty = none.mutableSpan
        wipe(&empty)
        #expect(none == [])
    }

    @Test func comparing() {
        var generator = Generator(seed: 7)
        let areNothingEqual = equalConstantTime(Span(), Span())
        #expect(areNothingEqual)
        for count in 0...70 {
            let a = generator.bytes(count)
            #expect(areEqual(a, a))
            #expect(areEqualConstantTime(a, a))
            #expect(!areEqual(a, a + [0]))
            #expect(!areEqualConstantTime(a, a + [0]))
            for index in 0..<count {
                for bit in 0..<8 {
                    var b = a
                    b[index] ^= 1 << UInt8(bit)
                    #expect(!areEqual(a, b))
                    #expect(!areEqualConstantTime(a, b))
                }
            }
        }
        #expect(isLiteral(Array("RS256".utf8), "RS256"))
        #expect(!isLiteral(Array("RS256".utf8), "RS384"))
        #expect(!isLiteral(Array("RS25".utf8), "RS256"))
    }

    @Test(arguments: [0, 1, 64, 1024, 1025, 100_000])
    func scratch(_ capacity: Int) throws {
        let sum = withScratch(of: UInt8.self, capacity: capacity, wiping: true) { out in
            let sizes = (out.capacity, out.count)
            #expect(sizes == (capacity, 0))
            out.append(repeating: 1, count: capacity)
            return out.count
        }
        #expect(sum == capacity)
        #expect(throws: Rejection.self) {
            try withScratch(of: UInt64.self, capacity: capacity) { (_) throws(Rejection) in
                throw Rejection()
            }
        }
    }

    @Test func scratchIsWiped() {
        // The same call site gets the same stack address twice in a row.
        var seen: [UInt8] = []
        for round in 0..<2 {
            withScratch(of: UInt8.self, capacity: 256, wiping: true) { out in
                if round == 0 {
                    out.append(repeating: 0xee, count: 256)
                } else {
                    out.withUnsafeMutableBufferPointer { buffer, _ in
                        seen = Array(UnsafeRawBufferPointer(buffer))
                    }
                }
            }
        }
        // Other calls may have left a few bytes there, but not many of these.
        #expect(seen.filter { $0 == 0xee }.count < 32)
    }

    @Test func strings() throws {
        for count in [0, 1, 15, 16, 1000] {
            let text = String(asciiCapacity: count) { out in
                out.append(repeating: UInt8(ascii: "x"), count: count)
            }
            #expect(text == String(repeating: "x", count: count))
        }
        #expect(String(asciiCapacity: 40) { out in out.append("a.b") } == "a.b")
        #expect(throws: Rejection.self) {
            try String(asciiCapacity: 40) { (out) throws(Rejection) in
                out.append("a")
                throw Rejection()
            }
        }
    }

    @Test func finding() {
        for text in ["", "a", ".", "a.b..c", "..", "a.b.c.d.e", ".....", "......", "abcdef."] {
            let bytes = Array(text.utf8)
            let all = bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }
            #expect(places(UInt8(ascii: "."), bytes) == Array(all.prefix(5)), "\(text)")
        }
        let long = [UInt8](repeating: 1, count: 10_000) + [2] + [UInt8](repeating: 1, count: 300)
        #expect(places(2, long) == [10_000])
        #expect(places(1, long) == [0, 1, 2, 3, 4])
    }

    @Test func plainRuns() {
        // Every byte at every offset of two vectors ends a run, or does not.
        for index in 0..<40 {
            for byte in UInt8.min...UInt8.max {
                var text = [UInt8](repeating: UInt8(ascii: "x"), count: 40)
                text[index] = byte
                let stops = byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5c
                #expect(plainCount(text, 0) == (stops ? index : 40))
            }
        }
    }
}
