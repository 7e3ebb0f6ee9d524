// Rules for explaining a token, also with keys or algorithms that a verifier would not accept.

extension SignatureRule {
    /// As `required`, for explanations. If there is no algorithm or no key matches one, the rule
    /// rejects every token instead of throwing.
    package static func explaining(
        _ keys: VerifierKeys, algorithms: [SignatureAlgorithm], critical: [String],
        limits: JOSELimits
    ) -> SignatureRule {
        SignatureRule { (_) throws(JOSEError) in
            JWSVerifier(
                unchecked: keys,
                try SignatureHeaderPolicy(explaining: algorithms, critical: critical, limits))
        }
    }
}

extension EncryptionRule {
    /// As `required` without `missingKeyID`, for explanations. If there is no algorithm or no key
    /// matches one, the rule rejects every token instead of throwing.
    package static func explaining(
        _ keys: DecrypterKeys, algorithms: [KeyManagementAlgorithm],
        content: [ContentEncryptionAlgorithm], compression: [CompressionAlgorithm],
        critical: [String], limits: JOSELimits
    ) -> EncryptionRule {
        EncryptionRule { (_) throws(JOSEError) in
            JWEDecrypter(
                JWEOpening(
                    DecryptionKeys(explaining: keys), algorithms, content, compression,
                    try CriticalHeader.Extensions(critical), limits))
        }
    }
}

extension JWEDecrypter {
    fileprivate init(_ opening: JWEOpening) { self.opening = opening }
}

extension TokenExplanation {
    /// Replaces the rejection by the error that creating a verifier threw.
    package func rejected(by error: JOSEError) -> TokenExplanation {
        var explanation = self
        if explanation.error != nil { explanation.lines.removeLast() }
        explanation.reject(error)
        return explanation
    }
}
