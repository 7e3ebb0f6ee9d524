// Parses the block inside an RSA signature: padding, hash and salt. Used only for explanations.

import JOSEBytes
import JOSECrypto

/// Parsing is lenient: it never decides whether a token is accepted.
enum RSABlock {
    /// PKCS#1 v1.5 (RFC 8017, 9.2) with a DigestInfo.
    case pkcs1(hash: NamedHash, digest: [UInt8], hasNull: Bool)
    /// PKCS#1 v1.5 padding without a DigestInfo.
    case bare([UInt8])
    /// EMSA-PSS (RFC 8017, 9.1). `matches`: whether it is the block of the given text.
    case pss(hash: HashAlgorithm, mask: HashAlgorithm, saltBytes: Int, matches: Bool)
    case other

    /// The hash of a DigestInfo. `named` has the name of a hash that `HashAlgorithm` lacks.
    enum NamedHash {
        case known(HashAlgorithm)
        case named(String)
    }

    /// - Parameter text: The text that should have been signed.
    init(_ block: [UInt8], modulusBits: Int, text: [UInt8]) {
        self =
            RSABlock.pkcs1(block) ?? RSABlock.pss(block, modulusBits: modulusBits, text) ?? .other
    }
}

// MARK: PKCS#1 v1.5

extension RSABlock {
    private static func pkcs1(_ block: [UInt8]) -> RSABlock? {
        guard block.count > 11, block[0] == 0, block[1] == 1 else { return nil }
        guard let end = block[2...].firstIndex(where: { $0 != 0xff }), end >= 10, block[end] == 0
        else { return nil }
        let contents = Array(block[(end + 1)...])
        return digestInfo(contents) ?? .bare(contents)
    }

    private static func digestInfo(_ bytes: [UInt8]) -> RSABlock? {
        let der = bytes.span
        guard let all = StrictDER.element(der, at: 0, before: der.count), all.tag == DER.sequence,
            all.contents.upperBound == der.count,
            let identifier = StrictDER.element(
                der, at: all.contents.lowerBound, before: der.count),
            identifier.tag == DER.sequence,
            let name = StrictDER.element(
                der, at: identifier.contents.lowerBound, before: identifier.contents.upperBound),
            name.tag == DER.identifier,
            let digest = StrictDER.element(
                der, at: identifier.contents.upperBound, before: der.count),
            digest.tag == 0x04
        else { return nil }
        return .pkcs1(
            hash: hash(Array(bytes[name.contents])), digest: Array(bytes[digest.contents]),
            hasNull: name.contents.upperBound < identifier.contents.upperBound)
    }

    private static func hash(_ name: [UInt8]) -> NamedHash {
        let sha2: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02]
        if name.elementsEqual([0x2b, 0x0e, 0x03, 0x02, 0x1a]) { return .known(.sha1) }
        if name.elementsEqual([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05]) {
            return .named("MD5")
        }
        guard name.count == sha2.count + 1, name.starts(with: sha2) else {
            return .named("an unknown hash")
        }
        return switch name[sha2.count] {
        case 1: .known(.sha256)
        case 2: .known(.sha384)
        case 3: .known(.sha512)
        case 4: .named("SHA-224")
        case 5: .named("SHA-512/224")
        case 6: .named("SHA-512/256")
        case 7...10: .named("SHA-3")
        default: .named("an unknown hash")
        }
    }
}

// MARK: PSS

extension RSABlock {
    /// A PSS block of another text is recognised only if at least this many zero bytes precede the
    /// byte 1 before the salt. Fewer may be chance.
    private static let convincingZeros = 8

    private static func pss(_ block: [UInt8], modulusBits: Int, _ text: [UInt8]) -> RSABlock? {
        guard block.last == 0xbc else { return nil }
        let bits = modulusBits - 1
        // EM is one byte shorter than the modulus if `modulusBits` - 1 is a multiple of 8.
        let encoded = Array(block.suffix((bits + 7) / 8))
        let unused = 8 * encoded.count - bits
        guard encoded.count == block.count || block[0] == 0 else { return nil }
        let top = UInt8(truncatingIfNeeded: 0xff >> unused)
        guard encoded[0] & ~top == 0 else { return nil }
        var likely: RSABlock?
        for hash in [HashAlgorithm.sha256, .sha384, .sha512, .sha1] {
            guard let digest = try? Hash.digest(hash, text.span) else { return nil }
            for mask in [hash] + HashAlgorithm.allCases.filter({ $0 != hash }) {
                let size = hash.digestBytes
                guard encoded.count > size + 2 else { continue }
                let end = encoded.count - size - 1
                let seed = Array(encoded[end..<(end + size)])
                guard var data = unmasked(Array(encoded[..<end]), seed, mask) else { return nil }
                data[0] &= top
                guard let one = data.firstIndex(where: { $0 != 0 }), data[one] == 1 else {
                    continue
                }
                let salt = data[(one + 1)...]
                let message = [UInt8](repeating: 0, count: 8) + digest + salt
                let matches = (try? Hash.digest(hash, message.span)) == seed
                let found = RSABlock.pss(
                    hash: hash, mask: mask, saltBytes: salt.count, matches: matches)
                if matches { return found }
                if one >= convincingZeros, likely == nil { likely = found }
            }
        }
        return likely
    }

    /// Removes the MGF1 mask of a seed (RFC 8017, B.2.1).
    private static func unmasked(
        _ masked: [UInt8], _ seed: [UInt8], _ hash: HashAlgorithm
    ) -> [UInt8]? {
        var out = masked
        var counter: UInt32 = 0
        var index = 0
        while index < out.count {
            let input = seed + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
            guard let block = try? Hash.digest(hash, input.span) else { return nil }
            for byte in block where index < out.count {
                out[index] ^= byte
                index += 1
            }
            counter += 1
        }
        return out
    }
}

extension HashAlgorithm {
    /// The name in FIPS 180-4.
    var shownName: String {
        switch self {
        case .sha1: "SHA-1"
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        }
    }
}
