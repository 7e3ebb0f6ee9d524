// EC keys and octet key pairs from the members of a JWK.

package import JOSEBytes
import JOSECrypto

extension CurveKeyMaterial {
    /// Reads the members (RFC 7518, 6.2; RFC 8037, 2).
    ///
    /// Throws `malformed` for a form that the type does not have, `keyUnusable` for an unknown curve or a private value
    /// that does not fit.
    package static func read(
        _ type: KeyType, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> CurveKeyMaterial {
        let curve = try readCurve(type, members, text, tree)
        guard let x = try JWKFields.bytes(.x, members, text, tree) else { throw noCoordinate }
        let y = try JWKFields.bytes(.y, members, text, tree)
        try checkMembers(type, hasY: y != nil)
        guard let d = try JWKFields.secret(.d, members, text, tree) else {
            return try CurveKeyMaterial(curve, x: x, y: y ?? [])
        }
        // Coordinates that are not there are computed elsewhere; a JWK must have them.
        guard !x.isEmpty else { throw wrongSize }
        return try CurveKeyMaterial(curve, x: x, y: y ?? [], d: d)
    }

    /// Checks the form of a public key: curve, members, sizes, base64url.
    static func checkShape(
        _ type: KeyType, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> KeyKind {
        let curve = try readCurve(type, members, text, tree)
        guard let x = try JWKFields.base64URLRange(.x, members, tree) else { throw noCoordinate }
        let y = try JWKFields.base64URLRange(.y, members, tree)
        try checkMembers(type, hasY: y != nil)
        for range in [x, y ?? x] {
            let characters = text.extracting(range)
            guard Base64URL.isValid(characters) else {
                throw .malformed(.key, "a JWK member is not strict base64url")
            }
            guard Base64URL.decodedCount(characters.count) == curve.native.sizeBytes else {
                throw wrongSize
            }
        }
        return KeyKind(curve)
    }

    private static let noCoordinate = JOSEError.malformed(.key, "a key on a curve has no x or y")

    private static func checkMembers(_ type: KeyType, hasY: Bool) throws(JOSEError) {
        guard hasY || type == .okp else { throw noCoordinate }
        guard !hasY || type == .ec else {
            throw .malformed(.key, "an octet key pair has no y")
        }
    }

    /// A curve of the other type is a fault of the form; one that nobody here knows is only unusable.
    private static func readCurve(
        _ type: KeyType, _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> JWKCurve {
        guard let node = members[.crv], tree[node].kind == .string else {
            throw .malformed(.key, "a key on a curve has no crv or one that is not a string")
        }
        for curve in JWKCurve.rows where JSON.equals(tree[node], curve.word, in: text) {
            guard curve.keyType == type else {
                throw .malformed(.key, "crv belongs to another kty")
            }
            return curve
        }
        throw .keyUnusable("the curve is not supported")
    }
}
