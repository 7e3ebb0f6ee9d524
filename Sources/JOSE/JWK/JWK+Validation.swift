// Validates the certificates of a key.

extension TrustStore {
    /// As `JWK.validated(by:purpose:at:)`; a cached chain costs one comparison.
    package func validate(
        _ key: JWK, purpose: CertificatePurpose, at now: NumericDate
    ) throws(JOSEError) -> ValidatedChain {
        try validate(key.certificates, of: key.prepared.material, purpose: purpose, at: now)
    }
}

extension JWK {
    /// Validates the key's certificates (RFC 5280, 6; RFC 7517, 4.7).
    ///
    /// - Parameters:
    ///   - store: The trusted roots.
    ///   - purpose: The intended use of the key.
    ///   - now: The time of the validation; the default is the system's clock.
    /// - Throws: `untrustedKey` with the reason; `keyUnusable` if the leaf is not for this purpose,
    ///   is a CA's or has a weak key; `limitExceeded` for too many certificates, or too many
    ///   DER values in one; `malformed` for a malformed `x5c`, `x5t` or `x5t#S256`.
    /// - Returns: The same key with its `validatedChain`.
    ///
    /// Verifiers, encrypters and sets made from the result check the chain's validity period again
    /// at each use. JSON does not keep the validation.
    public func validated(
        by store: TrustStore, purpose: CertificatePurpose, at now: NumericDate? = nil
    ) throws(JOSEError) -> JWK {
        var key = self
        key.validatedChain = try store.validate(self, purpose: purpose, at: now ?? .now)
        return key
    }
}
