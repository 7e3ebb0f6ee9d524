// Digests, HMAC, random bytes, the clock.

import Foundation
import Testing

@testable import JOSECrypto

@Suite struct HashTests {
    @Test(
        "FIPS 180-4: the digest of abc",
        arguments: [
            (HashAlgorithm.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha384,
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                    + "8086072ba1e7cc2358baeca134c825a7"
            ),
            (
                .sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ])
    func digest(_ algorithm: HashAlgorithm, _ expected: String) throws {
        #expect(try Hash.digest(algorithm, Array("abc".utf8)) == hex(expected))
        let text = Array("abc".utf8)
        #expect(algorithm.digestBytes == expected.count / 2)
        let appended = try [UInt8](capacity: 100) { (out) throws(CryptoError) in
            out.append(1)
            try Hash.digest(algorithm, text.span, into: &out)
        }
        #expect(appended == [1] + hex(expected))
        #expect(throws: CryptoError.failure) {
            _ = try [UInt8](capacity: algorithm.digestBytes - 1) { (out) throws(CryptoError) in
                try Hash.digest(algorithm, text.span, into: &out)
            }
        }
    }

    @Test("RFC 4231 cases 1, 2, 6: HMAC with a short key, a text key and a long key")
    func hmac() throws {
        let cases: [(key: [UInt8], text: [UInt8], expected: String)] = [
            (
                [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
        for item in cases {
            #expect(
                try HMAC.code(.sha256, item.key, item.text) == hex(item.expected))
        }
        // RFC 4231 case 2 with SHA-384 and SHA-512, RFC 2202 case 2 with SHA-1.
        let (key, text) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        #expect(
            try HMAC.code(.sha384, key, text)
                == hex(
                    "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
                        + "8e2240ca5e69e2c78b3239ecfab21649"))
        #expect(
            try HMAC.code(.sha1, key, text)
                == hex("effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"))
    }

    @Test("random bytes: every size, no repetition, balanced bits")
    func random() throws {
        for count in [0, 1, 15, 127, 128, 129, 511, 512, 513, 100_000] {
            #expect(try Random.bytes(count).count == count)
        }
        var seen = Set<[UInt8]>()
        var ones = 0
        for _ in 0..<20_000 {
            let bytes = try Random.bytes(16)
            #expect(seen.insert(bytes).inserted)
            ones += bytes.reduce(0) { $0 + $1.nonzeroBitCount }
        }
        // 2.56 million bits: six standard deviations are 4,800.
        #expect(abs(ones - 1_280_000) < 4_800)
    }

    @Test("the clock returns a time of this century")
    func clock() {
        let now = SystemClock.now()
        #expect(now.seconds > 1_700_000_000 && (0..<1_000_000_000).contains(now.nanoseconds))
    }
}
