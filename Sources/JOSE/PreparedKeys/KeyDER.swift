// Reads and writes keys in DER: SPKI and PKCS#8, with the contents of each key type.

import JOSEBytes
import JOSECrypto

/// A SubjectPublicKeyInfo (RFC 5280, 4.1).
struct SubjectPublicKey {
    let algorithm: KeyAlgorithm
    /// The range of the public key in the input, without the BIT STRING's count of unused bits.
    let key: Range<Int>

    /// Throws `malformed` unless `bytes` is one such value, `keyUnusable` for an unsupported type.
    init(_ bytes: Span<UInt8>) throws(JOSEError) {
        var whole = DERReader(0..<bytes.count)
        var reader = DERReader(try whole.next(DER.sequence, bytes))
        try whole.finish()
        algorithm = try KeyAlgorithm.read(bytes, try reader.next(DER.sequence, bytes))
        key = try SubjectPublicKey.bytes(try reader.next(DER.bitString, bytes), bytes)
        try reader.finish()
    }

    /// Returns the range of the bytes in a BIT STRING, which must have no unused bits.
    static func bytes(
        _ bits: Range<Int>, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> Range<Int> {
        guard bits.count > 1, bytes[bits.lowerBound] == 0 else {
            throw .malformed(.key, "the public key is not a whole number of bytes")
        }
        return bits.dropFirst()
    }

    /// Writes a SubjectPublicKeyInfo. `key` appends `byteCount` bytes.
    static func encoded(
        _ kind: KeyKind, byteCount: Int, _ key: (inout OutputSpan<UInt8>) -> Void
    ) -> [UInt8] {
        let algorithm = KeyAlgorithm.encoded(kind)
        let count = algorithm.count + DER.size(1 + byteCount)
        return [UInt8](capacity: DER.size(count)) { out in
            DER.append(DER.sequence, count, to: &out)
            out.append(copying: algorithm.span)
            append(byteCount: byteCount, to: &out, key)
        }
    }

    static func append(
        byteCount: Int, to out: inout OutputSpan<UInt8>,
        _ key: (inout OutputSpan<UInt8>) -> Void
    ) {
        DER.append(DER.bitString, 1 + byteCount, to: &out)
        out.append(0)
        key(&out)
    }
}

/// A PrivateKeyInfo or OneAsymmetricKey (RFC 5958, 2).
struct PrivateKeyInfo {
    let algorithm: KeyAlgorithm
    /// The range of the private key in the input, in the format of its type.
    let key: Range<Int>
    /// The range of the public key, which only v2 (version number 1) may have.
    let publicKey: Range<Int>?

    init(_ bytes: Span<UInt8>) throws(JOSEError) {
        var whole = DERReader(0..<bytes.count)
        var reader = DERReader(try whole.next(DER.sequence, bytes))
        try whole.finish()
        let version = try reader.small(bytes)
        guard version <= 1 else {
            throw .malformed(.key, "the PKCS#8 key has an unknown version")
        }
        algorithm = try KeyAlgorithm.read(bytes, try reader.next(DER.sequence, bytes))
        key = try reader.next(DER.octetString, bytes)
        // Attributes are ignored.
        if reader.tag(bytes) == 0xa0 { try reader.skip(bytes) }
        if version == 1, reader.tag(bytes) == 0x81 {
            publicKey = try SubjectPublicKey.bytes(try reader.next(0x81, bytes), bytes)
        } else {
            publicKey = nil
        }
        try reader.finish()
    }

    /// Writes a PrivateKeyInfo of v1 (version number 0). `key` appends `byteCount` bytes.
    static func encoded(
        _ kind: KeyKind, byteCount: Int, _ key: (inout OutputSpan<UInt8>) -> Void
    ) -> SecretBytes {
        let algorithm = KeyAlgorithm.encoded(kind)
        let count = 3 + algorithm.count + DER.size(byteCount)
        return SecretBytes(count: DER.size(count)) { out in
            DER.append(DER.sequence, count, to: &out)
            out.append(copying: ([DER.integer, 1, 0] as [UInt8]).span)
            out.append(copying: algorithm.span)
            DER.append(DER.octetString, byteCount, to: &out)
            key(&out)
        }
    }
}

extension KeyMaterial {
    /// Throws `keyUnusable` for a public key.
    func secretToWrite() throws(JOSEError) -> SecretBytes {
        try checkHasPrivatePart()
        return try secretMember()
    }

    func checkHasPrivatePart() throws(JOSEError) {
        guard isPrivate else { throw .keyUnusable("a public key has no private key file") }
    }
}

enum KeyDER {
    /// Reads a public key from SPKI, exactly one DER value. Throws `malformed` for broken DER or
    /// the wrong length of a curve or AKP key, `keyUnusable` for other types or wrong numbers.
    static func read(
        publicKey bytes: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) -> any KeyMaterial {
        try checkIsOneValue(bytes)
        let info = try SubjectPublicKey(bytes)
        let key = bytes.extracting(info.key)
        let entry = info.algorithm.entry
        switch entry.type {
        case .rsa: return try RSAKeyMaterial.read(publicKey: key, limits)
        case .akp: return try AKPKeyMaterial(parameterSet(entry), pub: [UInt8](copying: key))
        default:
            guard let curve = entry.curve else { throw unsupported }
            let point = try CurvePoint(curve, key)
            return try CurveKeyMaterial(curve, x: point.x, y: point.y)
        }
    }

    /// Reads a private key from PKCS#8. Throws as for a public key.
    static func read(
        privateKey bytes: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) -> any KeyMaterial {
        try checkIsOneValue(bytes)
        let info = try PrivateKeyInfo(bytes)
        let key = bytes.extracting(info.key)
        let entry = info.algorithm.entry
        switch entry.type {
        case .rsa: return try RSAKeyMaterial.read(privateKey: key, limits)
        case .akp:
            return try AKPKeyMaterial.read(
                privateKey: key, parameterSet(entry),
                pub: info.publicKey.map { [UInt8](copying: bytes.extracting($0)) } ?? [])
        default:
            guard let curve = entry.curve else { throw unsupported }
            var point: CurvePoint?
            if let range = info.publicKey {
                point = try CurvePoint(curve, bytes.extracting(range))
            }
            return entry.type == .ec
                ? try CurveKeyMaterial.read(sec1: key, curve: curve, point: point)
                : try CurveKeyMaterial.read(octets: key, curve: curve, point: point)
        }
    }

    private static let unsupported = JOSEError.keyUnusable(
        "found a key of a type that is not supported")

    private static func parameterSet(_ entry: KeyKindEntry) throws(JOSEError) -> AKPParameterSet {
        guard let set = AKPParameterSet.of(entry.kind) else { throw unsupported }
        return set
    }

    static func checkIsOneValue(_ bytes: Span<UInt8>) throws(JOSEError) {
        guard StrictDER.isOneValue(bytes) else {
            throw .malformed(.key, "the key file is not one DER value")
        }
    }
}
