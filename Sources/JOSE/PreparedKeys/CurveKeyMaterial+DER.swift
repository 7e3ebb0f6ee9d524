// EC and OKP keys in DER: SPKI, PKCS#8 and SEC 1.

import JOSEBytes
package import JOSECrypto

/// An uncompressed point (SEC 1, 2.3.3), or the octets of an OKP key (RFC 8410, 4).
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
    /// Reads an ECPrivateKey (RFC 5915, 3). `curve` and `point` come from a PKCS#8 structure around
    /// it. The curve and point in the ECPrivateKey, if any, must be the same.
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
            let found = try KeyAlgorithm.namedCurve(&inner, bytes)
            try inner.finish()
            guard curve == nil || curve == found else {
                throw .keyUnusable("the key names two different curves")
            }
            named = found
        }
        guard let named else { throw .malformed(.key, "the elliptic curve key names no curve") }
        var publicPoint = point
        if reader.tag(bytes) == 0xa1 {
            var inner = DERReader(try reader.next(0xa1, bytes))
            let bits = try inner.next(DER.bitString, bytes)
            try inner.finish()
            let found = try CurvePoint(
                named, bytes.extracting(try SubjectPublicKey.bytes(bits, bytes)))
            guard point == nil || point == found else {
                throw .keyUnusable("the key holds two different public keys")
            }
            publicPoint = found
        }
        try reader.finish()
        return try CurveKeyMaterial(
            named, x: publicPoint?.x ?? [], y: publicPoint?.y ?? [], d: d)
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
        if !y.isEmpty { out.append(CurvePoint.uncompressed) }
        out.append(copying: x.span)
        out.append(copying: y.span)
    }

    /// SubjectPublicKeyInfo (RFC 5480, 2; RFC 8410, 4).
    package func publicDER() -> [UInt8] {
        SubjectPublicKey.encoded(kind, byteCount: pointBytes, appendPoint)
    }

    /// PrivateKeyInfo v1 (RFC 5958, 2): a CurvePrivateKey, or an ECPrivateKey with its public key.
    package func privateDER() throws(JOSEError) -> SecretBytes {
        let d = try secretToWrite()
        let isEC = curve.native.isEC
        let privateSize = DER.size(d.count)
        let pointSize = DER.size(1 + pointBytes)
        let keySize = 3 + privateSize + DER.size(pointSize)
        return PrivateKeyInfo.encoded(kind, byteCount: isEC ? DER.size(keySize) : privateSize) {
            out in
            if isEC {
                DER.append(DER.sequence, keySize, to: &out)
                out.append(copying: ([DER.integer, 1, 1] as [UInt8]).span)
            }
            DER.append(DER.octetString, d.count, to: &out)
            d.withSpan { out.append(copying: $0) }
            guard isEC else { return }
            DER.append(0xa1, pointSize, to: &out)
            SubjectPublicKey.append(byteCount: pointBytes, to: &out, appendPoint)
        }
    }
}
