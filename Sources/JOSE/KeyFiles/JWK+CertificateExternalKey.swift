// Makes certificates and certificate requests with a key that may be external.

extension JWK {
    /// Returns the same key with a self-signed certificate; its private part may be external. See
    /// `withSelfSignedCertificate(subject:from:until:)`.
    ///
    /// - Parameters:
    ///   - subject: The name in the certificate.
    ///   - start: The first second of the validity.
    ///   - end: The last second of the validity.
    ///   - timeout: The maximum time of the call. The options of an external key may set a shorter
    ///     one.
    /// - Throws: As `withSelfSignedCertificate(subject:from:until:)`, except `misuse` for external
    ///   keys. With an external key also `unavailable` (outage, full queue, timeout, cancelled
    ///   task), `internal` (no valid signature) and `limitExceeded` (`maxMessageBytes`).
    nonisolated(nonsending) public func withSelfSignedCertificate(
        subject: CertificateSubject, from start: NumericDate, until end: NumericDate,
        timeout: Duration
    ) async throws(JOSEError) -> JWK {
        let draft = try CertificateDraft(selfSigned: self, subject, from: start, until: end)
        return try withCertificates(
            [await draft.unsigned(by: self).signed(before: .end(of: timeout))])
    }

    /// Returns the same key with a certificate by an authority, whose private key may be
    /// external. See `withCertificate(issuedBy:subject:from:until:)` and
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

    /// Returns a certificate request, signed by this key, which may be external. See
    /// `certificateRequest(subject:_:)` and
    /// `withSelfSignedCertificate(subject:from:until:timeout:)`.
    nonisolated(nonsending) public func certificateRequest(
        subject: CertificateSubject, _ encoding: JWK.FileEncoding, timeout: Duration
    ) async throws(JOSEError) -> [UInt8] {
        try encoding.encoded(await requestDraft(subject).signed(before: .end(of: timeout)))
    }
}
