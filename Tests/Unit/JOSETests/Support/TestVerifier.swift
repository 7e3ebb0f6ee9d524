// Rules and verifiers with the keys of the tests, so that a test contains only what it is about.

import JOSE

extension JOSELimits {
    /// The standard limits with these changes.
    static func with(_ edit: (inout JOSELimits) -> Void) -> JOSELimits {
        var limits = JOSELimits.standard
        edit(&limits)
        return limits
    }
}

extension ClaimsPolicy {
    /// Any issuer and audience, and no claim is required.
    static var any: ClaimsPolicy {
        var policy = ClaimsPolicy(issuer: .any, audience: .any)
        policy.requiredClaims = []
        return policy
    }
}

extension EncryptionRule {
    /// RSA-OAEP with A128CBC-HS256.
    static func rsa(_ key: JWK = TestKeys.decrypting) -> EncryptionRule {
        .required(key: key, algorithms: [.rsaOAEP], content: [.a128CBCHS256])
    }
}

extension SignatureRule {
    /// A private key verifies with its public part.
    static func rs256(_ key: JWK = TestKeys.signing) -> SignatureRule {
        .required(key: key, algorithms: [.rs256])
    }

    static func rs256(keys: PublicJWKSet) -> SignatureRule {
        .required(keys: keys, algorithms: [.rs256])
    }
}

extension JWTVerifier {
    /// Not encrypted and signed with the tests' RS256 key, unless other rules are given.
    static func checking(
        _ policy: ClaimsPolicy = ClaimsPolicy(issuer: .any, audience: .any),
        _ encryption: EncryptionRule = .notEncrypted, signature: SignatureRule = .rs256()
    ) throws(JOSEError) -> JWTVerifier {
        try JWTVerifier(policy: policy, encryption: encryption, signature: signature)
    }
}

extension JWSVerifier {
    static func rs256(
        _ key: JWK = TestKeys.bare(TestKeys.signing)
    ) throws(JOSEError) -> JWSVerifier {
        try JWSVerifier(key: key, algorithms: [.rs256])
    }
}

extension JWEDecrypter {
    /// One key, one algorithm, one content encryption.
    static func with(
        _ key: JWK, _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm
    ) throws(JOSEError) -> JWEDecrypter {
        try JWEDecrypter(key: key, algorithms: [algorithm], content: [content])
    }

    /// RSA-OAEP with A128CBC-HS256.
    static func rsa(
        _ key: JWK = TestKeys.bare(TestKeys.decrypting), limits: JOSELimits = .standard
    ) throws(JOSEError) -> JWEDecrypter {
        try JWEDecrypter(
            key: key, algorithms: [.rsaOAEP], content: [.a128CBCHS256], limits: limits)
    }

    static func rsa(
        keys: [JWK], missingKeyID: MissingKeyIDRule = .requireUnique
    ) throws(JOSEError) -> JWEDecrypter {
        try JWEDecrypter(
            keys: JWKSet(keys: keys), algorithms: [.rsaOAEP], content: [.a128CBCHS256],
            missingKeyID: missingKeyID)
    }
}

extension JWEEncrypter {
    static func with(
        _ key: JWK, _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm
    ) throws(JOSEError) -> JWEEncrypter {
        try JWEEncrypter(key: key, algorithm: algorithm, content: content)
    }

    /// RSA-OAEP with A128CBC-HS256.
    static func rsa(_ key: JWK = TestKeys.decrypting) throws(JOSEError) -> JWEEncrypter {
        try JWEEncrypter(
            key: key.publicKey, algorithm: .rsaOAEP, content: .a128CBCHS256)
    }
}

extension JWTRecipient {
    /// RSA-OAEP with A128CBC-HS256.
    static func rsa(_ key: JWK = TestKeys.decrypting) throws(JOSEError) -> JWTRecipient {
        try JWTRecipient(key: key.publicKey, algorithm: .rsaOAEP, content: .a128CBCHS256)
    }
}

extension AsyncJWTVerifier {
    /// With keys of a source and RS256.
    static func checking(
        _ policy: ClaimsPolicy, _ encryption: EncryptionRule = .notEncrypted,
        source: any KeySource
    ) throws(JOSEError) -> AsyncJWTVerifier {
        try AsyncJWTVerifier(
            policy: policy, encryption: encryption, keys: source, algorithms: [.rs256])
    }
}
