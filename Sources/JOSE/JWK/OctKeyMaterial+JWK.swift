// Reads symmetric keys from JWK members.

package import JOSEBytes
import JOSECrypto

extension OctKeyMaterial {
    /// Reads `k` (RFC 7518, 6.4.1).
    package static func read(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> OctKeyMaterial {
        guard let bytes = try JWKFields.secret(.k, members, text, tree) else {
            throw .malformed(.k, "{} is missing from an oct key")
        }
        do throws(JOSEError) {
            return try OctKeyMaterial(bytes)
        } catch {
            throw KeyDefect(.k, error)
        }
    }
}
