// Rules and verifiers with the keys of the tests, so that a test contains only what it is about.

import JOSE
import Testing

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

    static func rsa(keys: [JWK]) -> EncryptionRule {
        .required(keys: JWKSet(keys: keys), algorithms: [.rsaOAEP], content: [.a128CBCHS256])
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

/// A verifier with local keys and one that fetches the same keys. Their results must agree.
struct VerifierPair {
    let local: JWTVerifier
    let fetched: AsyncJWTVerifier

    /// RS256 with these keys, or the tests' signing key.
    init(
        _ policy: ClaimsPolicy, _ encryption: EncryptionRule = .notEncrypted,
        keys: PublicJWKSet? = nil
    ) throws {
        let keys = try keys ?? PublicJWKSet(keys: [TestKeys.signing])
        local = try .checking(policy, encryption, signature: .rs256(keys: keys))
        fetched = try .checking(policy, encryption, source: keys)
    }

    init(_ local: JWTVerifier, _ fetched: AsyncJWTVerifier) {
        (self.local, self.fetched) = (local, fetched)
    }

    /// The result of both, which is also that of their equal explanations.
    func verdict(
        _ token: String, at now: NumericDate?, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let now = try need(now, sourceLocation: sourceLocation)
        let text = try Rejection.verdict { _ = try local.verify(token, at: now) }
        let other = try await Rejection.asyncResult { _ = try await fetched.verify(token, at: now) }
        #expect(other == text, sourceLocation: sourceLocation)
        let explained = local.explain(token, at: now)
        let others = await fetched.explain(token, at: now)
        #expect(
            (explained.error.map(Rejection.text) ?? "accepted") == text
                && others.lines.map(\.description) == explained.lines.map(\.description)
                && others.advice == explained.advice && others.form == explained.form,
            sourceLocation: sourceLocation)
        return text
    }
}

extension JWSVerifier {
    static func rs256(
        _ key: JWK = TestKeys.bare(TestKeys.signing)
    ) throws(JOSEError) -> JWSVerifier {
        try JWSVerifier(key: key, algorithms: [.rs256])
    }

    static func rs256(keys: PublicJWKSet) throws(JOSEError) -> JWSVerifier {
        try JWSVerifier(keys: keys, algorithms: [.rs256])
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
