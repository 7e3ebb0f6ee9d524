// EC and OKP keys: import, public numbers, and generation also of AKP keys.

internal import CJOSECrypto

/// A curve of the JOSE registry or a parameter set of ML-DSA.
package struct NativeCurve: Sendable, Hashable {
    let native: jose_curve

    package static let p256 = NativeCurve(native: .JOSE_P256)
    package static let p384 = NativeCurve(native: .JOSE_P384)
    package static let p521 = NativeCurve(native: .JOSE_P521)
    package static let secp256k1 = NativeCurve(native: .JOSE_SECP256K1)
    package static let ed25519 = NativeCurve(native: .JOSE_ED25519)
    package static let ed448 = NativeCurve(native: .JOSE_ED448)
    package static let x25519 = NativeCurve(native: .JOSE_X25519)
    package static let x448 = NativeCurve(native: .JOSE_X448)
    package static let mlDSA44 = NativeCurve(native: .JOSE_ML_DSA_44)
    package static let mlDSA65 = NativeCurve(native: .JOSE_ML_DSA_65)
    package static let mlDSA87 = NativeCurve(native: .JOSE_ML_DSA_87)

    package static let curves = [p256, p384, p521, secp256k1, ed25519, ed448, x25519, x448]
    package static let parameterSets = [mlDSA44, mlDSA65, mlDSA87]

    /// The size in bytes of a coordinate, an OKP or AKP public key, or an EC or OKP private key.
    package var sizeBytes: Int { jose_curve_bytes(native) }

    /// Whether keys have two coordinates (RFC 7518, 6.2) rather than one (RFC 8037, 2).
    package var isEC: Bool { jose_curve_type(native) == .JOSE_KEY_EC }
}

extension NativeKey {
    /// Throws `unusableKey` for a wrong size, a coordinate not below p, or a point off the curve.
    package static func ecPublic(
        _ curve: NativeCurve, x: Span<UInt8>, y: Span<UInt8>
    ) throws(CryptoError) -> NativeKey {
        var key: OpaquePointer?
        try check(
            unsafe x.withPointer { x, xCount in
                unsafe y.withPointer { y, yCount in
                    unsafe jose_ec_public(&key, curve.native, x, xCount, y, yCount)
                }
            })
        return try unsafe owned(key, .curve(curve))
    }

    /// Computes empty coordinates, except with the FIPS provider. Throws `unusableKey` as for a
    /// public key, for d outside 1..<n, and for coordinates that do not match d.
    package static func ecPrivate(
        _ curve: NativeCurve, x: Span<UInt8>, y: Span<UInt8>, d: SecretBytes
    ) throws(CryptoError) -> NativeKey {
        var key: OpaquePointer?
        let status = unsafe x.withPointer { x, xCount in
            unsafe y.withPointer { y, yCount in
                d.withSpan { d in
                    unsafe d.withPointer { d, dCount in
                        unsafe jose_ec_private(
                            &key, curve.native, x, xCount, y, yCount, d, dCount)
                    }
                }
            }
        }
        try check(status)
        return try unsafe owned(key, .curve(curve))
    }

    /// Throws `unusableKey` for a wrong size, a non-canonical encoding, a point of small order, and
    /// for Ed25519 and Ed448 a point off the curve. Without the FIPS provider also for an Ed25519
    /// point outside the base point's subgroup.
    package static func okpPublic(
        _ curve: NativeCurve, x: Span<UInt8>
    ) throws(CryptoError) -> NativeKey {
        var key: OpaquePointer?
        try check(
            unsafe x.withPointer { x, xCount in
                unsafe jose_okp_public(&key, curve.native, x, xCount)
            })
        return try unsafe owned(key, .curve(curve))
    }

    /// An empty x is computed. Throws `unusableKey` for a wrong size, or x that does not match d.
    package static func okpPrivate(
        _ curve: NativeCurve, x: Span<UInt8>, d: SecretBytes
    ) throws(CryptoError) -> NativeKey {
        var key: OpaquePointer?
        let status = unsafe x.withPointer { x, xCount in
            d.withSpan { d in
                unsafe d.withPointer { d, dCount in
                    unsafe jose_okp_private(&key, curve.native, x, xCount, d, dCount)
                }
            }
        }
        try check(status)
        return try unsafe owned(key, .curve(curve))
    }

    package static func generate(
        _ curve: NativeCurve, in module: CryptoModule = .process
    ) throws(CryptoError) -> NativeKey {
        var key: OpaquePointer?
        let status =
            switch jose_curve_type(curve.native) {
            case .JOSE_KEY_EC: unsafe jose_ec_generate(&key, module.native, curve.native)
            case .JOSE_KEY_AKP: unsafe jose_akp_generate(&key, module.native, curve.native)
            default: unsafe jose_okp_generate(&key, module.native, curve.native)
            }
        try check(status)
        return try unsafe owned(key, .curve(curve))
    }

    /// The first coordinate, or the public key of OKP, in the curve's exact size.
    package func publicX() -> [UInt8] { publicNumber(0) }

    package func publicY() -> [UInt8] { publicNumber(1) }
}
