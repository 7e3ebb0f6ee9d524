// Receives revocation requests (RFC 7009).

public import JOSE
import JOSEBytes

extension RegisteredClient {
    /// A revocation request of an identified client.
    ///
    /// Look the token up. If it belongs to `clientID`, revoke it and the other tokens of its grant.
    /// Then respond with `OpenIDHTTPResponse.revoked()`, also for an unknown, expired or revoked
    /// token. Respond with `TokenError(.unauthorizedClient)` for another client's token, and with
    /// `TokenError(.unsupportedTokenType)` for a JWT access token that cannot be revoked.
    public struct ReceivedRevocation: Sendable {
        let issuer: String
        /// Whether the client authenticated. A public client only sends its `client_id`.
        let isAuthenticated: Bool
        /// The hash of the token, as in `RefreshFamily.digest`.
        let digest: String
        /// The client's `client_id`.
        public let clientID: String
        /// The token to revoke. Compare its hash with the stored ones, or verify it.
        public let token: String
        /// `token_type_hint`, which may be wrong or unknown: search all kinds of tokens.
        public let hint: String?
        /// The `id` of the token's family if it is a refresh token; see `isAllowed(toRevoke:by:)`.
        public let familyID: String
    }

    /// Receives a revocation request. A confidential client must authenticate; a public client must
    /// send its `client_id`.
    ///
    /// - Parameters:
    ///   - body: The form.
    ///   - authorization: The `Authorization` header.
    ///   - now: The current time; the system's clock by default.
    /// - Throws: As `receiveTokenRequest(_:authorization:proofs:at:)`. Respond with
    ///   `OpenIDProvider.error(rejecting:)`.
    ///
    /// Source: RFC 7009, 2.1.
    public func receiveRevocationRequest(
        _ body: String, authorization: String? = nil, at now: NumericDate? = nil
    ) async throws(JOSEError) -> ReceivedRevocation {
        let form = try OpenIDParameters(decoding: body)
        try checkClient(of: form)
        guard let token = form["token"] else { throw .malformed(.message, "the token is missing") }
        try await authenticate(form, authorization, to: .revocation, at: now ?? .now)
        return ReceivedRevocation(
            issuer: provider.metadata.issuer,
            isAuthenticated: profile.client.authentication != .publicClient,
            digest: try SHA256String.make(of: token),
            clientID: registration.clientID, token: token, hint: form["token_type_hint"],
            familyID: token.pieces(at: UInt8(ascii: ".")).first ?? "")
    }

    /// Whether a request may revoke a family of refresh tokens. If so, delete the family and revoke
    /// its access tokens.
    ///
    /// The request and the family must belong to this client, and the token must be the valid one
    /// of the family. With rotation (`accessToken.rotatesRefreshTokens`), a client that
    /// authenticated may also send an old token. Of an old token only the family ID is compared, as
    /// its hash is not stored. A public client must send the valid token, since anyone can send its
    /// `client_id`.
    ///
    /// - Parameters:
    ///   - family: The stored family with the request's `familyID`.
    ///   - request: The received request.
    public func isAllowed(toRevoke family: RefreshFamily, by request: ReceivedRevocation) -> Bool {
        guard request.familyID.isExactly(family.id),
            isOwn(family.request.clientID, family.request.issuer),
            isOwn(request.clientID, request.issuer)
        else { return false }
        return request.digest.equalsConstantTime(family.digest)
            || request.isAuthenticated && profile.accessToken.rotatesRefreshTokens
    }
}

extension OpenIDHTTPResponse {
    /// Creates the response to a revocation request: status 200 without a body (RFC 7009, 2.2).
    ///
    /// - Throws: `misuse` if the response cannot be written.
    public static func revoked() throws(JOSEError) -> OpenIDHTTPResponse {
        try OpenIDHTTPResponse(status: 200, headers: notStored)
    }
}

extension RegisteredClient.ReceivedRevocation: RedactedDescription {}
