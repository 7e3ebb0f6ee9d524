// Keys whose certificates lead to the caller's anchors.

extension TrustStore {
    /// Validates the chain that a JWK carries.
    ///
    /// - Parameters:
    ///   - key: A key with `x5c`.
    ///   - purpose: What the key is to be used for.
    ///   - now: The time to judge by; the caller's clock, never the token's.
    /// - Throws: `untrustedKey` with the reason, `keyUnusable` if the leaf is not for this purpose, `limitExceeded` for more
    ///   certificates than the key's limits had, `malformed` for a thumbprint that is none.
    /// - Returns: The proof.
    ///
    /// A chain that was validated before costs a comparison. Source: RFC 5280, 6; RFC 7517, 4.7.
    package func validate(
        _ key: JWK, purpose: CertificatePurpose, at now: NumericDate
    ) throws(JOSEError) -> ValidatedChain {
        try validate(key.certificates, of: key.prepared.material, purpose: purpose, at: now)
    }
}

extension JWK {
    /// The same key with the proof that its certificates lead to the store's anchors.
    ///
    /// - Parameters:
    ///   - store: The only roots.
    ///   - purpose: What the key is to be used for.
    ///   - now: The time to check by; the system's clock where none is given, never the token's.
    /// - Throws: `untrustedKey` with the reason, `keyUnusable` if the leaf is not for this purpose,
    ///   `limitExceeded` for more certificates than the key's limits allow, `malformed` for a
    ///   thumbprint that is none.
    /// - Returns: The key; its `validatedChain` is the proof.
    ///
    /// What is made with the result, a verifier or an encrypter, checks the chain's time again at each use, and so does
    /// what is made with a set that the result was put into. Written as JSON it has no proof.
    public func validated(
        by store: TrustStore, purpose: CertificatePurpose, at now: NumericDate? = nil
    ) throws(JOSEError) -> JWK {
        var key = self
        key.validatedChain = try store.validate(self, purpose: purpose, at: now ?? .now)
        return key
    }
}
