// Asking for the claims of an access token.

public import JOSE

extension RelyingParty {
    /// The request for the claims that `verifyUserInfo` reads.
    ///
    /// - Parameters:
    ///   - accessToken: The access token of the token answer.
    ///   - way: How it travels.
    ///   - prover: The key that the token is bound to, where its type is `.dpop`; then it does not travel in a form.
    ///   - nonce: The nonce that the provider gave, where it asked for one.
    ///   - now: The time of the proof; the system's clock where none is given.
    ///   - timeout: How long an external key of the prover may take, within what its rule says.
    /// - Throws: `misuse` for a provider without a UserInfo endpoint or a bound token in a form, `malformed` for a token that cannot be sent.
    public func userInfoRequest(
        accessToken: String, by way: OpenIDHTTPRequest.Way = .get, prover: DPoPProver? = nil,
        nonce: DPoPNonce? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> OpenIDHTTPRequest {
        guard let url = setup.metadata.userInfoEndpoint else {
            throw .misuse("the provider has no UserInfo endpoint")
        }
        try setup.check(RelyingPartyConfiguration.ProofOrder(prover, nonce))
        guard prover == nil || way != .form else {
            throw .misuse("a token that is bound to a key travels in the header")
        }
        return try OpenIDHTTPRequest(
            way, url: url, accessToken: accessToken,
            accept: setup.profile.userInfo.acceptedMediaTypes.joined(separator: ", "),
            bound: await prover?.headers(
                method: way.method, url: url, accessToken: accessToken, nonce: nonce, at: now,
                timeout: timeout))
    }
}
