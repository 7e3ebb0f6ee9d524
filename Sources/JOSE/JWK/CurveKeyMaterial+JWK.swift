// Reads EC keys and OKP keys (octet key pairs) from JWK members.

package import JOSEBytes
import JOSECrypto

extension CurveKeyMaterial {
    /// Reads a key (RFC 7518, 6.2; RFC 8037, 2).
    package static func read(
        _ type: KeyType, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> CurveKeyMaterial {
        let curve = try readCurve(type, members, text, tree)
        guard let x = try JWKFields.bytes(.x, members, text, tree) else { throw missing(.x, type) }
        let y = try JWKFields.bytes(.y, members, text, tree)
        try checkMembers(type, hasY: y != nil)
        let d = try JWKFields.secret(.d, members, text, tree)
        // `CurveKeyMaterial` computes coordinates that are empty, but a JWK must have them.
        try checkSize(.x, x.count, curve)
        if let y { try checkSize(.y, y.count, curve) }
        if let d { try checkSize(.d, d.count, curve) }
        do throws(JOSEError) {
            guard let d else { return try CurveKeyMaterial(curve, x: x, y: y ?? []) }
            return try CurveKeyMaterial(curve, x: x, y: y ?? [], d: d)
        } catch {
            throw KeyDefect(.d, error)
        }
    }

    static func checkShape(
        _ type: KeyType, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> KeyKind {
        let curve = try readCurve(type, members, text, tree)
        guard let x = try JWKFields.base64URLRange(.x, members, tree) else {
            throw missing(.x, type)
        }
        let y = try JWKFields.base64URLRange(.y, members, tree)
        try checkMembers(type, hasY: y != nil)
        try checkSize(.x, JWKFields.byteCount(.x, text.extracting(x)), curve)
        if let y { try checkSize(.y, JWKFields.byteCount(.y, text.extracting(y)), curve) }
        return KeyKind(curve)
    }

    /// Requires the exact size, so that each number has only one encoding (RFC 7518, 6.2.1.2).
    static func checkSize(
        _ member: JWKMember, _ count: Int, _ curve: JWKCurve
    ) throws(KeyDefect) {
        guard count == curve.native.sizeBytes else {
            throw .malformed(
                member, "{} has {} bytes, a wrong size for {}", .number(count),
                .name(curve.staticName))
        }
    }

    private static func missing(_ member: JWKMember, _ type: KeyType) -> KeyDefect {
        .malformed(member, "{} is missing from an {} key", .name(type.staticName))
    }

    private static func checkMembers(_ type: KeyType, hasY: Bool) throws(KeyDefect) {
        guard hasY || type == .okp else { throw missing(.y, type) }
        guard !hasY || type == .ec else {
            throw .malformed(.y, "{} does not belong to an {} key", .name(type.staticName))
        }
    }

    static func readCurve(
        _ type: KeyType, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> JWKCurve {
        guard let node = try JWKFields.node(.crv, members, tree) else { throw missing(.crv, type) }
        for curve in JWKCurve.entries where JSON.equals(node, curve.staticName, in: text) {
            guard curve.keyType == type else {
                throw .malformed(
                    .crv, "{} {} belongs to kty {}", .name(curve.staticName),
                    .name(curve.keyType.staticName))
            }
            return curve
        }
        throw KeyDefect(.crv, .keyUnusable("the curve (crv) is not supported"))
    }
}
