// The numbers of a public key, as an object of a token has them.

import JOSE
import JOSEBytes

/// What an object says of a public key; nil for what it does not say.
struct KeyNumbers {
    let type: TokenKeyType
    let modulus, exponent, curve, point: [UInt8]?

    /// Reads the object of a public key; nil for a type that no JWK has.
    static func read(
        _ object: UInt64, _ module: PKCS11Module, in session: UInt64
    ) throws(PKCS11Error) -> KeyNumbers? {
        guard let type = try module.keyType(of: object, in: session) else { return nil }
        let isRSA = type == .rsa
        return KeyNumbers(
            type: type,
            modulus: isRSA ? try module.read(.modulus, of: object, in: session) : nil,
            exponent: isRSA ? try module.read(.exponent, of: object, in: session) : nil,
            curve: isRSA ? nil : try module.read(.curve, of: object, in: session),
            point: isRSA ? nil : try module.read(.point, of: object, in: session))
    }

    /// The key of the numbers; nil where they are not all there.
    ///
    /// - Throws: `keyUnusable` for numbers that are no key here.
    func publicKey() throws(JOSEError) -> JWK? {
        if type == .rsa {
            guard let modulus, let exponent else { return nil }
            return JWK(
                try RSAKeyMaterial(
                    modulus: KeyNumbers.minimal(modulus), exponent: KeyNumbers.minimal(exponent),
                    limits: .standard))
        }
        guard let curve, let row = TokenCurve.named(curve, type) else {
            throw .keyUnusable("the PKCS#11 key is on a curve that no JWK has")
        }
        guard let point else { return nil }
        guard let coordinates = row.coordinates(point) else {
            throw .keyUnusable("the PKCS#11 token tells a point that is none")
        }
        let y = row.type == .ec ? Array(coordinates.dropFirst(row.bytes)) : []
        return JWK(
            try CurveKeyMaterial(row.curve, x: Array(coordinates.prefix(row.bytes)), y: y))
    }

    /// Whether they are the numbers of this key; false where they are not all there.
    func isKey(_ key: JWK) -> Bool {
        guard let own = try? publicKey()?.thumbprint(), let other = try? key.thumbprint() else {
            return false
        }
        return own.isExactly(other)
    }

    /// A number without the zeros that some tokens put in front.
    static func minimal(_ number: [UInt8]) -> [UInt8] { Array(number.drop { $0 == 0 }) }
}

extension JWK {
    /// Whether a certificate holds this key; false for what is no certificate.
    func isKey(ofCertificate der: [UInt8]) -> Bool {
        guard let outline = try? CertificateOutline(der.span) else { return false }
        return prepared.material.isKey(inSPKI: der.span.extracting(outline.publicKey))
    }
}
