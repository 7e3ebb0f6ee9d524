// The branch-free encoder and decoder for secrets give the results of the fast ones, and reject the
// same.

import Testing

@testable import JOSEBytes

@Suite struct SecretBase64URLTests {
    func decodeSecret(_ text: [UInt8]) -> [UInt8]? {
        guard let count = Base64URL.decodedCount(text.count) else { return nil }
        return fenced(count) { out in Base64URL.decodeSecret(text.span, into: &out) }
    }

    @Test func lengths() {
        var generator = Generator(seed: 6)
        for count in 0...300 {
            let bytes = generator.bytes(count)
            let text = fenced(Base64URL.encodedCount(count)) { out in
                Base64URL.encodeSecret(bytes.span, into: &out)
                return true
            }
            #expect(text == encode(bytes, by: .scalar))
            #expect(text.flatMap(decodeSecret) == bytes)
        }
    }

    @Test("RFC 7515 2: any byte outside the alphabet is rejected in any position")
    func alphabet() {
        for count in [2, 3, 4, 6, 7, 8] {
            for index in 0..<count {
                var text = [UInt8](repeating: UInt8(ascii: "A"), count: count)
                for byte in UInt8.min...UInt8.max {
                    text[index] = byte
                    #expect(decodeSecret(text) == decode(text, by: .scalar))
                }
            }
        }
    }

    @Test("RFC 4648 3.5: unused bits that are set are rejected")
    func unusedBits() {
        for prefix in ["", "AAAA"] {
            for last in UInt8.min...UInt8.max {
                for middle in ["A", "AA"] {
                    let text = Array((prefix + middle).utf8) + [last]
                    #expect(decodeSecret(text) == decode(text, by: .scalar))
                }
            }
        }
    }

    @Test func rejectedTextLeavesNoBytes() {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 48)
        defer { memory.deallocate() }
        memory.initialize(repeating: 0)
        var out = OutputSpan(buffer: memory, initializedCount: 0)
        let text = [UInt8](repeating: UInt8(ascii: "Q"), count: 63) + [UInt8(ascii: "=")]
        #expect(!Base64URL.decodeSecret(text.span, into: &out))
        let count = out.count
        #expect(count == 0)
        _ = out.finalize(for: memory)
        #expect(memory.allSatisfy { $0 == 0 })
    }
}
