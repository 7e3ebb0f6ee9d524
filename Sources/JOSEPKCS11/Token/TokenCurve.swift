// The curves of tokens, and the encodings of their names and points.

import JOSE
import JOSEBytes
import JOSECrypto

/// A curve that JWK and PKCS#11 both have.
struct TokenCurve: Sendable {
    let curve: JWKCurve
    let type: TokenKeyType
    /// The object identifier in DER (`CKA_EC_PARAMS`).
    let parameters: [UInt8]
    /// The name as a PrintableString in DER, which some tokens use instead of `parameters`
    /// (PKCS#11 3.1, 6.3.3); empty for `EC`.
    let name: [UInt8]
    /// The base point in hexadecimal: `x` and `y`, or the only coordinate; empty if not needed.
    let generator: StaticString

    static let all = [
        TokenCurve(
            .p256, .ec, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07],
            generator: """
                6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296\
                4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5
                """),
        TokenCurve(
            .p384, .ec, [0x2b, 0x81, 0x04, 0x00, 0x22],
            generator: """
                aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a38\
                5502f25dbf55296c3a545e3872760ab73617de4a96262c6f5d9e98bf9292dc29\
                f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f
                """),
        TokenCurve(
            .p521, .ec, [0x2b, 0x81, 0x04, 0x00, 0x23],
            generator: """
                00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d\
                3dbaa14b5e77efe75928fe1dc127a2ffa8de3348b3c1856a429bf97e7e31c2e5\
                bd66011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17\
                273e662c97ee72995ef42640c550b9013fad0761353c7086a272c24088be9476\
                9fd16650
                """),
        TokenCurve(
            .secp256k1, .ec, [0x2b, 0x81, 0x04, 0x00, 0x0a],
            generator: """
                79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798\
                483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8
                """),
        TokenCurve(.ed25519, .edwards, [0x2b, 0x65, 0x70], name: "edwards25519"),
        TokenCurve(.ed448, .edwards, [0x2b, 0x65, 0x71], name: "edwards448"),
        TokenCurve(
            .x25519, .montgomery, [0x2b, 0x65, 0x6e], name: "curve25519",
            generator: """
                0900000000000000000000000000000000000000000000000000000000000000
                """),
        TokenCurve(
            .x448, .montgomery, [0x2b, 0x65, 0x6f], name: "curve448",
            generator: """
                0500000000000000000000000000000000000000000000000000000000000000\
                000000000000000000000000000000000000000000000000
                """),
    ]

    private init(
        _ curve: JWKCurve, _ type: TokenKeyType, _ identifier: [UInt8], name: StaticString = "",
        generator: StaticString = ""
    ) {
        self.curve = curve
        self.type = type
        parameters = [0x06, UInt8(identifier.count)] + identifier
        let text = Array(name.description.utf8)
        self.name = text.isEmpty ? [] : [0x13, UInt8(text.count)] + text
        self.generator = generator
    }

    /// Nil if JWK lacks the curve. Does not tell `.edwards` from `.montgomery`, since some tokens
    /// give X25519 keys the type of Edwards curves.
    static func named(_ parameters: [UInt8], _ type: TokenKeyType) -> TokenCurve? {
        all.first {
            ($0.type == .ec) == (type == .ec)
                && ($0.parameters == parameters || (!$0.name.isEmpty && $0.name == parameters))
        }
    }

    static func of(_ curve: JWKCurve) -> TokenCurve? { all.first { $0.curve == curve } }

    var bytes: Int { curve.native.sizeBytes }

    /// The coordinates in `CKA_EC_POINT`, with or without OCTET STRING; nil for other encodings.
    func coordinates(_ point: [UInt8]) -> [UInt8]? {
        let count = type == .ec ? 1 + 2 * bytes : bytes
        var contents = point[...]
        if point.count != count {
            guard let whole = StrictDER.element(point.span, at: 0, before: point.count),
                whole.tag == 0x04, whole.contents.upperBound == point.count,
                whole.contents.count == count
            else { return nil }
            contents = point[whole.contents]
        }
        guard type == .ec else { return Array(contents) }
        return contents.first == 0x04 ? Array(contents.dropFirst()) : nil
    }

    /// Encodes a point for key agreement: uncompressed (SEC 1, 2.3.3), or the only coordinate.
    func point(_ coordinates: [UInt8]) -> [UInt8] { (type == .ec ? [0x04] : []) + coordinates }

    var generatorCoordinates: [UInt8] {
        let digits = Array(generator.description.utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).map { at in
            TokenCurve.value(digits[at]) << 4 | TokenCurve.value(digits[at + 1])
        }
    }

    private static func value(_ digit: UInt8) -> UInt8 {
        digit >= UInt8(ascii: "a") ? digit - UInt8(ascii: "a") + 10 : digit - UInt8(ascii: "0")
    }
}
