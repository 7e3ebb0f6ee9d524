// The DER prefixes of DigestInfo, for RSASSA-PKCS1-v1_5 (RFC 8017, 9.2).

import JOSECrypto

enum DigestInfo {
    static func prefix(_ hash: HashAlgorithm) -> [UInt8] {
        switch hash {
        case .sha1:
            [
                0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0x00, 0x04,
                0x14,
            ]
        case .sha256: sha2(1, 32)
        case .sha384: sha2(2, 48)
        case .sha512: sha2(3, 64)
        }
    }

    private static func sha2(_ arc: UInt8, _ size: UInt8) -> [UInt8] {
        [
            0x30, 0x11 + size, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04,
            0x02, arc, 0x05, 0x00, 0x04, size,
        ]
    }
}
