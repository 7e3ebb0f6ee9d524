// Symmetric keys: accepted, rejected, and exported bytes.

import Testing

@testable import JOSECrypto

@Suite struct SymmetricKeyTests {
    @Test(
        "RFC 7518 6.4: the bytes are exported unchanged",
        arguments: [1, 15, 16, 32, 64, 511, 65_536])
    func bytes(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 1) }
        let key = try NativeKey.symmetric(SecretBytes(bytes))
        #expect(key.isPrivate && key.kind == .symmetric)
        #expect(key.bits == count * 8 && key.sizeBytes == count)
        #expect(try key.secretMember().bytes == bytes)
        #expect(key.publicX().isEmpty && key.publicY().isEmpty && key.publicModulus().isEmpty)
        #expect(throws: CryptoError.unusableKey) { _ = try key.rsaPrivateMember(.d) }
    }

    @Test("an empty key and one with too many bytes are rejected", arguments: [0, 65_537, 100_000])
    func sizes(_ count: Int) {
        #expect(throws: CryptoError.unusableKey) {
            _ = try NativeKey.symmetric(SecretBytes([UInt8](repeating: 1, count: count)))
        }
    }

    @Test(
        "new keys have the requested size and differ, from the smallest to the largest",
        arguments: [1, 2, 16, 24, 32, 64, 511, 512])
    func generation(_ count: Int) throws {
        let made = try (0..<4).map { _ in try NativeKey.symmetricGenerate(bytes: count) }
        for key in made {
            #expect(key.sizeBytes == count && key.bits == count * 8 && key.isPrivate)
            let bytes = try key.secretMember().bytes
            #expect(bytes.count == count && (count < 511 || Set(bytes).count > 128))
        }
        let differ = try Set(made.map { try $0.secretMember().bytes }).count == 4
        #expect(count < 16 || differ)
    }

    @Test("other sizes are not generated", arguments: [Int.min, -1, 0, 513, Int.max])
    func rejected(_ count: Int) {
        #expect(throws: CryptoError.unusableKey) {
            _ = try NativeKey.symmetricGenerate(bytes: count)
        }
    }
}
