// A token and its proof, judged together.

public import JOSE

extension DPoPVerifier {
    /// Judges the proof of a request whose access token is known, and claims it: for tokens that say nothing by themselves, such
    /// as those that a provider gave for its UserInfo endpoint.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - thumbprint: The key that the token is bound to; nil for one that is bound to none.
    ///   - owner: Who the token was given to, such as its client or subject: quotas count by it.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Returns: Nil for a bearer token that is bound to nothing.
    /// - Throws: `claimRejected` with `cnf` for a bound token that came as a bearer token, one that is bound to nothing or to another
    ///   key; every refusal of the proof itself has the step `proof`; `unavailable` where the store is full or does not answer.
    ///   Answer `ResourceError(refusing:)`.
    public func verify(
        _ request: ResourceRequest, boundTo thumbprint: String?, owner: String,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedProof? {
        let now = now ?? .now
        guard let judged = try judge(request, boundTo: thumbprint, at: now) else { return nil }
        try await claim(judged, by: owner, at: now)
        return judged.proof
    }

    func judge(
        _ request: ResourceRequest, boundTo thumbprint: String?, at now: NumericDate
    ) throws(JOSEError) -> Judged? {
        guard request.type == .dpop else {
            guard thumbprint == nil else { throw .boundAsBearer }
            return nil
        }
        guard let thumbprint else {
            throw .claimRejected("cnf", "the token is bound to no key")
        }
        return try judge(
            request.proofs,
            Demand(
                method: request.method, url: request.url, accessToken: request.accessToken,
                thumbprint: thumbprint), at: now)
    }
}

extension JOSEError {
    /// RFC 9449, 7.2: or whoever stole it would leave the proof away.
    static let boundAsBearer = JOSEError.claimRejected(
        "cnf", "a token that is bound to a key came as a bearer token")
}
