// Tokens that bring the key that signed them: the one place where a token says which key verifies it.

import JOSEBytes
import JOSECrypto

/// Reads tokens with a public key in their header (`jwk`, RFC 7515, 4.1.3), as proofs of possession have it.
///
/// Such a signature says that whoever made the token has the key, and nothing of who that is: callers compare the key's
/// thumbprint with one that they know from elsewhere.
package final class HeaderKeyReader: Sendable {
    private let layers: JWTLayers
    private let admission: SignatureHeaderPolicy

    /// A verifier.
    ///
    /// - Throws: `misuse` without an algorithm, or for one that no such key has.
    package init(
        policy: ClaimsPolicy, algorithms: [SignatureAlgorithm], limits: JOSELimits
    ) throws(JOSEError) {
        guard algorithms.allSatisfy({ !$0.kinds.isDisjoint(with: HeaderKey.kinds) }) else {
            throw .misuse("jwk of a header must be an RSA, P-256 or Ed25519 key")
        }
        var limits = limits
        limits.maxRSABits = min(limits.maxRSABits, HeaderKey.maxRSABits)
        layers = try JWTLayers(policy, .notEncrypted, .keyInHeader, limits)
        admission = try SignatureHeaderPolicy(algorithms, limits)
    }

    /// Reads the header of a token, whose key will compute as `acceleration` says; its signature is not looked at.
    ///
    /// - Throws: `malformed`, `limitExceeded`, `unsupported`, `algorithmNotAllowed`, `claimRejected` with `typ`; `keyNotFound`
    ///   without a key, `keyUnusable` for a private or symmetric one, another kind or size, or another algorithm's.
    package func open(
        _ token: String, by acceleration: KeyAcceleration = .automatic
    ) throws(JOSEError) -> HeaderKey {
        let text = token.utf8.span
        let limits = admission.limits
        let parts = try CompactJWS(text, limits)
        let (algorithm, key, operation) = try HeaderText.read(
            text.extracting(parts.header), limits
        ) { (fields, text, tree) throws(JOSEError) in
            let algorithm = try admission.admit(
                fields, text, VerificationContext(type: layers.policy.type))
            // What the key says of names and certificates nobody has looked at: no more is kept than its numbers.
            var key = try HeaderKeyReader.key(text, tree, limits)
            if acceleration != .automatic { key = key.withAcceleration(acceleration) }
            return (algorithm, key.prepared, try key.verifying(algorithm))
        }
        let unjudged = SignatureCheck.PendingToken(
            parts: parts, operation: operation,
            accepted: SignatureCheck.AcceptedToken(
                algorithm: algorithm, header: parts.header, payload: parts.payload, keyIndex: 0),
            isKnown: false)
        return HeaderKey(token: token, key: key, unjudged: unjudged, layers: layers)
    }

    private static func key(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(JOSEError) -> JWK {
        var index = 1
        while index < tree[0].next {
            if HeaderMember.find(tree[index], in: text) == .jwk {
                // Before any number of it is computed with.
                guard !JWKMembers(of: index + 1, in: text, tree).hasSecret else {
                    throw .keyUnusable("jwk of the header has private or symmetric members")
                }
                let key = try JWK.readOne(text, tree, at: index + 1, limits)
                try key.checkStrict(index + 1, text, tree)
                try HeaderKey.check(key)
                return key
            }
            index = tree[index + 1].next
        }
        throw .keyNotFound("the header has no jwk")
    }
}

/// The key of one token's header: it verifies that token and tells its thumbprint, once, and is gone.
package struct HeaderKey: ~Copyable, Sendable {
    static let kinds: KeyKind = [.rsa, JWKCurve.p256.kind, JWKCurve.ed25519.kind]
    static let maxRSABits = 4_096

    private let token: String
    package let key: PreparedKey
    private let unjudged: SignatureCheck.PendingToken
    private let layers: JWTLayers

    fileprivate init(
        token: String, key: PreparedKey, unjudged: SignatureCheck.PendingToken, layers: JWTLayers
    ) {
        self.token = token
        self.key = key
        self.unjudged = unjudged
        self.layers = layers
    }

    /// The thumbprint of the key with SHA-256 (RFC 7638).
    package borrowing func thumbprint() throws(JOSEError) -> String { try key.thumbprint(.sha256) }

    /// Verifies the token that brought the key.
    ///
    /// - Throws: As `JWTVerifier.verify(_:expecting:at:)`.
    package consuming func verify(at now: NumericDate) throws(JOSEError) -> VerifiedJWT {
        try layers.verify(token, unjudged, now)
    }

    /// Throws `keyUnusable` for a key that no header may bring: what a stranger's costs is bounded by its kind.
    package static func check(_ key: JWK) throws(JOSEError) {
        let material = key.prepared.material
        guard kinds.contains(material.kind) else {
            throw .keyUnusable("jwk of a header must be an RSA, P-256 or Ed25519 key")
        }
        guard let rsa = material as? RSAKeyMaterial else { return }
        guard rsa.sizeBits <= maxRSABits else {
            throw .keyUnusable(
                "the RSA key in jwk of the header has {} bits; at most {} are accepted",
                .number(rsa.sizeBits), .number(maxRSABits))
        }
        guard rsa.exponent == [1, 0, 1] else {
            throw .keyUnusable("e of the RSA key in jwk of the header is not 65537")
        }
    }
}
