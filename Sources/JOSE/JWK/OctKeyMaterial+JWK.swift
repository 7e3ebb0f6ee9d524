// Symmetric keys from the members of a JWK.

package import JOSEBytes
import JOSECrypto

extension OctKeyMaterial {
    /// Reads `k` (RFC 7518, 6.4.1).
    package static func read(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> OctKeyMaterial {
        guard let bytes = try JWKFields.secret(.k, members, text, tree) else {
            throw .malformed(.key, "a symmetric key has no k")
        }
        return try OctKeyMaterial(bytes)
    }
}
