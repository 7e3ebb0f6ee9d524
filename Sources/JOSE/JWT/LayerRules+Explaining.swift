// Rules for an explanation, where no verifier can be made for a key or a list of algorithms: it
// still says why.

extension SignatureRule {
    /// Verifies nothing that `required(key:algorithms:limits:)` would not: a key that fits none of
    /// the algorithms, and an empty list, are accepted and reject every token.
    package static func explaining(
        key: JWK, algorithms: [SignatureAlgorithm], critical: [String], limits: JOSELimits
    ) -> SignatureRule {
        SignatureRule { (_) throws(JOSEError) in
            JWSVerifier(
                VerificationKeys(explaining: key),
                try SignatureHeaderPolicy(explaining: algorithms, critical: critical, limits))
        }
    }

    /// The same for a set.
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
    /// Decrypts nothing that `required(key:algorithms:content:)` would not: a key that fits none of
    /// the algorithms, and empty lists, are accepted and reject every token.
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

    /// The same for a set.
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
    fileprivate init(_ keys: VerificationKeys, _ admission: SignatureHeaderPolicy) {
        check = SignatureCheck(keys, admission)
    }
}

extension JWEDecrypter {
    fileprivate init(_ opening: JWEOpening) { self.opening = opening }
}

extension TokenExplanation {
    /// The same with another rejection: that of a verifier that cannot be made.
    package func rejected(by error: JOSEError) -> TokenExplanation {
        var explanation = self
        if explanation.error != nil { explanation.lines.removeLast() }
        explanation.reject(error)
        return explanation
    }
}
