// Verifies tokens with the key in their own header. Nothing else verifies with such a key.

import JOSEBytes
import JOSECrypto

/// Reads tokens with a public key in their header (`jwk`, RFC 7515, 4.1.3), such as DPoP proofs.
///
/// The signature proves only that the signer has the key, not who the signer is. Callers must
/// compare the key's thumbprint with a known one.
package final class HeaderKeyReader: Sendable {
    private let layers: JWTLayers
    private let headerPolicy: SignatureHeaderPolicy

    /// - Throws: `misuse` for an invalid policy, an empty list of algorithms, or an algorithm that
    ///   needs another key than RSA, P-256 or Ed25519; `unsupported` if FIPS excludes an algorithm.
    package init(
        policy: ClaimsPolicy, algorithms: [SignatureAlgorithm], limits: JOSELimits
    ) throws(JOSEError) {
        guard algorithms.allSatisfy({ !$0.kinds.isDisjoint(with: HeaderKey.kinds) }) else {
            throw .misuse(
                """
                'algorithms' names an algorithm that no permitted header key (RSA, P-256, Ed25519) \
                can have
                """)
        }
        var limits = limits
        limits.maxRSABits = min(limits.maxRSABits, HeaderKey.maxRSABits)
        layers = try JWTLayers(policy, .notEncrypted, .keyInHeader, limits)
        headerPolicy = try SignatureHeaderPolicy(algorithms, limits)
    }

    /// Reads and prepares the key in a token's header. The signature is not verified.
    ///
    /// - Throws: `malformed`, `limitExceeded`, `unsupported`, `algorithmNotAllowed`,
    ///   `claimRejected` for `typ`; `keyNotFound` if `jwk` is absent; `keyUnusable` for a private
    ///   or symmetric key, or one that `HeaderKey.check` or the algorithm rejects.
    package func readHeader(
        _ token: String, by acceleration: KeyAcceleration = .automatic
    ) throws(JOSEError) -> HeaderKey {
        let text = token.utf8.span
        let limits = headerPolicy.limits
        let parts = try CompactJWS(text, limits)
        let (algorithm, key, operation) = try HeaderText.read(
            text.extracting(parts.header), limits
        ) { (fields, text, tree) throws(JOSEError) in
            let algorithm = try headerPolicy.validate(
                fields, text, VerificationContext(type: layers.policy.type))
            // Only the key's numbers are kept: nothing verifies its `kid` and certificates.
            var key = try HeaderKeyReader.key(text, tree, limits)
            if acceleration != .automatic { key = key.withAcceleration(acceleration) }
            return (algorithm, key.prepared, try key.verifying(algorithm))
        }
        let pending = SignatureCheck.PendingToken(
            parts: parts, operation: operation,
            selected: SignatureCheck.SelectedToken(
                algorithm: algorithm, header: parts.header, payload: parts.payload, keyIndex: 0),
            isKnown: false)
        return HeaderKey(token: token, key: key, pending: pending, layers: layers)
    }

    private static func key(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(JOSEError) -> JWK {
        guard let node = tree.memberValue("jwk", in: text) else {
            throw .keyNotFound("the header has no jwk")
        }
        // Private and symmetric keys are rejected before any number of the key is used.
        guard !JWKMembers(of: node, in: text, tree).hasSecret else {
            throw .keyUnusable("jwk of the header has private or symmetric members")
        }
        let key = try JWK.readOne(text, tree, at: node, limits)
        try key.checkStrict(node, text, tree)
        try HeaderKey.check(key)
        return key
    }
}

/// The key in a token's header. It verifies only that token, and once.
package struct HeaderKey: ~Copyable, Sendable {
    static let kinds: KeyKind = [.rsa, JWKCurve.p256.kind, JWKCurve.ed25519.kind]
    static let maxRSABits = 4_096

    fileprivate let token: String
    package let key: PreparedKey
    fileprivate let pending: SignatureCheck.PendingToken
    fileprivate let layers: JWTLayers

    package borrowing func thumbprint() throws(JOSEError) -> String { try key.thumbprint(.sha256) }

    /// - Throws: As `JWTVerifier.verify(_:expecting:at:)`.
    package consuming func verify(at now: NumericDate) throws(JOSEError) -> VerifiedJWT {
        try layers.verify(token, pending, now)
    }

    /// Throws `keyUnusable` unless the key's kind, size and exponent bound the cost of verifying.
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
