// Algorithm key pairs from the members of a JWK.

package import JOSEBytes
import JOSECrypto

extension AKPKeyMaterial {
    /// Reads the members (RFC 9964, 3 and 4).
    ///
    /// Throws `malformed` for a form that the type does not have, `keyUnusable` for an unknown algorithm or a seed that does
    /// not lead to `pub`.
    package static func read(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> AKPKeyMaterial {
        let set = try readSet(members, text, tree)
        guard let pub = try JWKFields.bytes(.pub, members, text, tree) else { throw noPublicKey }
        guard let seed = try JWKFields.secret(.priv, members, text, tree) else {
            return try AKPKeyMaterial(set, pub: pub)
        }
        // A public key that is not there is computed elsewhere; a JWK must have it.
        guard !pub.isEmpty else { throw wrongSize }
        return try AKPKeyMaterial(set, pub: pub, seed: seed, expanded: Span())
    }

    /// Checks the form of a public key: algorithm, size, base64url.
    static func checkShape(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> KeyKind {
        let set = try readSet(members, text, tree)
        guard let range = try JWKFields.base64URLRange(.pub, members, tree) else {
            throw noPublicKey
        }
        let characters = text.extracting(range)
        guard Base64URL.isValid(characters) else {
            throw .malformed(.key, "a JWK member is not strict base64url")
        }
        guard Base64URL.decodedCount(characters.count) == set.native.sizeBytes else {
            throw wrongSize
        }
        return set.algorithm.kinds
    }

    private static let noPublicKey = JOSEError.malformed(.key, "an algorithm key pair has no pub")

    /// `alg` is what says which numbers these are.
    private static func readSet(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> AKPParameterSet {
        guard let node = members[.alg], tree[node].kind == .string else {
            throw .malformed(.key, "an algorithm key pair has no alg or one that is not a string")
        }
        for set in AKPParameterSet.all
        where JSON.equals(tree[node], set.algorithm.word, in: text) {
            return set
        }
        throw .keyUnusable("the algorithm of the key pair is not supported")
    }
}
