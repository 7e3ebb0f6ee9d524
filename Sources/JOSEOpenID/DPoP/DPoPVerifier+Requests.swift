// Checking an access token's binding together with its DPoP proof.

public import JOSE

extension DPoPVerifier {
    /// Verifies a request by its access token's binding, and records the use of its proof.
    ///
    /// Use it for opaque tokens, such as those for a provider's UserInfo endpoint, or those that
    /// introspection described.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - binding: The token's whole binding: a key, a certificate, both, or none.
    ///   - owner: The token's client or subject; quotas count by it.
    ///   - now: The time of verification; the system's clock by default.
    /// - Returns: The proof; nil for a request with the scheme `Bearer`.
    /// - Throws: `claimRejected` with `cnf` in three cases. The token is bound to another
    ///   certificate than the connection's. The scheme is `Bearer`, but the token is bound to a
    ///   key. The scheme is `DPoP`, but the token is bound to another key than the proof's or to
    ///   none. Errors of the proof itself, and its absence, have the step `proof`. `unavailable`
    ///   if the replay store is full or unreachable. Respond with `ResourceError(rejecting:)`.
    ///
    /// Source: RFC 9449, 7; RFC 8705, 3.
    public func verify(
        _ request: ResourceRequest, boundTo binding: TokenBinding, owner: String,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedDPoPProof? {
        let now = now ?? .now
        guard let checked = try check(request, boundTo: binding, at: now) else { return nil }
        return try await markUsed(checked, by: owner, at: now)
    }

    func check(
        _ request: ResourceRequest, boundTo binding: TokenBinding, at now: NumericDate
    ) throws(JOSEError) -> CheckedProof? {
        try binding.checkCertificate(of: request)
        guard request.type == .dpop else {
            try binding.checkNoKey()
            return nil
        }
        guard let thumbprint = binding.keyThumbprint else {
            throw .claimRejected("cnf", "the access token is not bound to a key")
        }
        return try check(
            request.proofs,
            ExpectedRequest(
                method: request.method, url: request.url, accessToken: request.accessToken,
                thumbprint: thumbprint), at: now)
    }
}

extension TokenBinding {
    /// Checks a request at a server that accepts no proofs: throws `claimRejected` with `cnf` if
    /// the token is bound to a key, or to another certificate than the connection's.
    ///
    /// - Parameter rejection: The error text for a request with a proof.
    func checkWithoutProofs(
        _ request: ResourceRequest, rejection: StaticString
    ) throws(JOSEError) {
        try checkCertificate(of: request)
        guard request.type == .bearer else { throw .claimRejected("cnf", rejection) }
        try checkNoKey()
    }

    /// Rejects a token that is bound to another certificate than the connection's (RFC 8705, 3). A
    /// stolen token is then useless without the certificate's private key.
    fileprivate func checkCertificate(of request: ResourceRequest) throws(JOSEError) {
        guard let expected = certificateThumbprint else { return }
        guard let thumbprint = request.certificateThumbprint, thumbprint.isExactly(expected) else {
            throw .claimRejected("cnf", "the access token is bound to another certificate")
        }
    }

    /// Rejects a bearer token that is bound to a key (RFC 9449, 7.2). Otherwise a thief could omit
    /// the proof.
    fileprivate func checkNoKey() throws(JOSEError) {
        guard keyThumbprint == nil else {
            throw .claimRejected("cnf", "an access token that is bound to a key came without proof")
        }
    }
}
