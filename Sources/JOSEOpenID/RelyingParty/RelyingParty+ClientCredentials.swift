// Client credentials (RFC 6749, 4.4) and token revocation (RFC 7009), by the client.

public import JOSE
import JOSEBytes

extension RelyingParty {
    /// Makes the request for an access token of the client itself, without a user. Read the
    /// response with `AccessTokenResponse`.
    ///
    /// - Parameters:
    ///   - scopes: The scopes of the access token; empty for the provider's default.
    ///   - resources: The resources of the access token: absolute URIs without fragment (RFC 8707).
    ///   - prover: The key to bind the access token to, if the provider supports DPoP.
    ///   - nonce: The newest nonce of the provider, if it sent one.
    ///   - now: The time of the client assertion; the system clock by default.
    ///   - timeout: The time limit for external keys.
    /// - Throws: `misuse` for a public client, an invalid scope, a resource that is not an absolute
    ///   URI, a missing prover, or a prover that the provider does not accept. `keyNotFound`,
    ///   `unavailable`, `internal`.
    ///
    /// Source: RFC 6749, 4.4.2.
    public func clientCredentialsRequest(
        scopes: [String] = [], resources: [String] = [], prover: DPoPProver? = nil,
        nonce: DPoPNonce? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> TokenRequest {
        guard configuration.profile.client.authentication != .publicClient else {
            throw .misuse("a public client has no credentials")
        }
        try configuration.check(prover)
        var form = OpenIDParameters([OpenIDParameter("grant_type", "client_credentials")])
        try form.append(scopes: scopes)
        try form.append(resources: resources)
        return try await tokenRequest(form, prover, nonce, now, timeout)
    }

    /// Makes the request that revokes an access or refresh token.
    ///
    /// Status 200 is success, even for an unknown token. Read other responses with
    /// `TokenError(response:)`. After status 503 the token may still be valid: send the request
    /// again later.
    ///
    /// - Parameters:
    ///   - token: The token, printable ASCII.
    ///   - hint: `token_type_hint`: `refresh_token` or `access_token`.
    ///   - now: The time of the client assertion; the system clock by default.
    ///   - timeout: The time limit for external keys.
    /// - Throws: `misuse` if the metadata has no `revocation_endpoint`. `malformed` for a token
    ///   that is not printable ASCII. `keyNotFound`, `unavailable`, `internal`.
    ///
    /// Source: RFC 7009, 2.1.
    public func revocationRequest(
        token: String, hint: String? = nil, at now: NumericDate? = nil, timeout: Duration? = nil
    ) async throws(JOSEError) -> TokenRequest {
        guard let url = AuthenticatedEndpoint.revocation.url(configuration.metadata) else {
            throw .misuse("the provider's metadata has no revocation_endpoint")
        }
        guard !token.isEmpty, token.isPrintableASCII else {
            throw .malformed(.message, "the token is not printable ASCII")
        }
        var request = RequestToSign(
            url: url, form: OpenIDParameters([OpenIDParameter("token", token)]))
        request.form.append("token_type_hint", hint)
        try configuration.authenticate(&request, to: .revocation, await recipient(), now)
        return try await request.signed(before: .end(of: timeout))
    }
}
