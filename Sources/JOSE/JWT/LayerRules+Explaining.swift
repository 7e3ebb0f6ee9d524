// Rules for explaining a token, also with keys or algorithms that a verifier would not accept.

extension SignatureRule {
    /// Accepts the same tokens as `required(key:algorithms:critical:limits:)`. A key that matches
    /// none of the algorithms, or an empty list, is not an error: every token is then rejected.
    package static func explaining(
        key: JWK, algorithms: [SignatureAlgorithm], critical: [String], limits: JOSELimits
    ) -> SignatureRule {
        SignatureRule { (_) throws(JOSEError) in
            JWSVerifier(
                VerificationKeys(explaining: key),
                try SignatureHeaderPolicy(explaining: algorithms, critical: critical, limits))
        }
    }

    /// Accepts the same tokens as `required(keys:algorithms:critical:limits:)`. An empty list of
    /// algorithms is not an error: every token is then rejected.
    package static func explaining(
        keys: PublicJWKSet, algorithms: [SignatureAlgorithm], critical: [String],
        limits: JOSELimits
    ) -> SignatureRule {
        SignatureRule { (_) throws(JOSEError) in
            JWSVerifier(
                keys, try SignatureHeaderPolicy(explaining: algorithms, critical: critical, limits))
        }
    }
}

extension EncryptionRule {
    /// Accepts the same tokens as `required(key:algorithms:content:compression:critical:limits:)`.
    /// A key that matches none of the algorithms, or an empty list of algorithms, is not an error:
    /// every token is then rejected.
    package static func explaining(
        key: JWK, algorithms: [KeyManagementAlgorithm], content: [ContentEncryptionAlgorithm],
        compression: [CompressionAlgorithm], critical: [String], limits: JOSELimits
    ) -> EncryptionRule {
        EncryptionRule { (_) throws(JOSEError) in
            JWEDecrypter(
                JWEOpening(
                    DecryptionKeys(explaining: key), algorithms, content, compression,
                    try CriticalHeader.Extensions(critical), limits))
        }
    }

    /// Accepts the same tokens as `required` with a key set and without `missingKeyID`. An empty
    /// list of algorithms is not an error: every token is then rejected.
    package static func explaining(
        keys: JWKSet, algorithms: [KeyManagementAlgorithm], content: [ContentEncryptionAlgorithm],
        compression: [CompressionAlgorithm], critical: [String], limits: JOSELimits
    ) -> EncryptionRule {
        EncryptionRule { (_) throws(JOSEError) in
            JWEDecrypter(
                JWEOpening(
                    try DecryptionKeys(keys, missingKeyID: .requireUnique), algorithms, content,
                    compression, try CriticalHeader.Extensions(critical), limits))
        }
    }
}

extension JWSVerifier {
    fileprivate init(_ keys: VerificationKeys, _ headerPolicy: SignatureHeaderPolicy) {
        check = SignatureCheck(keys, headerPolicy)
    }
}

extension JWEDecrypter {
    fileprivate init(_ opening: JWEOpening) { self.opening = opening }
}

extension TokenExplanation {
    /// Replaces the rejection by the error with which a verifier could not be created.
    package func rejected(by error: JOSEError) -> TokenExplanation {
        var explanation = self
        if explanation.error != nil { explanation.lines.removeLast() }
        explanation.reject(error)
        return explanation
    }
}
