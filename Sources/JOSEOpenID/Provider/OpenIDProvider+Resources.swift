// Verifies requests to the provider's own resources, such as UserInfo.

public import JOSE

extension OpenIDProvider {
    /// Verifies that a request to one of the provider's own resources, such as UserInfo, matches
    /// its token's binding; see `DPoPVerifier.verify(_:boundTo:owner:at:)`.
    ///
    /// A provider that accepts no DPoP proofs rejects tokens that are bound to a key. It still
    /// checks tokens that are bound to a certificate.
    ///
    /// - Returns: The proof; nil for a token that is not bound to a key.
    /// - Throws: The errors of that function.
    public func verify(
        _ request: ResourceRequest, boundTo binding: TokenBinding, owner: String,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> VerifiedDPoPProof? {
        guard let proofs else {
            try binding.checkWithoutProofs(
                request, rejection: "this provider accepts no DPoP proofs")
            return nil
        }
        return try await proofs.verify(request, boundTo: binding, owner: owner, at: now)
    }
}
