// Keys of any type in DER: PKCS#1, PKCS#8, SPKI and SEC 1, read by hand and handed to their type.

import JOSEBytes

/// A SubjectPublicKeyInfo by position (RFC 5280, 4.1).
struct SubjectPublicKey {
    let algorithm: KeyAlgorithm
    /// The public key, without the count of unused bits, which is 0.
    let key: Range<Int>

    /// Reads one whole value. Throws `malformed` for broken DER, `keyUnusable` for another key type.
    init(_ bytes: Span<UInt8>) throws(JOSEError) {
        var whole = DERReader(0..<bytes.count)
        var reader = DERReader(try whole.next(DER.sequence, bytes))
        try whole.finish()
        algorithm = try KeyAlgorithm(bytes, try reader.next(DER.sequence, bytes))
        key = try SubjectPublicKey.bytes(try reader.next(DER.bitString, bytes), bytes)
        try reader.finish()
    }

    /// The contents of a BIT STRING that is a whole number of bytes.
    static func bytes(
        _ bits: Range<Int>, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> Range<Int> {
        guard bits.count > 1, bytes[bits.lowerBound] == 0 else {
            throw .malformed(.key, "the public key is not a whole number of bytes")
        }
        return bits.dropFirst()
    }
}

/// A PrivateKeyInfo or OneAsymmetricKey by position (RFC 5958, 2).
struct PrivateKeyInfo {
    let algorithm: KeyAlgorithm
    /// The private key in the form of its type.
    let key: Range<Int>
    /// The public key that version 2 may carry.
    let publicKey: Range<Int>?

    init(_ bytes: Span<UInt8>) throws(JOSEError) {
        var whole = DERReader(0..<bytes.count)
        var reader = DERReader(try whole.next(DER.sequence, bytes))
        try whole.finish()
        let version = try reader.small(bytes)
        guard version <= 1 else {
            throw .malformed(.key, "the PKCS#8 key has an unknown version")
        }
        algorithm = try KeyAlgorithm(bytes, try reader.next(DER.sequence, bytes))
        key = try reader.next(DER.octetString, bytes)
        // Attributes add nothing.
        if reader.tag(bytes) == 0xa0 { try reader.skip(bytes) }
        if version == 1, reader.tag(bytes) == 0x81 {
            publicKey = try SubjectPublicKey.bytes(try reader.next(0x81, bytes), bytes)
        } else {
            publicKey = nil
        }
        try reader.finish()
    }
}

enum KeyDER {
    /// Reads a public key, the numbers of an SPKI; all of the bytes must be one DER value.
    ///
    /// Throws `malformed` for broken DER, `keyUnusable` for another key type, a size or an inconsistency.
    static func read(
        publicKey bytes: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) -> any KeyMaterial {
        try checkIsOneValue(bytes)
        let info = try SubjectPublicKey(bytes)
        let key = bytes.extracting(info.key)
        switch info.algorithm {
        case .rsa: return try RSAKeyMaterial.read(publicKey: key, limits)
        case .curve(let curve):
            let point = try CurvePoint(curve, key)
            return try CurveKeyMaterial(curve, x: point.x, y: point.y)
        }
    }

    /// Reads a private key, the numbers of a PKCS#8; as above.
    static func read(
        privateKey bytes: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) -> any KeyMaterial {
        try checkIsOneValue(bytes)
        let info = try PrivateKeyInfo(bytes)
        let key = bytes.extracting(info.key)
        switch info.algorithm {
        case .rsa: return try RSAKeyMaterial.read(privateKey: key, limits)
        case .curve(let curve):
            var point: CurvePoint?
            if let range = info.publicKey { point = try CurvePoint(curve, bytes.extracting(range)) }
            return try curve.keyType == .ec
                ? CurveKeyMaterial.read(sec1: key, curve: curve, point: point)
                : CurveKeyMaterial.read(octets: key, curve: curve, point: point)
        }
    }

    static func checkIsOneValue(_ bytes: Span<UInt8>) throws(JOSEError) {
        guard StrictDER.isOneValue(bytes) else {
            throw .malformed(.key, "the key file is not one DER value")
        }
    }
}
