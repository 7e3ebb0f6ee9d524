// Key files for tests: as this library writes them, in PEM, and built by hand.

import JOSE
import JOSECrypto
import Testing

extension JWK {
    /// The bytes of the key's private key file.
    func privateKeyFile(
        _ encoding: JWK.FileEncoding = .der, password: [UInt8]? = nil
    ) throws(JOSEError) -> [UInt8] {
        try withPrivateKeyFile(encoding, password: password) { file in
            file.indices.map { file[$0] }
        }
    }
}

extension KeyText {
    /// The bytes of a member of the private JWK.
    static func bytes(_ key: JWK, _ name: String) throws -> [UInt8] {
        try Array(Independent.base64URL(need(members(key.privateJSON())[name]?.string)))
    }
}

/// The result of reading a key file and preparing each of its keys.
func fileResult(_ bytes: [UInt8], _ limits: JOSELimits = .standard) throws -> String {
    try Rejection.verdict {
        for key in try KeyFileContents(bytes, limits: limits).keys {
            _ = try key.prepared.material.native()
        }
    }
}

extension PKCS12Maker.Encryption {
    /// Encrypted with a thousand iterations.
    static var thousand: Self {
        var encryption = Self()
        encryption.iterations = 1_000
        encryption.iterationBytes = [0x03, 0xe8]
        return encryption
    }
}

extension TestDER {
    /// A PEM block.
    static func pem(_ label: String, _ der: [UInt8]) -> String {
        "-----BEGIN \(label)-----\n\(Independent.standardBase64(der))\n-----END \(label)-----\n"
    }

    static func pemFile(_ label: String, _ der: [UInt8]) -> [UInt8] { Array(pem(label, der).utf8) }
}

/// A value of DER, as a reader takes it apart that does not check the package's.
struct DERValue {
    let tag: UInt8
    let whole: [UInt8]
    let contents: [UInt8]

    func inside() throws -> [DERValue] { try DERValue.all(contents) }

    static func all(_ bytes: [UInt8]) throws -> [DERValue] {
        var values: [DERValue] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            try #require(rest.count >= 2)
            let first = Int(rest[rest.startIndex + 1])
            let size = first > 0x80 ? first - 0x80 : 0
            let start = rest.startIndex + 2 + size
            let digits = size == 0 ? [UInt8(first)] : Array(bytes[(start - size)..<start])
            let count = digits.reduce(0) { $0 << 8 | Int($1) }
            try #require(bytes.count - start >= count)
            let end = start + count
            values.append(
                DERValue(
                    tag: rest[rest.startIndex], whole: Array(rest[..<end]),
                    contents: Array(bytes[start..<end])))
            rest = bytes[end...]
        }
        return values
    }
}

/// SubjectPublicKeyInfo with these contents of its algorithm.
func spki(
    _ algorithm: [UInt8], _ key: [UInt8], unused: UInt8 = 0, tail: [UInt8] = []
) -> [UInt8] {
    TestDER.sequence(
        TestDER.sequence(algorithm) + TestDER.tagged(0x03, [unused] + key) + tail)
}

/// PrivateKeyInfo with these contents of its algorithm.
func pkcs8(
    _ algorithm: [UInt8], _ key: [UInt8], version: UInt8 = 0, tail: [UInt8] = []
) -> [UInt8] {
    TestDER.sequence(
        TestDER.integer([version]) + TestDER.sequence(algorithm) + TestDER.tagged(0x04, key) + tail)
}
