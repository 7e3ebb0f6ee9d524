// base64url is strict in both directions, whatever the kernel.

import Foundation
import Testing

@testable import JOSEBytes

/// The kernels that run here. The scalar one always does.
let kernels = Base64URLKernel.allCases.filter(\.isAvailable)

/// The bytes of `text`, decoded by one kernel in a buffer of exactly the right size with a fence
/// after it.
func decode(_ text: [UInt8], by kernel: Base64URLKernel) -> [UInt8]? {
    guard let count = Base64URL.decodedCount(text.count) else {
        var good = true
        _ = [UInt8](capacity: text.count) { out in
            good = Base64URL.decode(text.span, into: &out, kernel: kernel)
        }
        return good ? [] : nil
    }
    return fenced(count) { out in Base64URL.decode(text.span, into: &out, kernel: kernel) }
}

/// The text of `bytes`, encoded by one kernel in the same way.
func encode(_ bytes: [UInt8], by kernel: Base64URLKernel) -> [UInt8] {
    fenced(Base64URL.encodedCount(bytes.count)) { out in
        out.appendBase64URL(of: bytes.span, kernel: kernel)
        return true
    } ?? []
}

/// The bytes after the buffer that `fenced` provides.
private let fence = [UInt8](repeating: 0xa5, count: 80)

/// Provides a buffer of exactly `count` bytes and checks that nothing was written after it.
func fenced(_ count: Int, _ body: (inout OutputSpan<UInt8>) -> Bool) -> [UInt8]? {
    let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count + fence.count)
    defer { memory.deallocate() }
    memory.initialize(repeating: 0xa5)
    let room = UnsafeMutableBufferPointer(rebasing: memory[..<count])
    let behind = UnsafeMutableBufferPointer(rebasing: memory[count...])
    var out = OutputSpan(buffer: room, initializedCount: 0)
    let good = body(&out)
    let written = out.count
    _ = out.finalize(for: room)
    let isWhole = behind.baseAddress.map { memcmp($0, fence, fence.count) == 0 } ?? false
    if written != (good ? count : 0) || !isWhole {
        Issue.record("written: \(written) of \(count), or behind them")
    }
    return good ? Array(room) : nil
}

/// The value of a character by definition, for tests.
func sextet(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
}

/// The six-bit values of bytes by definition (RFC 4648 section 4).
func sextets(_ bytes: [UInt8]) -> [UInt8] {
    var bits = 0
    var held = 0
    var values: [UInt8] = []
    for byte in bytes {
        held = held << 8 | Int(byte)
        bits += 8
        while bits >= 6 {
            bits -= 6
            values.append(UInt8(held >> bits & 63))
        }
        held &= (1 << bits) - 1
    }
    if bits > 0 { values.append(UInt8(held << (6 - bits))) }
    return values
}

@Suite struct Base64URLTests {
    @Test("RFC 4648 10: published examples without padding", arguments: kernels)
    func published(_ kernel: Base64URLKernel) {
        for (bytes, text) in [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ] {
            #expect(encode(Array(bytes.utf8), by: kernel) == Array(text.utf8))
            #expect(decode(Array(text.utf8), by: kernel) == Array(bytes.utf8))
        }
        // RFC 7515 appendix C.
        #expect(encode([3, 236, 255, 224, 193], by: kernel) == Array("A-z_4ME".utf8))
    }

    @Test("Every kernel gives the reference result at every length to 1,000", arguments: kernels)
    func lengths(_ kernel: Base64URLKernel) {
        var generator = Generator(seed: 1)
        for count in 0...1000 {
            let bytes = generator.bytes(count)
            let text = encode(bytes, by: kernel)
            #expect(text == encode(bytes, by: .scalar))
            #expect(decode(text, by: kernel) == bytes)
            #expect(text.count == Base64URL.encodedCount(count))
            #expect(Base64URL.decodedCount(text.count) == count)
            #expect(kernel != .scalar || text.map(sextet) == sextets(bytes))
        }
    }

    @Test(
        "RFC 7515 2: any byte outside the alphabet is rejected in any position",
        arguments: kernels)
    func alphabet(_ kernel: Base64URLKernel) {
        var generator = Generator(seed: 2)
        // Offsets in whole vectors of each kernel, in groups of four, in the remainder, and in
        // masked tails.
        for count in [4, 12, 44, 64, 88, 159, 300] {
            let good = encode(generator.bytes(Base64URL.decodedCount(count) ?? 0), by: .scalar)
            // The last character also has unused bits, which are tested below.
            for index in 0..<(count % 4 == 0 ? count : count - 1) {
                var text = good
                for byte in UInt8.min...UInt8.max {
                    text[index] = byte
                    let bytes = decode(text, by: kernel)
                    if (bytes != nil) != (sextet(byte) != nil) {
                        Issue.record("byte \(byte) at \(index) of \(count)")
                    }
                    if let bytes, encode(bytes, by: .scalar) != text {
                        Issue.record("byte \(byte) at \(index) of \(count) decodes wrongly")
                    }
                }
            }
        }
    }

    @Test("RFC 4648 3.5: unused bits that are set are rejected", arguments: kernels)
    func unusedBits(_ kernel: Base64URLKernel) {
        for count in (2...200) where count % 4 == 2 || count % 4 == 3 {
            var text = [UInt8](repeating: UInt8(ascii: "Q"), count: count)
            for last in UInt8.min...UInt8.max {
                text[count - 1] = last
                let unused: UInt8 = count % 4 == 2 ? 15 : 3
                let isGood = sextet(last).map { $0 & unused == 0 } ?? false
                if (decode(text, by: kernel) != nil) != isGood {
                    Issue.record("last character \(last) of \(count)")
                }
            }
        }
    }

