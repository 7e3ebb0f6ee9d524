// Which layers a token must have: the reader's choice, never the token's.

import JOSEBytes

/// Whether and how a token must be encrypted.
public struct EncryptionRule: Sendable {
    /// The token must be encrypted to a key of this decrypter.
    package static func required(by decrypter: JWEDecrypter) -> EncryptionRule {
        EncryptionRule { _ in decrypter }
    }

    /// Makes the decrypter under the verifier's limits, where the rule has none of its own; nil for no encryption.
    let decrypter: @Sendable (_ limits: JOSELimits) throws(JOSEError) -> JWEDecrypter?

    /// The token must not be encrypted.
    public static let notEncrypted = EncryptionRule { _ in nil }

    /// The token must be encrypted to one of our keys, with one of these algorithms; compressed only where
    /// `compression` names it, and up to `limits.inflatedBytes`. Without `limits` the verifier's limits.
    ///
    /// - Parameters:
    ///   - keys: Our private keys.
    ///   - algorithms: The only key management algorithms that are accepted.
    ///   - content: The only content encryption algorithms that are accepted.
    ///   - missingKeyID: What happens to a token that names no key.
    ///   - compression: The compressions that are accepted; none where none is named.
    ///   - critical: The extensions in `crit` of this layer that the caller understands and checks itself, by name.
    ///   - limits: Bounds on this layer; the verifier's limits where none are given.
    public static func required(
        keys: JWKSet, algorithms: [KeyManagementAlgorithm], content: [ContentEncryptionAlgorithm],
        missingKeyID: MissingKeyIDRule = .requireUnique, compression: [CompressionAlgorithm] = [],
        critical: [String] = [], limits: JOSELimits? = nil
    ) -> EncryptionRule {
        EncryptionRule { (common) throws(JOSEError) in
            try JWEDecrypter(
                keys: keys, algorithms: algorithms, content: content, missingKeyID: missingKeyID,
                compression: compression, critical: critical, limits: limits ?? common)
        }
    }

    /// The token must be encrypted to this key of ours, with one of these algorithms; compressed only where
    /// `compression` names it, and up to `limits.inflatedBytes`. Without `limits` the verifier's limits.
    ///
    /// - Parameters:
    ///   - key: Our private key.
    ///   - algorithms: The only key management algorithms that are accepted.
    ///   - content: The only content encryption algorithms that are accepted.
    ///   - compression: The compressions that are accepted; none where none is named.
    ///   - critical: The extensions in `crit` of this layer that the caller understands and checks itself, by name.
    ///   - limits: Bounds on this layer; the verifier's limits where none are given.
    public static func required(
        key: JWK, algorithms: [KeyManagementAlgorithm], content: [ContentEncryptionAlgorithm],
        compression: [CompressionAlgorithm] = [], critical: [String] = [],
        limits: JOSELimits? = nil
    ) -> EncryptionRule {
        EncryptionRule { (common) throws(JOSEError) in
            try JWEDecrypter(
                key: key, algorithms: algorithms, content: content, compression: compression,
                critical: critical, limits: limits ?? common)
        }
    }
}

/// Whether and how a token must be signed.
public struct SignatureRule: Sendable {
    /// The token must be signed by a key of this verifier.
    package static func required(by verifier: JWSVerifier) -> SignatureRule {
        SignatureRule { _ in verifier }
    }

    /// Makes the verifier under the common limits, where the rule has none of its own; nil for no signature.
    let verifier: @Sendable (_ limits: JOSELimits) throws(JOSEError) -> JWSVerifier?

    func signer(_ limits: JOSELimits) throws(JOSEError) -> JWTLayers.Signer {
        try verifier(limits).map(JWTLayers.Signer.local) ?? .none
    }

    /// The token carries no signature: anyone with our public key may have written it. Only with encryption.
    public static let insecureNotSigned = SignatureRule { _ in nil }

    /// The token must be signed by one of their keys, with one of these algorithms. Without `limits` the verifier's limits.
    ///
    /// - Parameters:
    ///   - keys: Their public keys.
    ///   - algorithms: The only signature algorithms that are accepted.
    ///   - critical: The extensions in `crit` of this layer that the caller understands and checks itself, by name.
    ///   - limits: Bounds on this layer.
    public static func required(
        keys: PublicJWKSet, algorithms: [SignatureAlgorithm], critical: [String] = [],
        limits: JOSELimits? = nil
    ) -> SignatureRule {
        SignatureRule { (common) throws(JOSEError) in
            try JWSVerifier(
                keys: keys, algorithms: algorithms, critical: critical, limits: limits ?? common)
        }
    }

    /// The token must be signed by this key of theirs, with one of these algorithms. Without `limits` the verifier's limits.
    ///
    /// - Parameters:
    ///   - key: Their key; a secret of both for HMAC.
    ///   - algorithms: The only signature algorithms that are accepted.
    ///   - critical: The extensions in `crit` of this layer that the caller understands and checks itself, by name.
    ///   - limits: Bounds on this layer.
    public static func required(
        key: JWK, algorithms: [SignatureAlgorithm], critical: [String] = [],
        limits: JOSELimits? = nil
    ) -> SignatureRule {
        SignatureRule { (common) throws(JOSEError) in
            try JWSVerifier(
                key: key, algorithms: algorithms, critical: critical, limits: limits ?? common)
        }
    }
}

extension EncryptionRule: RedactedDescription {
    package var shownAs: String { "encryption rule" }
}

extension SignatureRule: RedactedDescription {
    package var shownAs: String { "signature rule" }
}
