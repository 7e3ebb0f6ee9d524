// Keys of unsupported types and curves: the error names them.

import JOSE
import Testing

@Suite("Key files of unsupported key types and curves")
struct UnsupportedKeyTests {
    private static let ec: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]

    private static func identifier(_ bytes: [UInt8]) -> [UInt8] { TestDER.tagged(0x06, bytes) }

    /// SubjectPublicKeyInfo and PrivateKeyInfo with these contents of the AlgorithmIdentifier.
    private static func files(_ algorithm: [UInt8]) -> [[UInt8]] {
        [
            spki(algorithm, [UInt8](repeating: 4, count: 57)),
            pkcs8(algorithm, [0x30, 0]),
        ]
    }

    @Test(
        "a key type is named",
        arguments: [
            ("DSA", [0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01]),
            ("Diffie-Hellman", [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x03, 0x01]),
            ("Diffie-Hellman", [0x2a, 0x86, 0x48, 0xce, 0x3e, 0x02, 0x01]),
            ("type", [0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x02]),
        ] as [(String, [UInt8])])
    func type(_ name: String, _ bytes: [UInt8]) {
        for file in Self.files(Self.identifier(bytes)) {
            expectRejection("key-unusable", name, says: name) { _ = try KeyFileContents(file) }
        }
    }

    @Test(
        "a curve is named",
        arguments: [
            ("P-192", [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x01]),
            ("P-224", [0x2b, 0x81, 0x04, 0x00, 0x21]),
            ("secp224k1", [0x2b, 0x81, 0x04, 0x00, 0x20]),
            ("brainpoolP256r1", [0x2b, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x07]),
            ("brainpoolP384r1", [0x2b, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x0b]),
            ("brainpoolP512r1", [0x2b, 0x24, 0x03, 0x03, 0x02, 0x08, 0x01, 0x01, 0x0d]),
            ("SM2", [0x2a, 0x81, 0x1c, 0xcf, 0x55, 0x01, 0x82, 0x2d]),
            ("curve", [0x2b, 0x81, 0x04, 0x00, 0x01]),
        ] as [(String, [UInt8])])
    func curve(_ name: String, _ bytes: [UInt8]) {
        for file in Self.files(Self.identifier(Self.ec) + Self.identifier(bytes)) {
            expectRejection("key-unusable", name, says: name) { _ = try KeyFileContents(file) }
        }
    }
}
