// RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2.2): exactly one block is valid. A family of others, each
// signed with the real key, is rejected as an invalid signature by every implementation, alone and
// in batches. `tools/run kernels-check` and `tools/run failures-check` test the C core with a
// larger family.

import JOSECrypto
import Testing

@testable import JOSE

@Suite("Nearly correct padding blocks, signed with the real key")
struct ForgedBlockTests {
    private static let size = 256
    private static let ways: [KeyAcceleration] = [.automatic, .noKernels, .openSSLOnly]

    /// 00 01 ff … 00, DigestInfo of SHA-256, digest.
    private static func block(_ info: [UInt8]) -> [UInt8] {
        [0, 1] + [UInt8](repeating: 0xff, count: size - 3 - info.count) + [0] + info
    }

    private static let prefix: [UInt8] = [
        0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01,
        0x05, 0x00, 0x04, 0x20,
    ]

    /// Each byte of the block zeroed, changed, removed, doubled and moved.
    private static func bytewise(_ right: [UInt8]) -> Set<[UInt8]> {
        var family: Set<[UInt8]> = []
        for index in right.indices {
            for mask in [right[index], 0x01, 0x10, 0x80, 0xff] as [UInt8] {
                var block = right
                block[index] ^= mask
                family.insert(block)
            }
            let cut = Array(right[..<index] + right[(index + 1)...])
            family.insert(cut + [0])
            family.insert(cut + [right[index]])
            let doubled = Array(right[...index] + right[index...])
            family.insert(Array(doubled.dropLast()))
            guard index > 2 else { continue }
            family.insert([0, 1, 0xff] + cut.dropFirst(2))
            family.insert([0, 1] + doubled.dropFirst(3))
            var swapped = right
            swapped.swapAt(index, index - 1)
            family.insert(swapped)
        }
        return family
    }

    /// Contents with another encoding, and with too many or too few bytes.
    private static func contents(_ digest: [UInt8]) -> Set<[UInt8]> {
        let info = prefix + digest
        var family: Set<[UInt8]> = []
        for count in 0..<info.count {
            family.insert(block(Array(info[..<count])))
            family.insert(block(Array(info[count...].dropFirst())))
        }
        for count in 1...(size - 3 - info.count) {
            for fill in [0x00, 0x5a, 0xff] as [UInt8] {
                family.insert(block(info + [UInt8](repeating: fill, count: count)))
            }
        }
        for (index, length) in prefix.enumerated() where [1, 3, 5, 16, 18].contains(index) {
            for form in [[0x81], [0x82, 0], [0x83, 0, 0], [0x84, 0, 0, 0]] as [[UInt8]] {
                var long = info
                long.replaceSubrange(index...index, with: form + [length])
                family.insert(block(long))
                long[1] &+= UInt8(form.count)
                family.insert(block(long))
            }
        }
        let lengths: [(count: Int, arc: UInt8)] = [(20, 4), (28, 4), (48, 2), (64, 3), (32, 6)]
        for (count, arc) in lengths {
            var other = prefix
            other[14] = arc
            other[18] = UInt8(count)
            other[1] = UInt8(17 + count)
            family.insert(block(other + [UInt8](repeating: 0x77, count: count)))
        }
        var noParameters = info
        noParameters.removeSubrange(15..<17)
        family.insert(block(noParameters))
        noParameters[1] -= 2
        noParameters[3] -= 2
        family.insert(block(noParameters))
        return family
    }

    @Test("each of over two thousand is signatureInvalid, alone and in a batch")
    func rejected() throws {
        let key = TestKeys.bare(TestKeys.signing)
        let device = try SoftDevice(key)
        let input =
            Independent.base64URL(#"{"alg":"RS256"}"#.utf8) + "." + Independent.base64URL("x".utf8)
        let digest = try Hash.digest(.sha256, input.utf8.span)
        let right = Self.block(Self.prefix + digest)
        let verifiers = try Self.ways.map {
            try JWSVerifier.rs256(key.publicKey.withAcceleration($0))
        }
        let accepted = try input + "." + Independent.base64URL(need(device.raw(right)))
        for verifier in verifiers { #expect(try verifier.verify(accepted).payload == [0x78]) }

        // A block above the modulus has no signature.
        let family = Self.bytewise(right).union(Self.contents(digest)).subtracting([right])
        let tokens = try family.filter { $0[0] < 0x80 }.map {
            try input + "." + Independent.base64URL(need(device.raw($0)))
        }
        #expect(tokens.count > 2000)
        for verifier in verifiers {
            var others: Set<String> = []
            for token in tokens {
                others.insert(try Rejection.verdict { _ = try verifier.verify(token) })
            }
            for result in verifier.verifyBatch(tokens) {
                others.insert(try Rejection.verdict { _ = try result.get() })
            }
            #expect(others == ["signature-invalid"])
        }
    }
}
