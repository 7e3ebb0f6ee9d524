// Certificates that nobody signed, with parts of any number: what a parser does before a signature
// counts.

enum DER {
    static func tagged(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        let count = contents.count
        if count < 0x80 { return [tag, UInt8(count)] + contents }
        if count < 0x100 { return [tag, 0x81, UInt8(count)] + contents }
        if count < 0x10000 {
            return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xff)] + contents
        }
        return [tag, 0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xff), UInt8(count & 0xff)]
            + contents
    }

    static func repeated(_ unit: [UInt8], _ bytes: Int) -> [UInt8] {
        Array([[UInt8]](repeating: unit, count: max(1, bytes / unit.count)).joined())
    }

    /// A common name of one letter.
    static let attribute = tagged(0x30, [0x06, 0x03, 0x55, 0x04, 0x03, 0x0c, 0x01, 0x61])
    static let name = tagged(0x31, attribute)
    static let host = tagged(0x82, [0x61])
    static let unknownExtension = tagged(0x30, [0x06, 0x03, 0x2a, 0x03, 0x04, 0x04, 0x01, 0x00])

    static func alternativeNames(_ names: [UInt8]) -> [UInt8] {
        tagged(0x30, [0x06, 0x03, 0x55, 0x1d, 0x11] + tagged(0x04, tagged(0x30, names)))
    }

    static func nested(_ bytes: Int) -> [UInt8] {
        var inner: [UInt8] = []
        // Each level adds its own length; as deep as the size allows, in steps that keep this
        // quick.
        let levels = min(bytes / 5, 2_000)
        for _ in 0..<levels { inner = tagged(0x30, inner) }
        return tagged(0x30, inner + [UInt8](repeating: 0, count: max(0, bytes - inner.count - 8)))
    }

    private static let rs256: [UInt8] = [
        0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b, 0x05, 0x00,
    ]
    private static let rsaEncryption: [UInt8] = [
        0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    /// The public key of a certificate: RSA with 2048 bits.
    static let rsaKey: [UInt8] = {
        let modulus: [UInt8] = [0, 0x80] + [UInt8](repeating: 0x55, count: 255)
        let key = tagged(0x30, tagged(0x02, modulus) + [0x02, 0x03, 0x01, 0x00, 0x01])
        return tagged(0x30, rsaEncryption + tagged(0x03, [0] + key))
    }()

    /// One of ML-DSA-44, of so many bytes.
    static func pairKey(_ count: Int) -> [UInt8] {
        let algorithm = tagged(
            0x30, [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x11])
        return tagged(
            0x30, algorithm + tagged(0x03, [0] + [UInt8](repeating: 0x55, count: count)))
    }

    static func certificate(
        names: [UInt8] = name, extensions: [UInt8] = [], key: [UInt8] = rsaKey, signature: Int = 256
    ) -> [UInt8] {
        var body: [UInt8] = [0xa0, 0x03, 0x02, 0x01, 0x02, 0x02, 0x01, 0x01] + rs256
        body += tagged(0x30, name)
        body += tagged(
            0x30,
            tagged(0x17, Array("250101000000Z".utf8)) + tagged(0x17, Array("350101000000Z".utf8)))
        body += tagged(0x30, names)
        body += key
        if !extensions.isEmpty { body += tagged(0xa3, tagged(0x30, extensions)) }
        return tagged(
            0x30,
            tagged(0x30, body) + rs256 + tagged(0x03, [0] + [UInt8](repeating: 1, count: signature))
        )
    }
}
