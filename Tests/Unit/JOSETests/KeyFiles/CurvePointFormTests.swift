// Points and surplus values in key files of elliptic curve keys: each length, first byte and
// position (SEC 1, 2.3.3).

import JOSE
import Testing

@Suite("Key files: point encodings and surplus values of elliptic curve keys")
struct CurvePointFormTests {
    private static let named: [UInt8] = [
        0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce,
        0x3d, 0x03, 0x01, 0x07,
    ]
    private static let ed25519: [UInt8] = [0x06, 0x03, 0x2b, 0x65, 0x70]

    @Test("a compressed point has its own error, and nothing else has it") func compressed()
        throws
    {
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        for first in 0...7 as ClosedRange<UInt8> {
            let wanted = first == 2 || first == 3 ? "key-unusable" : "malformed"
            #expect(try fileResult(spki(Self.named, [first] + zeros(32))) == wanted, "\(first)")
            for count in [0, 1, 31, 33, 63, 65] {
                let point = [first] + zeros(count)
                #expect(
                    try fileResult(spki(Self.named, point)) == "malformed", "\(first) \(count)")
            }
            // Of the size of a complete point: only its first byte decides.
            let whole = try fileResult(spki(Self.named, [first] + zeros(64)))
            #expect(whole == (first == 4 ? "key-unusable" : "malformed"), "\(first)")
        }
        expectRejection(
            "key-unusable", message: "found a compressed point; expected an uncompressed one"
        ) {
            _ = try KeyFileContents(spki(Self.named, [3] + zeros(32)))
        }
    }

    @Test("RFC 8410 4: the key has exactly the octets of its curve") func octets() throws {
        let key = try JWK.generate(.curve(.ed25519))
        let x = try KeyText.bytes(key, "x")
        #expect(try fileResult(spki(Self.ed25519, x)) == "accepted")
        #expect(try key.publicKeyFile(.der) == spki(Self.ed25519, x))
        let others: [[UInt8]] = [Array(x.dropLast()), x + [0], [4] + x, [0] + x]
        for bad in others {
            #expect(try fileResult(spki(Self.ed25519, bad)) == "malformed")
        }
    }

    @Test("a surplus value after any value of a private key is rejected") func tails() throws {
        let key = try JWK.generate(.curve(.p256))
        let (x, y, d) = (
            try KeyText.bytes(key, "x"), try KeyText.bytes(key, "y"), try KeyText.bytes(key, "d")
        )
        let bits = TestDER.tagged(0x03, [0, 4] + x + y)
        let start = TestDER.integer([1]) + TestDER.tagged(0x04, d)
        let identifier = Array(Self.named.dropFirst(9))
        let curve = TestDER.tagged(0xa0, identifier)
        let null: [UInt8] = [0x05, 0x00]
        let point = TestDER.tagged(0xa1, bits)
        let contents: [[UInt8]] = [start + curve + point, start + point, start + curve, start]
        for good in contents {
            #expect(try fileResult(pkcs8(Self.named, TestDER.sequence(good))) == "accepted")
            for tail in [null, TestDER.tagged(0xa2, [])] {
                let long = TestDER.sequence(good + tail)
                #expect(try fileResult(pkcs8(Self.named, long)) == "malformed")
                let behind = TestDER.sequence(good) + tail
                #expect(try fileResult(pkcs8(Self.named, behind)) == "malformed")
            }
        }
        for inner in [bits + null, bits + bits, null, []] as [[UInt8]] {
            let bad = TestDER.sequence(start + TestDER.tagged(0xa1, inner))
            #expect(try fileResult(pkcs8(Self.named, bad)) == "malformed")
        }
        for inner in [identifier + null, identifier + bits] {
            let bad = TestDER.sequence(start + TestDER.tagged(0xa0, inner))
            #expect(try fileResult(pkcs8(Self.named, bad)) == "malformed")
        }
        let seed = TestDER.tagged(0x04, d)
        #expect(try fileResult(pkcs8(Self.ed25519, seed)) == "accepted")
        #expect(try fileResult(pkcs8(Self.ed25519, seed + null)) == "malformed")
        #expect(try fileResult(pkcs8(Self.ed25519, seed + seed)) == "malformed")
    }
}
