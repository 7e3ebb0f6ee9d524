// Reads AKP keys (algorithm key pairs) from JWK members (RFC 9964).

package import JOSEBytes
import JOSECrypto

extension AKPKeyMaterial {
    /// Reads a key (RFC 9964, 3 and 4).
    package static func read(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> AKPKeyMaterial {
        let set = try readSet(members, text, tree)
        guard let pub = try JWKFields.bytes(.pub, members, text, tree) else { throw noPublicKey }
        let seed = try JWKFields.secret(.priv, members, text, tree)
        // `AKPKeyMaterial` computes `pub` if it is empty, but a JWK must have it.
        guard pub.count == set.native.sizeBytes else { throw wrongSize(pub.count, set) }
        do throws(JOSEError) {
            guard let seed else { return try AKPKeyMaterial(set, pub: pub) }
            return try AKPKeyMaterial(set, pub: pub, seed: seed, expanded: Span())
        } catch {
            throw KeyDefect(.priv, error)
        }
    }

    static func checkShape(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> KeyKind {
        let set = try readSet(members, text, tree)
        guard let range = try JWKFields.base64URLRange(.pub, members, tree) else {
            throw noPublicKey
        }
        let count = try JWKFields.byteCount(.pub, text.extracting(range))
        guard count == set.native.sizeBytes else { throw wrongSize(count, set) }
        return set.algorithm.kinds
    }

    private static let noPublicKey = KeyDefect.malformed(.pub, "{} is missing from an AKP key")

    private static func wrongSize(_ count: Int, _ set: AKPParameterSet) -> KeyDefect {
        .malformed(
            .pub, "{} has {} bytes, a wrong size for {}", .number(count),
            .name(set.algorithm.staticName))
    }

    private static func readSet(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(KeyDefect) -> AKPParameterSet {
        guard let node = try JWKFields.node(.alg, members, tree) else {
            throw .malformed(.alg, "{} is missing from an AKP key")
        }
        for set in AKPParameterSet.all where JSON.equals(node, set.algorithm.staticName, in: text) {
            return set
        }
        throw KeyDefect(
            .alg, .keyUnusable("the algorithm (alg) of the AKP key is not supported"))
    }
}
