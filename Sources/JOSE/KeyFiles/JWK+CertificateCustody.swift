// Certificates and requests that are signed by a key that may be elsewhere.

extension JWK {
    /// The same key with a certificate that it signed itself, where its private part may be held elsewhere; see
    /// `selfSigned(subject:from:until:)`.
    ///
    /// - Parameters:
    ///   - subject: Whom the certificate names.
    ///   - start: When it begins.
    ///   - end: When it ends.
    ///   - time: How long the call may take; a key's custodian may have less by its rule.
    /// - Throws: As there; `unavailable` where the key's custodian cannot answer in time, or the task was cancelled;
    ///   `internal` where what it answers is no signature of the key.
    public func selfSigned(
        subject: CertificateSubject, from start: NumericDate, until end: NumericDate,
        within time: Duration
    ) async throws(JOSEError) -> JWK {
        let draft = try CertificateDraft(selfSigned: self, subject, from: start, until: end)
        let der = try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try draft.signed(by: self)
        }
        return try certified(by: [der])
    }

    /// The same key with a certificate by a local authority whose private key may be held elsewhere; see
    /// `issued(by:subject:from:until:)` and `selfSigned(subject:from:until:within:)`.
    public func issued(
        by authority: JWK, subject: CertificateSubject, from start: NumericDate,
        until end: NumericDate, within time: Duration
    ) async throws(JOSEError) -> JWK {
        let draft = try CertificateDraft(self, by: authority, subject, from: start, until: end)
        let der = try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try draft.signed(by: authority)
        }
        return try certified(by: [der] + (authority.certificateChain ?? []))
    }

    /// A request for a certificate, signed by this key, which may be held elsewhere; see `certificateRequest(subject:_:)`
    /// and `selfSigned(subject:from:until:within:)`.
    public func certificateRequest(
        subject: CertificateSubject, _ encoding: KeyFileEncoding, within time: Duration
    ) async throws(JOSEError) -> [UInt8] {
        try await HeldAnswers.asking(within: time) { () throws(JOSEError) in
            try certificateRequest(subject: subject, encoding)
        }
    }
}
