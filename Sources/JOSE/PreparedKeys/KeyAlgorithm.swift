// The AlgorithmIdentifiers of keys in DER, from the table `KeyKindEntry.entries`.

import JOSEBytes

/// The AlgorithmIdentifier (RFC 5280, 4.1.1.2) of one kind of key.
final class KeyAlgorithm: Sendable {
    let entry: KeyKindEntry
    /// The contents of the OBJECT IDENTIFIER.
    private let name: [UInt8]
    /// The contents of the curve's OBJECT IDENTIFIER, if the parameters are a named curve.
    private let curveName: [UInt8]?
    let encoded: [UInt8]

    private static let all = KeyKindEntry.entries.compactMap(KeyAlgorithm.init)

    private init?(_ entry: KeyKindEntry) {
        guard let identifier = entry.identifier else { return nil }
        self.entry = entry
        name = DER.identifier(identifier.algorithm)
        var contents = DER.value(DER.identifier, name)
        switch identifier.parameters {
        case .none: curveName = nil
        case .null:
            curveName = nil
            contents += DER.value(DER.null, [])
        case .curve(let curve):
            let bytes = DER.identifier(curve)
            curveName = bytes
            contents += DER.value(DER.identifier, bytes)
        }
        encoded = DER.value(DER.sequence, contents)
    }

    /// The AlgorithmIdentifier in DER; empty for a kind without one.
    static func encoded(_ kind: KeyKind) -> [UInt8] {
        all.first { $0.entry.kind == kind }?.encoded ?? []
    }

    /// Reads the contents of an AlgorithmIdentifier with its parameters. Throws `malformed` for
    /// broken DER, `keyUnusable` for an unsupported key type or curve.
    static func read(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(JOSEError) -> KeyAlgorithm {
        var reader = DERReader(range)
        let name = try reader.next(DER.identifier, bytes)
        guard
            let first = all.first(where: {
                OID.matches(bytes, name, $0.name)
            })
        else {
            if OID.matches(bytes, name, OID.rsaPSS) {
                throw .keyUnusable("found an RSASSA-PSS key; expected a plain RSA key")
            }
            if let known = UnsupportedKeyName.of(bytes, name, among: UnsupportedKeyName.types) {
                throw .keyUnusable("found a {} key, which is not supported", .name(known))
            }
            throw .keyUnusable("found a key of a type that is not supported")
        }
        var found = first
        switch first.entry.identifier?.parameters {
        case .curve: found = try named(&reader, bytes)
        case .null: _ = try reader.next(DER.null, bytes)
        case .some(.none), nil: break
        }
        try reader.finish()
        return found
    }

    /// Reads ECParameters, which must be a named curve (RFC 5480, 2.1.1).
    static func namedCurve(
        _ reader: inout DERReader, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> JWKCurve {
        guard let curve = try named(&reader, bytes).entry.curve else { throw unknownCurve }
        return curve
    }

    private static func named(
        _ reader: inout DERReader, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> KeyAlgorithm {
        guard reader.tag(bytes) != DER.sequence else {
            throw .keyUnusable("found a curve with explicit parameters; expected a named curve")
        }
        let name = try reader.next(DER.identifier, bytes)
        guard
            let found = all.first(where: { algorithm in
                algorithm.curveName.map { OID.matches(bytes, name, $0) } ?? false
            })
        else {
            if let known = UnsupportedKeyName.of(bytes, name, among: UnsupportedKeyName.curves) {
                throw .keyUnusable("the curve {} is not supported", .name(known))
            }
            throw unknownCurve
        }
        return found
    }

    private static let unknownCurve = JOSEError.keyUnusable("the curve is not supported")
}

/// Unsupported key types and curves of common key files, for errors.
private struct UnsupportedKeyName: Sendable {
    let name: StaticString
    let identifier: [UInt8]

    init(_ name: StaticString, _ identifier: StaticString) {
        self.name = name
        self.identifier = DER.identifier(identifier)
    }

    /// RFC 3279, 2.3.2 and 2.3.3; PKCS#3.
    static let types = [
        UnsupportedKeyName("DSA", "1.2.840.10040.4.1"),
        UnsupportedKeyName("Diffie-Hellman", "1.2.840.113549.1.3.1"),
        UnsupportedKeyName("Diffie-Hellman", "1.2.840.10046.2.1"),
    ]

    /// SEC 2, 2.2; RFC 5639, 3; GB/T 32918.5.
    static let curves = [
        UnsupportedKeyName("P-192", "1.2.840.10045.3.1.1"),
        UnsupportedKeyName("P-224", "1.3.132.0.33"),
        UnsupportedKeyName("secp224k1", "1.3.132.0.32"),
        UnsupportedKeyName("brainpoolP256r1", "1.3.36.3.3.2.8.1.1.7"),
        UnsupportedKeyName("brainpoolP384r1", "1.3.36.3.3.2.8.1.1.11"),
        UnsupportedKeyName("brainpoolP512r1", "1.3.36.3.3.2.8.1.1.13"),
        UnsupportedKeyName("SM2", "1.2.156.10197.1.301"),
    ]

    static func of(
        _ bytes: Span<UInt8>, _ name: Range<Int>, among names: [UnsupportedKeyName]
    ) -> StaticString? {
        names.first { OID.matches(bytes, name, $0.identifier) }?.name
    }
}
