// EC keys, and octet key pairs (OKP).

package import JOSEBytes
package import JOSECrypto

/// An EC key (RFC 7518, 6.2) or an octet key pair (RFC 8037, 2).
package final class CurveKeyMaterial: KeyMaterial {
    package let curve: JWKCurve
    /// The x coordinate, or the public key of an OKP key, in the curve's exact size.
    package let x: [UInt8]
    /// The y coordinate; empty for an OKP key.
    package let y: [UInt8]
    package let isPrivate: Bool
    private let nativeKey: LazyNativeKey

    package var kind: KeyKind { KeyKind(curve) }
    package var keyType: KeyType { curve.keyType }
    package var sizeBits: Int { curve.sizeBits }

    /// Checks only the sizes. Whether the point is on the curve is checked at the key's first use.
    package init(_ curve: JWKCurve, x: [UInt8], y: [UInt8]) throws(JOSEError) {
        guard x.count == curve.native.sizeBytes, y.count == (curve.native.isEC ? x.count : 0) else {
            throw CurveKeyMaterial.wrongSize
        }
        self.curve = curve
        self.x = x
        self.y = y
        isPrivate = false
        nativeKey = LazyNativeKey()
    }

    /// Checks a private key completely. Empty coordinates are computed.
    package convenience init(
        _ curve: JWKCurve, x: [UInt8], y: [UInt8], d: SecretBytes
    ) throws(JOSEError) {
        let size = curve.native.sizeBytes
        let isAlone = x.isEmpty && y.isEmpty
        guard d.count == size,
            isAlone || (x.count == size && y.count == (curve.native.isEC ? size : 0))
        else { throw CurveKeyMaterial.wrongSize }
        let key: NativeKey
        do {
            key =
                curve.native.isEC
                ? try NativeKey.ecPrivate(curve.native, x: x.span, y: y.span, d: d)
                : try NativeKey.okpPrivate(curve.native, x: x.span, d: d)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
        self.init(key, curve)
    }

    package init(_ key: NativeKey, _ curve: JWKCurve) {
        self.curve = curve
        x = key.publicX()
        y = key.publicY()
        isPrivate = key.isPrivate
        nativeKey = LazyNativeKey(key)
    }

    static let wrongSize = JOSEError.malformed(
        .key, "a coordinate or a private value does not have the size of the curve")

    package func native() throws(JOSEError) -> NativeKey {
        let (x, y) = (self.x, self.y)
        let unusable = JOSEError.keyUnusable("the public key is not a valid point of its curve")
        return try nativeKey.get(unusable: unusable) { () throws(CryptoError) in
            curve.native.isEC
                ? try NativeKey.ecPublic(curve.native, x: x.span, y: y.span)
                : try NativeKey.okpPublic(curve.native, x: x.span)
        }
    }

    package func writePublicMembers(to writer: inout JSONWriter) {
        let (x, y) = (self.x, self.y)
        writer.name("crv")
        writer.string(curve.name)
        writer.name("kty")
        writer.string(keyType.name)
        writer.name("x")
        writer.string(base64URL: x.span)
        guard curve.native.isEC else { return }
        writer.name("y")
        writer.string(base64URL: y.span)
    }

    package func writePrivateMembers(to writer: inout JSONWriter) throws(JOSEError) {
        guard isPrivate else { return }
        try writeSecret("d", to: &writer)
    }

    package func publicMaterial() throws(JOSEError) -> any KeyMaterial {
        isPrivate ? try CurveKeyMaterial(curve, x: x, y: y) : self
    }

    package func hasSamePublicKey(as other: any KeyMaterial) -> Bool {
        guard let other = other as? CurveKeyMaterial else { return false }
        return curve == other.curve && x == other.x && y == other.y
    }
}
