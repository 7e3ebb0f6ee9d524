// A token and its proof, judged together.

public import JOSE

extension DPoPVerifier {
    /// Judges a request whose access token is known, by what it is bound to, and claims its proof: for tokens that say nothing by
    /// themselves, such as those that a provider gave for its UserInfo endpoint, or that an introspection told of.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - binding: What the token is bound to, the whole of it: a key, a certificate, both, or nothing.
    ///   - owner: Who the token was given to, such as its client or subject: quotas count by it.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Returns: Nil for a bearer token: one that is bound to no key.
    /// - Throws: `claimRejected` with `cnf` for a token that is bound to another certificate than the request's connection has, for one
    ///   that is bound to a key and came as a bearer token, and for a proof of one that is bound to no key or to another; every rejection
    ///   of the proof itself has the step `proof`; `unavailable` where the store is full or does not answer. Answer
    ///   `ResourceError(rejecting:)`.
    ///
    /// Source: RFC 9449, 7; RFC 8705, 3.
    public func verify(
        _ request: ResourceRequest, boundTo binding: TokenBinding, owner: String,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedDPoPProof? {
        let now = now ?? .now
        guard let judged = try judge(request, boundTo: binding, at: now) else { return nil }
        try await claim(judged, by: owner, at: now)
        return judged.proof
    }

    func judge(
        _ request: ResourceRequest, boundTo binding: TokenBinding, at now: NumericDate
    ) throws(JOSEError) -> Judged? {
        try binding.checkCertificate(of: request)
        guard request.type == .dpop else {
            try binding.checkNoKey()
            return nil
        }
        guard let thumbprint = binding.keyThumbprint else {
            throw .claimRejected("cnf", "the token is bound to no key")
        }
        return try judge(
            request.proofs,
            Demand(
                method: request.method, url: request.url, accessToken: request.accessToken,
                thumbprint: thumbprint), at: now)
    }
}

extension TokenBinding {
    /// Judges a request where nobody judges proofs: throws `claimRejected` with `cnf` unless its token is bound to no key, and to no
    /// other certificate than that of the connection.
    ///
    /// - Parameter rejection: What to say of a request that brings a proof.
    func checkWithoutProofs(
        _ request: ResourceRequest, rejection: StaticString
    ) throws(JOSEError) {
        try checkCertificate(of: request)
        guard request.type == .bearer else { throw .claimRejected("cnf", rejection) }
        try checkNoKey()
    }

    /// RFC 8705, 3: whoever stole the token has not the key of the certificate.
    fileprivate func checkCertificate(of request: ResourceRequest) throws(JOSEError) {
        guard let wanted = certificateThumbprint else { return }
        guard let thumbprint = request.certificateThumbprint, thumbprint.isExactly(wanted) else {
            throw .claimRejected("cnf", "the token is bound to another certificate")
        }
    }

    /// RFC 9449, 7.2: or whoever stole it would leave the proof away.
    fileprivate func checkNoKey() throws(JOSEError) {
        guard keyThumbprint == nil else {
            throw .claimRejected("cnf", "a token that is bound to a key came as a bearer token")
        }
    }
}