    @Test("RFC 7515 2: a length of 4k + 1 is rejected", arguments: kernels)
    func length(_ kernel: Base64URLKernel) {
        for count in stride(from: 1, through: 261, by: 4) {
            #expect(decode([UInt8](repeating: UInt8(ascii: "A"), count: count), by: kernel) == nil)
            #expect(Base64URL.decodedCount(count) == nil)
        }
    }

    @Test("RFC 7515 2: padding, white space and the standard alphabet are rejected")
    func foreignForms() {
        for text in [
            "Zg==", "Zm8=", "Zm9v\n", " Zm9v", "Zm 9v", "Zm9v\r\n", "Zm+v", "Zm/v", "Zm9v=", "=",
            "Zm9v\0",
            "\u{feff}Zm9v", "Zm9v\u{a0}", "Zm9v.", "Zm9v\u{200b}",
        ] {
            #expect(Base64URL.decode(text.utf8.span) == nil, "\(text)")
            #expect(!isValid(Array(text.utf8)))
        }
    }

    @Test(
        "Encoding forward in place never overwrites input that is still needed",
        arguments: kernels)
    func inPlace(_ kernel: Base64URLKernel) throws {
        var generator = Generator(seed: 3)
        for count in 0...1000 {
            let bytes = generator.bytes(count)
            let before: [UInt8] = [1, 2, 3]
            let size = Base64URL.encodedCount(count)
            let whole = fenced(size + 3) { out in
                out.append(copying: before.span)
                out.appendBase64URL(count: count, kernel: kernel) { written, tail in
                    let isKept = equal(written, before.span)
                    #expect(isKept)
                    let size = tail.count
                    #expect(size == count)
                    for i in 0..<count { tail[i] = bytes[i] }
                }
                return true
            }
            #expect(whole == before + encode(bytes, by: .scalar))
        }
    }

    @Test func failedFillingLeavesNothing() {
        struct Rejection: Error {}
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 100)
        defer { memory.deallocate() }
        memory.initialize(repeating: 7)
        var out = OutputSpan(buffer: memory, initializedCount: 0)
        out.append(1)
        #expect(throws: Rejection.self) {
            try out.appendBase64URL(count: 60) { (_, tail) throws(Rejection) in
                for i in 0..<60 { tail[i] = 0xee }
                throw Rejection()
            }
        }
        let count = out.count
        #expect(count == 1)
        _ = out.finalize(for: memory)
        #expect(!memory.contains(0xee))
    }

    @Test func failedFillingOfFourPartsLeavesNothing() {
        struct Rejection: Error {}
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 200)
        defer { memory.deallocate() }
        memory.initialize(repeating: 7)
        var out = OutputSpan(buffer: memory, initializedCount: 0)
        #expect(throws: Rejection.self) {
            try out.appendBase64URLParts(counts: (40, 16, 20, 16)) {
                (a, b, c, d) throws(Rejection) in
                for i in 0..<16 {
                    a[i] = 0xee
                    b[i] = 0xee
                    c[i] = 0xee
                    d[i] = 0xee
                }
                throw Rejection()
            }
        }
        let count = out.count
        #expect(count == 0)
        _ = out.finalize(for: memory)
        #expect(!memory.contains(0xee))
    }

    @Test func appendingKeepsWhatWasThere() {
        let text = Array("Zm9v".utf8)
        let bad = Array("Zm9*".utf8)
        let bytes = [UInt8](capacity: 6) { out in
            out.append(9)
            let results = [
                Base64URL.decode(text.span, into: &out), Base64URL.decode(bad.span, into: &out),
                // Two bytes of buffer are too few for three.
                Base64URL.decode(text.span, into: &out),
                Base64URL.decodeSecret(text.span, into: &out),
            ]
            #expect(results == [true, false, false, false])
            let count = out.count
            #expect(count == 4)
        }
        #expect(bytes == [9] + Array("foo".utf8))
    }

    @Test func arraysAndStrings() {
        var generator = Generator(seed: 4)
        for count in [0, 1, 2, 3, 15, 16, 600, 5000] {
            let bytes = generator.bytes(count)
            let text = Base64URL.encode(bytes.span)
            #expect(Base64URL.encodeToString(bytes.span) == String(decoding: text, as: UTF8.self))
            #expect(Base64URL.decode(text.span) == bytes)
            #expect(isValid(text))
            if count > 0 {
                for index in Set([0, text.count / 2, text.count - 1]) {
                    var corrupted = text
                    corrupted[index] = UInt8(ascii: "=")
                    #expect(Base64URL.decode(corrupted.span) == nil)
                    #expect(!isValid(corrupted))
                }
            }
        }
    }

    @Test func builderOfFourParts() {
        var generator = Generator(seed: 5)
        for round in 0..<50 {
            let parts = [256, 16, round * 7, 16].map { generator.bytes($0) }
            let sizes = parts.map { Base64URL.encodedCount($0.count) }
            let whole = fenced(sizes.reduce(3, +)) { out in
                out.appendBase64URLParts(
                    counts: (parts[0].count, parts[1].count, parts[2].count, parts[3].count)
                ) { a, b, c, d in
                    for i in parts[0].indices { a[i] = parts[0][i] }
                    for i in parts[1].indices { b[i] = parts[1][i] }
                    for i in parts[2].indices { c[i] = parts[2][i] }
                    for i in parts[3].indices { d[i] = parts[3][i] }
                }
                return true
            }
            let expected = parts.map { encode($0, by: .scalar) }.joined(separator: [
                UInt8(ascii: ".")
            ])
            #expect(whole == Array(expected))
        }
    }
}
