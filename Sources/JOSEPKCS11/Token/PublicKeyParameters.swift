// The public key parameters in an object of a token; missing attributes are nil.

import JOSE
import JOSEBytes

struct PublicKeyParameters {
    let type: TokenKeyType
    let modulus, exponent, curve, point: [UInt8]?

    /// Reads a public key object; nil for a key type that JWK does not have.
    static func read(
        _ object: UInt64, _ module: PKCS11Module, in session: UInt64
    ) throws(PKCS11Error) -> PublicKeyParameters? {
        guard let type = try module.keyType(of: object, in: session) else { return nil }
        let isRSA = type == .rsa
        return PublicKeyParameters(
            type: type,
            modulus: isRSA ? try module.read(.modulus, of: object, in: session) : nil,
            exponent: isRSA ? try module.read(.exponent, of: object, in: session) : nil,
            curve: isRSA ? nil : try module.read(.curve, of: object, in: session),
            point: isRSA ? nil : try module.read(.point, of: object, in: session))
    }

    /// The public key; nil if the modulus, exponent, curve or point is missing. Throws
    /// `keyUnusable` if it is invalid, or if its curve is not one of JWK.
    func publicKey() throws(JOSEError) -> JWK? {
        if type == .rsa {
            guard let modulus, let exponent else { return nil }
            return JWK(
                try RSAKeyMaterial(
                    modulus: PublicKeyParameters.minimal(modulus),
                    exponent: PublicKeyParameters.minimal(exponent),
                    limits: .standard))
        }
        guard let curve else { return nil }
        guard let entry = TokenCurve.named(curve, type) else {
            throw .keyUnusable("the PKCS#11 key is on a curve that JWK does not have")
        }
        guard let point else { return nil }
        guard let coordinates = entry.coordinates(point) else {
            throw .keyUnusable("the PKCS#11 token returned an invalid point (CKA_EC_POINT)")
        }
        let y = entry.type == .ec ? Array(coordinates.dropFirst(entry.bytes)) : []
        return JWK(
            try CurveKeyMaterial(entry.curve, x: Array(coordinates.prefix(entry.bytes)), y: y))
    }

    /// Whether the parameters are those of `key`; false if attributes are missing.
    func isKey(_ key: JWK) -> Bool {
        guard let own = try? publicKey()?.thumbprint(), let other = try? key.thumbprint() else {
            return false
        }
        return own.isExactly(other)
    }

    /// Removes leading zeros, which some tokens add.
    static func minimal(_ number: [UInt8]) -> [UInt8] { Array(number.drop { $0 == 0 }) }
}

extension JWK {
    /// Whether a certificate has this key; false if `der` is not a certificate.
    func isKey(ofCertificate der: [UInt8]) -> Bool {
        guard let outline = try? CertificateOutline(der.span) else { return false }
        return prepared.material.isKey(inSPKI: der.span.extracting(outline.publicKey))
    }
}
