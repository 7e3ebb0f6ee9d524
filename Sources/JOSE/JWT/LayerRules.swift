// Which layers a token must have: the reader's choice, never the token's.

import JOSEBytes

/// Whether and how a token must be encrypted.
public struct EncryptionRule: Sendable {
    enum Rule: Sendable {
        case none
        case required(JWEDecrypter)
    }
    let rule: Result<Rule, JOSEError>

    /// The token must not be encrypted.
    public static let notEncrypted = EncryptionRule(rule: .success(.none))

    /// The token must be encrypted to one of our keys, with one of these algorithms; compressed only where
    /// `compression` names it, and up to `limits.inflatedBytes`.
    public static func required(
        keys: JWKSet, algorithms: [KeyManagementAlgorithm], content: [ContentEncryptionAlgorithm],
        missingKeyID: MissingKeyID = .requireUnique, compression: [CompressionAlgorithm] = [],
        limits: JOSELimits = .standard
    ) -> EncryptionRule {
        EncryptionRule(
            rule: Result { () throws(JOSEError) in
                .required(
                    try JWEDecrypter(
                        keys: keys, algorithms: algorithms, content: content,
                        missingKeyID: missingKeyID, compression: compression, limits: limits))
            })
    }

    /// The token must be encrypted to this key of ours, with one of these algorithms; compressed only where
    /// `compression` names it, and up to `limits.inflatedBytes`.
    public static func required(
        key: JWK, algorithms: [KeyManagementAlgorithm], content: [ContentEncryptionAlgorithm],
        compression: [CompressionAlgorithm] = [], limits: JOSELimits = .standard
    ) -> EncryptionRule {
        EncryptionRule(
            rule: Result { () throws(JOSEError) in
                .required(
                    try JWEDecrypter(
                        key: key, algorithms: algorithms, content: content,
                        compression: compression, limits: limits))
            })
    }
}

/// Whether and how a token must be signed.
public struct SignatureRule: Sendable {
    enum Rule: Sendable {
        case none
        case required(JWSVerifier)
    }
    let rule: Result<Rule, JOSEError>

    /// The token carries no signature: anyone with our public key may have written it. Only with encryption.
    public static let insecureNotSigned = SignatureRule(rule: .success(.none))

    /// The token must be signed by one of their keys, with one of these algorithms.
    public static func required(
        keys: PublicJWKSet, algorithms: [SignatureAlgorithm], limits: JOSELimits = .standard
    ) -> SignatureRule {
        SignatureRule(
            rule: Result { () throws(JOSEError) in
                .required(try JWSVerifier(keys: keys, algorithms: algorithms, limits: limits))
            })
    }

    /// The token must be signed by this key of theirs, with one of these algorithms.
    public static func required(
        key: JWK, algorithms: [SignatureAlgorithm], limits: JOSELimits = .standard
    ) -> SignatureRule {
        SignatureRule(
            rule: Result { () throws(JOSEError) in
                .required(try JWSVerifier(key: key, algorithms: algorithms, limits: limits))
            })
    }
}

extension EncryptionRule: RedactedDescription {
    package var shownAs: String { "encryption rule" }
}

extension SignatureRule: RedactedDescription {
    package var shownAs: String { "signature rule" }
}
