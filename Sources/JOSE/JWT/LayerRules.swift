// The rules for the layers of a token: whether and how it must be encrypted and signed.

import JOSEBytes

/// Whether and how a token must be encrypted.
public struct EncryptionRule: Sendable {
    package static func required(by decrypter: JWEDecrypter) -> EncryptionRule {
        EncryptionRule { _ in decrypter }
    }

    /// Creates the decrypter; nil for no encryption. The rule's own limits, if any, replace
    /// `limits`.
    let decrypter: @Sendable (_ limits: JOSELimits) throws(JOSEError) -> JWEDecrypter?

    /// Rejects encrypted tokens.
    public static let notEncrypted = EncryptionRule { _ in nil }

    /// Requires encryption to one of your keys.
    ///
    /// - Parameters:
    ///   - keys: Your private or shared keys.
    ///   - algorithms: The accepted key management algorithms.
    ///   - content: The accepted content encryption algorithms.
    ///   - missingKeyID: The rule for tokens without `kid`.
    ///   - compression: The accepted compressions. A token is decompressed up to
    ///     `limits.inflatedBytes`.
    ///   - critical: The names of the extensions in `crit` of this layer that you check.
    ///   - limits: Bounds on this layer; the verifier's limits by default.
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

    /// Requires encryption to your key, private or shared. For the other parameters see
    /// `required(keys:algorithms:content:missingKeyID:compression:critical:limits:)`.
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
    package static func required(by verifier: JWSVerifier) -> SignatureRule {
        SignatureRule { _ in verifier }
    }

    /// Creates the verifier; nil for no signature. The rule's own limits, if any, replace `limits`.
    let verifier: @Sendable (_ limits: JOSELimits) throws(JOSEError) -> JWSVerifier?

    func signatureKeys(_ limits: JOSELimits) throws(JOSEError) -> JWTLayers.SignatureKeys {
        try verifier(limits).map(JWTLayers.SignatureKeys.local) ?? .none
    }

    /// Requires unsigned claims inside an encrypted token. Anyone who has your public key can write
    /// such a token.
    public static let insecureNotSigned = SignatureRule { _ in nil }

    /// Requires a signature by one of the signer's keys.
    ///
    /// - Parameters:
    ///   - keys: The signer's public keys.
    ///   - algorithms: The accepted signature algorithms.
    ///   - critical: The names of the extensions in `crit` of this layer that you check.
    ///   - limits: Bounds on this layer; the verifier's limits by default.
    public static func required(
        keys: PublicJWKSet, algorithms: [SignatureAlgorithm], critical: [String] = [],
        limits: JOSELimits? = nil
    ) -> SignatureRule {
        SignatureRule { (common) throws(JOSEError) in
            try JWSVerifier(
                keys: keys, algorithms: algorithms, critical: critical, limits: limits ?? common)
        }
    }

    /// Requires a signature by the signer's key: a public key, or the shared secret for HMAC. For
    /// the other parameters see `required(keys:algorithms:critical:limits:)`.
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

extension EncryptionRule: RedactedDescription {}
extension SignatureRule: RedactedDescription {}
