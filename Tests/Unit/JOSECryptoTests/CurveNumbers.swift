// Elliptic curve keys as numbers that a test may change.

import Foundation
import Testing

@testable import JOSECrypto

/// The numbers of an elliptic curve key. A test changes one and imports the result.
struct CurveNumbers: Sendable, CustomTestStringConvertible {
    var name: String
    var curve: NativeCurve
    var x: [UInt8]
    var y: [UInt8]
    var d: [UInt8]
    var testDescription: String { name }

    static let curves: [String: NativeCurve] = [
        "P-256": .p256, "P-384": .p384, "P-521": .p521, "secp256k1": .secp256k1,
        "Ed25519": .ed25519, "Ed448": .ed448, "X25519": .x25519, "X448": .x448,
    ]

    init(_ jwk: Members, name: String) throws {
        self.name = name
        curve = try #require(CurveNumbers.curves[jwk["crv"] as? String ?? ""])
        x = try base64URL(jwk["x"])
        y = curve.isEC ? try base64URL(jwk["y"]) : []
        d = jwk["d"] == nil ? [] : try base64URL(jwk["d"])
    }

    init(_ key: NativeKey, _ curve: NativeCurve) throws {
        name = "generated \(curve)"
        self.curve = curve
        x = key.publicX()
        y = key.publicY()
        d = try key.secretMember().bytes
    }

    func publicKey() throws(CryptoError) -> NativeKey {
        if curve.isEC { return try NativeKey.ecPublic(curve, x: x.span, y: y.span) }
        guard y.isEmpty else { throw .unusableKey }
        return try NativeKey.okpPublic(curve, x: x.span)
    }

    func privateKey() throws(CryptoError) -> NativeKey {
        let d = SecretBytes(copying: self.d.span)
        if curve.isEC { return try NativeKey.ecPrivate(curve, x: x.span, y: y.span, d: d) }
        return try NativeKey.okpPrivate(curve, x: x.span, d: d)
    }

    /// The published keys with private members, at least one for every curve that has one.
    static func published() throws -> [CurveNumbers] {
        let names = [
            ("rfc7515", "a3-p256"), ("rfc7515", "a4-p521"), ("rfc7515", "other-p384"),
            ("rfc7518", "c-alice-ephemeral"), ("rfc7518", "c-bob"), ("rfc7520", "3-ec-private"),
            ("rfc7520", "5-ec-peregrin"), ("rfc7520", "5-ec-meriadoc"), ("rfc8037", "ed25519"),
            ("rfc8037", "other-x25519"), ("rfc8037", "ephemeral-x25519"),
            ("rfc8037", "other-x448"), ("rfc8037", "ephemeral-x448"),
        ]
        return try names.map { try CurveNumbers(publishedKey($0.1, in: $0.0), name: $0.1) }
    }
}
