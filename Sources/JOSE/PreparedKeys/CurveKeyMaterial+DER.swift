// Keys on curves in DER: SPKI, PKCS#8 and SEC 1, read and written by hand.

import JOSEBytes
package import JOSECrypto

/// A public key as a BIT STRING holds it: an uncompressed point (SEC 1, 2.3.3), or the octets of RFC 8410.
struct CurvePoint: Equatable {
    static let uncompressed: UInt8 = 0x04

    let x: [UInt8]
    let y: [UInt8]

    /// Throws `keyUnusable` for a compressed point, `malformed` for another size.
    init(_ curve: JWKCurve, _ bytes: Span<UInt8>) throws(JOSEError) {
        let size = curve.native.sizeBytes
        guard curve.native.isEC else {
            guard bytes.count == size else { throw CurveKeyMaterial.wrongSize }
            x = bytes.indices.map { bytes[$0] }
            y = []
            return
        }
        guard bytes.count == 1 + 2 * size, bytes[0] == CurvePoint.uncompressed else {
            if bytes.count == 1 + size, bytes[0] == 0x02 || bytes[0] == 0x03 {
                throw .keyUnusable("found a compressed point; expected an uncompressed one")
            }
            throw CurveKeyMaterial.wrongSize
        }
        x = (1...size).map { bytes[$0] }
        y = (size + 1..<bytes.count).map { bytes[$0] }
    }
}

extension CurveKeyMaterial {
    /// Reads an ECPrivateKey (RFC 5915, 3); `curve` and `point` are what stands around it, and must agree with it.
    static func read(
        sec1 bytes: Span<UInt8>, curve: JWKCurve?, point: CurvePoint?
    ) throws(JOSEError) -> CurveKeyMaterial {
        var whole = DERReader(0..<bytes.count)
        var reader = DERReader(try whole.next(DER.sequence, bytes))
        try whole.finish()
        guard try reader.small(bytes) == 1 else {
            throw .malformed(.key, "the elliptic curve key has an unknown version")
        }
        let d = SecretBytes(copying: bytes.extracting(try reader.next(DER.octetString, bytes)))
        var named = curve
        if reader.tag(bytes) == 0xa0 {
            var inner = DERReader(try reader.next(0xa0, bytes))
            let own = try KeyAlgorithm.namedCurve(&inner, bytes)
            try inner.finish()
            guard curve == nil || curve == own else {
                throw .keyUnusable("the key names two curves")
            }
            named = own
        }
        guard let named else { throw .malformed(.key, "the elliptic curve key names no curve") }
        var own = point
        if reader.tag(bytes) == 0xa1 {
            var inner = DERReader(try reader.next(0xa1, bytes))
            let bits = try inner.next(DER.bitString, bytes)
            try inner.finish()
            let found = try CurvePoint(
                named, bytes.extracting(try SubjectPublicKey.bytes(bits, bytes)))
            guard point == nil || point == found else {
                throw .keyUnusable("the key holds two public keys")
            }
            own = found
        }
        try reader.finish()
        return try CurveKeyMaterial(named, x: own?.x ?? [], y: own?.y ?? [], d: d)
    }

    /// Reads a CurvePrivateKey (RFC 8410, 7).
    static func read(
        octets bytes: Span<UInt8>, curve: JWKCurve, point: CurvePoint?
    ) throws(JOSEError) -> CurveKeyMaterial {
        var reader = DERReader(0..<bytes.count)
        let d = SecretBytes(copying: bytes.extracting(try reader.next(DER.octetString, bytes)))
        try reader.finish()
        return try CurveKeyMaterial(curve, x: point?.x ?? [], y: [], d: d)
    }
}

extension CurveKeyMaterial {
    private var pointBytes: Int { (curve.native.isEC ? 1 : 0) + x.count + y.count }

    private func appendPoint(to out: inout OutputSpan<UInt8>) {
        let (x, y) = (self.x, self.y)
        DER.append(DER.bitString, 1 + pointBytes, to: &out)
        out.append(0)
        if !y.isEmpty { out.append(CurvePoint.uncompressed) }
        out.append(copying: x.span)
        out.append(copying: y.span)
    }

    /// SubjectPublicKeyInfo (RFC 5480, 2; RFC 8410, 4).
    package func publicDER() -> [UInt8] {
        let algorithm = KeyAlgorithm.encoded(kind)
        let whole = algorithm.count + DER.size(1 + pointBytes)
        return [UInt8](capacity: DER.size(whole)) { out in
            DER.append(DER.sequence, whole, to: &out)
            out.append(copying: algorithm.span)
            appendPoint(to: &out)
        }
    }

    /// PrivateKeyInfo, version 0 (RFC 5958, 2), around an ECPrivateKey with its public key or a CurvePrivateKey.
    package func privateDER() throws(JOSEError) -> SecretBytes {
        guard isPrivate else { throw .keyUnusable("the private part is not here") }
        let d = try secretMember()
        let isEC = curve.native.isEC
        let algorithm = KeyAlgorithm.encoded(kind)
        let point = DER.size(1 + pointBytes)
        let octets = DER.size(d.count)
        let numbers = 3 + octets + DER.size(point)
        let inner = isEC ? DER.size(numbers) : octets
        let whole = 3 + algorithm.count + DER.size(inner)
        return SecretBytes(count: DER.size(whole)) { out in
            DER.append(DER.sequence, whole, to: &out)
            out.append(copying: ([DER.integer, 1, 0] as [UInt8]).span)
            out.append(copying: algorithm.span)
            DER.append(DER.octetString, inner, to: &out)
            if isEC {
                DER.append(DER.sequence, numbers, to: &out)
                out.append(copying: ([DER.integer, 1, 1] as [UInt8]).span)
            }
            DER.append(DER.octetString, d.count, to: &out)
            d.withSpan { out.append(copying: $0) }
            guard isEC else { return }
            DER.append(0xa1, point, to: &out)
            appendPoint(to: &out)
        }
    }

    /// There is one encoding of a key: compressed points are another key to us.
    package func isKey(inSPKI bytes: Span<UInt8>) -> Bool {
        let own = publicDER()
        return equal(bytes, own.span)
    }
}
