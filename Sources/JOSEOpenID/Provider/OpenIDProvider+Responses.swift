// HTTP responses of a provider: its documents, and errors with their DPoP nonce.

public import JOSE

extension OpenIDProvider {
    /// Creates the response to a rejected request at an endpoint where clients authenticate, with
    /// the error code and its default description. If the client used another authentication method
    /// than the registered one, the description names the used method. `use_dpop_nonce` includes a
    /// new nonce.
    ///
    /// - Parameters:
    ///   - error: The error that rejected the request.
    ///   - now: The time of the nonce; the system's clock by default.
    ///
    /// Source: RFC 6749, 5.2; RFC 9449, 8.
    public func error(rejecting error: JOSEError, at now: NumericDate? = nil) -> TokenError {
        addingNonce(to: TokenError(rejecting: error), at: now)
    }

    /// Returns the error, with a new nonce if the error is `use_dpop_nonce`.
    func addingNonce(to error: TokenError, at now: NumericDate?) -> TokenError {
        guard error.code == .useDPoPNonce, let proofs else { return error }
        var response = error
        do throws(JOSEError) {
            response.nonce = try proofs.freshNonce(at: now)
        } catch {
            return TokenError(.serverError)
        }
        return response
    }

    /// The response at `ProviderMetadata.discoveryURL(issuer:)` (OpenID Connect Discovery, 4.2).
    ///
    /// - Parameter maxAge: How long caches may keep the response: 0 to 86400 whole seconds.
    /// - Throws: `misuse` if it cannot be written, or for an invalid `maxAge`.
    public func discoveryResponse(maxAge: Duration = .seconds(300)) throws(JOSEError)
        -> OpenIDHTTPResponse
    {
        try .published(
            try discoveryDocument(), type: "application/json", maxAge: maxAge)
    }

    /// The response at `jwks_uri`; see `OpenIDHTTPResponse.keySet(_:for:maxAge:at:)`.
    ///
    /// - Throws: The errors of that function.
    public func keySetResponse(
        maxAge: Duration = .seconds(300), at now: NumericDate? = nil
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        try .keySet(keys, for: profile, maxAge: maxAge, at: now)
    }
}
