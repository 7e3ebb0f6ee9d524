// UserInfo requests (OpenID Connect Core, 5.3.1).

public import JOSE

extension RelyingParty {
    /// Makes a UserInfo request. Verify the response with `verifyUserInfo`.
    ///
    /// - Parameters:
    ///   - accessToken: The access token of the token response.
    ///   - method: The HTTP method, and where the token is sent.
    ///   - prover: The key that the access token is bound to, if its type is `.dpop`.
    ///   - nonce: The newest nonce of the provider, if it sent one.
    ///   - now: The time of the DPoP proof; the system clock by default.
    ///   - timeout: The time limit for an external key of the prover.
    /// - Throws: `misuse` for a provider without a UserInfo endpoint, and for a prover that the
    ///   provider does not accept, that is missing, or that is combined with `.postForm`.
    ///   `malformed` for an access token that is not a `b64token`. `unavailable`, `internal`.
    public func userInfoRequest(
        accessToken: String, method: OpenIDHTTPRequest.Method = .get, prover: DPoPProver? = nil,
        nonce: DPoPNonce? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> OpenIDHTTPRequest {
        guard let url = configuration.metadata.userInfoEndpoint else {
            throw .misuse("the provider's metadata has no userinfo_endpoint")
        }
        try configuration.check(prover)
        guard prover == nil || method != .postForm else {
            throw .misuse("a DPoP-bound token is sent in the header: use .get or .post")
        }
        return try OpenIDHTTPRequest(
            method, url: url, accessToken: accessToken,
            accept: configuration.profile.userInfo.acceptedMediaTypes.joined(separator: ", "),
            bound: await prover?.headers(
                method: method.name, url: url, accessToken: accessToken, nonce: nonce, at: now,
                timeout: timeout))
    }
}
