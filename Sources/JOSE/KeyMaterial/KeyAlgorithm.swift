// The algorithm identifiers of keys in DER: RSA, named curves, octet key pairs.

import JOSEBytes

/// What an AlgorithmIdentifier (RFC 5280, 4.1.1.2) says of a key.
enum KeyAlgorithm: Equatable {
    case rsa
    case curve(JWKCurve)

    /// The object identifiers of the curves; those of octet key pairs name the key type besides (RFC 5480, 2.1.1.1;
    /// SEC 2; RFC 8410, 3).
    private static let curves: [(curve: JWKCurve, identifier: [UInt8])] = [
        (.p256, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]),
        (.p384, [0x2b, 0x81, 0x04, 0x00, 0x22]),
        (.p521, [0x2b, 0x81, 0x04, 0x00, 0x23]),
        (.secp256k1, [0x2b, 0x81, 0x04, 0x00, 0x0a]),
        (.x25519, [0x2b, 0x65, 0x6e]),
        (.x448, [0x2b, 0x65, 0x6f]),
        (.ed25519, [0x2b, 0x65, 0x70]),
        (.ed448, [0x2b, 0x65, 0x71]),
    ]

    /// Reads the contents of an AlgorithmIdentifier, parameters included.
    ///
    /// Throws `malformed` for broken DER, `keyUnusable` for another key type or curve.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(JOSEError) {
        var reader = DERReader(range)
        let name = try reader.next(DER.identifier, bytes)
        if AlgorithmIdentifier.matches(bytes, name, AlgorithmIdentifier.rsa) {
            _ = try reader.next(DER.null, bytes)
            self = .rsa
        } else if AlgorithmIdentifier.matches(bytes, name, AlgorithmIdentifier.elliptic) {
            self = .curve(try KeyAlgorithm.namedCurve(&reader, bytes))
        } else if let curve = KeyAlgorithm.curve(bytes, name), curve.keyType == .okp {
            self = .curve(curve)
        } else if AlgorithmIdentifier.matches(bytes, name, AlgorithmIdentifier.rsaPSS) {
            throw .keyUnusable("found an RSASSA-PSS key; expected a plain RSA key")
        } else {
            throw .keyUnusable("found a key of a type that is not supported")
        }
        try reader.finish()
    }

    /// ECParameters: a name and nothing else (RFC 5480, 2.1.1).
    static func namedCurve(
        _ reader: inout DERReader, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> JWKCurve {
        guard reader.tag(bytes) != DER.sequence else {
            throw .keyUnusable("found a curve with explicit parameters; expected a named curve")
        }
        let name = try reader.next(DER.identifier, bytes)
        guard let curve = curve(bytes, name), curve.keyType == .ec else {
            throw .keyUnusable("the curve is not supported")
        }
        return curve
    }

    private static func curve(_ bytes: Span<UInt8>, _ name: Range<Int>) -> JWKCurve? {
        curves.first { AlgorithmIdentifier.matches(bytes, name, $0.identifier) }?.curve
    }

    /// The whole AlgorithmIdentifier.
    var encoded: [UInt8] {
        switch self {
        case .rsa:
            return KeyAlgorithm.sequence([KeyAlgorithm.rsaName, [DER.null, 0x00]])
        case .curve(let curve):
            let name = KeyAlgorithm.curves.first { $0.curve == curve }?.identifier ?? []
            let own = KeyAlgorithm.value(DER.identifier, name)
            guard curve.keyType == .ec else { return KeyAlgorithm.sequence([own]) }
            return KeyAlgorithm.sequence([KeyAlgorithm.ellipticName, own])
        }
    }

    private static let rsaName = value(DER.identifier, AlgorithmIdentifier.rsa)
    private static let ellipticName = value(DER.identifier, AlgorithmIdentifier.elliptic)

    private static func sequence(_ parts: [[UInt8]]) -> [UInt8] {
        value(DER.sequence, Array(parts.joined()))
    }

    private static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
        [UInt8](capacity: DER.size(contents.count)) { out in
            DER.append(tag, contents.count, to: &out)
            out.append(copying: contents.span)
        }
    }
}
