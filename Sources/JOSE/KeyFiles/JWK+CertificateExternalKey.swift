// Certificates and requests that are signed by a key that may be external.

extension JWK {
    /// The same key with a certificate that it signed itself, where its private part may be
    /// external; see `withSelfSignedCertificate(subject:from:until:)`.
    ///
    /// - Parameters:
    ///   - subject: The name in the certificate.
    ///   - start: The beginning of its validity.
    ///   - end: The end, inclusive.
    ///   - timeout: How long the call may take; an external key may have less by its rule.
    /// - Throws: As there; `unavailable` where the external key cannot answer in time, or the
    ///   task was cancelled; `internal` where its answer is no signature of the key.
    nonisolated(nonsending) public func withSelfSignedCertificate(
        subject: CertificateSubject, from start: NumericDate, until end: NumericDate,
        timeout: Duration
    ) async throws(JOSEError) -> JWK {
        let draft = try CertificateDraft(selfSigned: self, subject, from: start, until: end)
        return try withCertificates(
            [await draft.unsigned(by: self).signed(before: .end(of: timeout))])
    }

    /// The same key with a certificate by a local authority whose private key may be external; see
    /// `withCertificate(issuedBy:subject:from:until:)` and
    /// `withSelfSignedCertificate(subject:from:until:timeout:)`.
    nonisolated(nonsending) public func withCertificate(
        issuedBy authority: JWK, subject: CertificateSubject, from start: NumericDate,
        until end: NumericDate, timeout: Duration
    ) async throws(JOSEError) -> JWK {
        let draft = try CertificateDraft(self, by: authority, subject, from: start, until: end)
        return try withCertificates(
            [await draft.unsigned(by: authority).signed(before: .end(of: timeout))]
                + (authority.certificateChain ?? []))
    }

    /// A request for a certificate, signed by this key, which may be external; see
    /// `certificateRequest(subject:_:)` and
    /// `withSelfSignedCertificate(subject:from:until:timeout:)`.
    nonisolated(nonsending) public func certificateRequest(
        subject: CertificateSubject, _ encoding: KeyFileEncoding, timeout: Duration
    ) async throws(JOSEError) -> [UInt8] {
        try encoding.encoded(await requestDraft(subject).signed(before: .end(of: timeout)))
    }
}
