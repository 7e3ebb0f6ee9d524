// Receives requests for access tokens with the client credentials grant (RFC 6749, 4.4).

public import JOSE
import JOSEBytes

extension RegisteredClient {
    /// A client credentials request of an authenticated client.
    ///
    /// Issue the token with `ClientTokenIssuer.accessToken`, with `clientID` as its `subject` (RFC
    /// 9068, 2.2). Users' subjects must never look like client identifiers (RFC 9700, 4.15).
    public struct ReceivedClientCredentials: Sendable {
        /// The client's `client_id`.
        public let clientID: String
        /// The requested scopes, all of which are registered. Without any, all registered scopes.
        public let scopes: [String]
        /// The values of `resource` (RFC 8707). Your code decides whether they are allowed.
        public let resources: [String]
        /// The thumbprint of the DPoP key, for the access token's `cnf`; nil without a proof.
        public let keyThumbprint: String?
        /// A new nonce for the response header `DPoP-Nonce`; nil if the client needs none.
        package let nextNonce: String?

        /// The `token_type` of the response.
        public var tokenType: AccessTokenType { keyThumbprint == nil ? .bearer : .dpop }
    }

    /// Receives a client credentials request and authenticates the client.
    ///
    /// `body` is the form with the `grant_type` `client_credentials`. For the other parameters see
    /// `receiveTokenRequest(_:authorization:proofs:at:)`.
    ///
    /// - Throws: As that function. `claimRejected` with `grant_type` or `scope` if the client did
    ///   not register for the grant or the scope. Respond with `OpenIDProvider.error(rejecting:)`.
    ///
    /// Source: RFC 6749, 4.4.2.
    public func receiveClientCredentialsRequest(
        _ body: String, authorization: String? = nil, proofs: [String] = [],
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> ReceivedClientCredentials {
        let form = try tokenForm(body, grant: "client_credentials")
        guard profile.accessToken.hasClientCredentials else {
            throw .unsupported(
                .message, "the profile has no client credentials (accessToken)")
        }
        let resources = try RegisteredClient.resources(form)
        let now = now ?? .now
        try await authenticate(form, authorization, at: now)
        guard let registered = registration.clientCredentialsScopes else {
            throw .claimRejected(
                "grant_type", "the client may not use it (ClientRegistration)")
        }
        let requested = form.words("scope")
        guard requested.allSatisfy({ name in registered.contains { $0.isExactly(name) } }) else {
            throw .claimRejected("scope", "it is not one of clientCredentialsScopes")
        }
        let proof = try await verify(proofs: proofs, to: .token, at: now)
        return ReceivedClientCredentials(
            clientID: registration.clientID, scopes: requested.isEmpty ? registered : requested,
            resources: resources, keyThumbprint: proof?.keyThumbprint,
            nextNonce: proof?.nextNonce)
    }
}

extension RegisteredClient.ReceivedClientCredentials: RedactedDescription {}
