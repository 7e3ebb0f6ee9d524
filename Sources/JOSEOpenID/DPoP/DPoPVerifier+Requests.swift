// Verifies that a request satisfies its access token's binding (DPoP key or client certificate).

public import JOSE

extension DPoPVerifier {
    /// Verifies that a request satisfies its token's binding, and records the use of its proof.
    ///
    /// It is for opaque tokens, such as those for a provider's UserInfo endpoint, and for tokens
    /// that the server introspects.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - binding: The token's whole binding: a key, a certificate, both, or none.
    ///   - owner: The token's client or subject. The replay store counts its quotas by owner.
    ///   - now: The time of verification; the system's clock by default.
    /// - Returns: The proof; nil for a request with the scheme `Bearer`.
    /// - Throws: `claimRejected` with `cnf` in three cases. The token is bound to a certificate
    ///   that is not the connection's. The scheme is `Bearer`, but the token is bound to a key. The
    ///   scheme is `DPoP`, but the token is not bound to the proof's key. A missing or invalid
    ///   proof causes an error with the step `proof`. `unavailable` if the replay store is full or
    ///   unreachable. Respond with `ResourceError(rejecting:)`.
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
    /// Checks a request at a server that accepts no proofs. `rejection` is for the scheme `DPoP`.
    func checkWithoutProofs(
        _ request: ResourceRequest, rejection: StaticString
    ) throws(JOSEError) {
        try checkCertificate(of: request)
        guard request.type == .bearer else { throw .claimRejected("cnf", rejection) }
        try checkNoKey()
    }

    /// A stolen token is useless without the private key of its certificate (RFC 8705, 3).
    fileprivate func checkCertificate(of request: ResourceRequest) throws(JOSEError) {
        guard let expected = certificateThumbprint else { return }
        guard let thumbprint = request.certificateThumbprint, thumbprint.isExactly(expected) else {
            throw .claimRejected("cnf", "the access token is bound to another certificate")
        }
    }

    /// Without this check, a thief could use a bound token as a bearer token (RFC 9449, 7.2).
    fileprivate func checkNoKey() throws(JOSEError) {
        guard keyThumbprint == nil else {
            throw .claimRejected("cnf", "an access token that is bound to a key came without proof")
        }
    }
}
