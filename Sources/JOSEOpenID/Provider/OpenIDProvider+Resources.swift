// Requests to the provider's own resources, such as UserInfo, whose tokens say nothing by themselves.

public import JOSE

extension OpenIDProvider {
    /// Judges a request to a resource of the provider itself, such as UserInfo, by what its access token is bound to, and claims its
    /// proof; see `DPoPVerifier.verify(_:boundTo:owner:at:)`. A provider that takes no proofs rejects tokens that are bound to a key
    /// all the same, and looks at certificates.
    ///
    /// - Returns: Nil for a bearer token: one that is bound to no key.
    /// - Throws: As there.
    public func verify(
        _ request: ResourceRequest, boundTo binding: TokenBinding, owner: String,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedDPoPProof? {
        guard let proofs else {
            try binding.checkWithoutProofs(request, rejection: "this provider takes no proofs")
            return nil
        }
        return try await proofs.verify(request, boundTo: binding, owner: owner, at: now)
    }
}
