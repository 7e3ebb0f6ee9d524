// Requests to the provider's own resources, such as UserInfo, whose tokens say nothing by themselves.

public import JOSE

extension OpenIDProvider {
    /// Judges the proof of a request to a resource of the provider itself, such as UserInfo, and claims it; see
    /// `DPoPVerifier.verify(_:boundTo:owner:at:)`. A provider that takes no proofs refuses tokens that are bound all the same.
    ///
    /// - Returns: Nil for a bearer token that is bound to nothing.
    /// - Throws: As there.
    public func verify(
        _ request: ResourceRequest, boundTo thumbprint: String?, owner: String,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedProof? {
        if let proofs {
            return try await proofs.verify(request, boundTo: thumbprint, owner: owner, at: now)
        }
        guard request.type == .bearer else {
            throw .claimRejected("cnf", "this provider takes no proofs")
        }
        guard thumbprint == nil else { throw .boundAsBearer }
        return nil
    }
}
