// The documents of a provider as answers of HTTP, and its errors, with the nonce that they ask for.

public import JOSE

extension OpenIDProvider {
    /// What to answer to a request to the token endpoint that `error` rejected, or to another where a client proves itself;
    /// nothing of the cause but its class. `use_dpop_nonce` brings a fresh nonce.
    ///
    /// - Parameters:
    ///   - error: What rejected the request.
    ///   - now: The time of the nonce; the system's clock where none is given.
    ///
    /// Source: RFC 6749, 5.2; RFC 9449, 8.
    public func error(rejecting error: JOSEError, at now: NumericDate? = nil) -> TokenError {
        bringingNonce(TokenError(rejecting: error), at: now)
    }

    /// The error, with a nonce where it asks for one.
    func bringingNonce(_ error: TokenError, at now: NumericDate?) -> TokenError {
        guard error.code == .useDPoPNonce, let proofs else { return error }
        var response = error
        do throws(JOSEError) {
            response.nonce = try proofs.freshNonce(at: now)
        } catch {
            // A client that is told to bring a nonce and given none could only ask again.
            return TokenError(.serverError)
        }
        return response
    }

    /// The answer at `ProviderMetadata.discoveryURL(issuer:)` (OpenID Connect Discovery 1.0, 4.2).
    ///
    /// - Parameter maxAge: How long caches may keep it, 0 to 86400 whole seconds.
    /// - Throws: `misuse` where it cannot be written, and for the time.
    public func discoveryResponse(maxAge: Duration = .seconds(300)) throws(JOSEError)
        -> OpenIDHTTPResponse
    {
        try .published(
            try discoveryDocument(), type: "application/json", maxAge: maxAge)
    }

    /// The answer at `jwks_uri`; see `OpenIDHTTPResponse.keySet`.
    ///
    /// - Throws: As there.
    public func keySetResponse(
        maxAge: Duration = .seconds(300), at now: NumericDate? = nil
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        try .keySet(keys, for: profile, maxAge: maxAge, at: now)
    }
}
