// Random corruption of keys and sets: read or rejected, without a trap, and what is read is
// consistent.

import JOSE
import Testing

@Suite("Random mutations of keys")
struct KeyMutationTests {
    @Test("corrupted JWKs and sets are rejected or consistent")
    func mutate() throws {
        let seed = SeededGenerator.seed(for: "mutations of keys")
        var random = SeededGenerator(seed: seed)
        let ours = Array(
            try JWKSet(keys: [TestKeys.signing, TestKeys.decrypting]).privateJSON().utf8)
        let theirs = Array(try PublicJWKSet(keys: [TestKeys.signing, TestKeys.client]).json().utf8)
        let key = Array(try TestKeys.signing.privateJSON().utf8)
        var accepted = 0
        for round in 0..<1_500 {
            for (index, text) in [ours, theirs, key].enumerated() where index > 0 || round % 5 == 0
            {
                let damaged = Self.damaged(text, &random)
                do throws(JOSEError) {
                    let keys =
                        switch index {
                        case 0: try JWKSet(json: damaged).keys
                        case 1: try PublicJWKSet(json: damaged).keys()
                        default: [try JWK(json: damaged)]
                        }
                    accepted += 1
                    try Self.check(keys, isPublic: index == 1)
                } catch {
                    let codes: Set<JOSEError.Code> = [.malformed, .keyUnusable, .limitExceeded]
                    #expect(codes.contains(error.code), "seed \(seed), round \(round): \(error)")
                }
            }
        }
        #expect(accepted > 50, "nothing was accepted: the damage is too great to tell anything")
    }

    /// A private key that was read still matches its public half. A public one is written as it was
    /// read.
    private static func check(_ keys: [JWK], isPublic: Bool) throws(JOSEError) {
        for key in keys {
            #expect(!isPublic || !key.isPrivate)
            let again = try JWK(json: key.publicJSON())
            #expect(try again.thumbprint() == key.thumbprint())
            guard key.isPrivate else { continue }
            let token = try JWSSigner(key: TestKeys.bare(key), algorithm: .rs256).sign("x")
            _ = try JWSVerifier.rs256(TestKeys.bare(key).publicKey).verify(
                token)
        }
    }

    private static func damaged(_ text: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = text
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let start = Int.random(in: bytes.indices, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...6, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[start] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[start] = Array("\"{}[]:,\\0Aa-_ ".utf8).randomElement(using: &random) ?? 0
            case 2: bytes.removeSubrange(start..<end)
            case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 4: bytes[start] = UInt8.random(in: .min ... .max, using: &random)
            default: bytes.replaceSubrange(start..<end, with: Array("\"x\":1,".utf8))
            }
            if bytes.isEmpty { return text }
        }
        return bytes
    }
}
