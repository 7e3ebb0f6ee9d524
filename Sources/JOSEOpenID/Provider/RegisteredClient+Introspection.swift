// Receives introspection requests of resource servers, which are clients (RFC 7662; RFC 9701, 4).

public import JOSE
import JOSEBytes

/// An introspection request of an authenticated client.
public struct ReceivedIntrospection: Sendable {
    /// The token to describe. Look it up, or verify it.
    public let token: String
    /// `token_type_hint`.
    public let hint: String?
    /// Whether the response must be a JWT: the `Accept` header contains its media type.
    public let wantsToken: Bool
}

extension RegisteredClient {
    /// Receives an introspection request and authenticates the client (RFC 9701, 8.2).
    ///
    /// - Parameters:
    ///   - body: The form.
    ///   - authorization: The `Authorization` header.
    ///   - accept: The `Accept` header.
    ///   - now: The current time; the system's clock by default.
    /// - Throws: As `receiveTokenRequest(_:authorization:proofs:at:)`. Respond with
    ///   `OpenIDProvider.error(rejecting:)`.
    public func receiveIntrospectionRequest(
        _ body: String, authorization: String? = nil, accept: String? = nil,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> ReceivedIntrospection {
        let form = try OpenIDParameters(decoding: body)
        try checkClient(of: form)
        guard let token = form["token"] else { throw .malformed(.message, "the token is missing") }
        try await authenticate(form, authorization, to: .introspection, at: now ?? .now)
        return ReceivedIntrospection(
            token: token, hint: form["token_type_hint"],
            wantsToken: MediaType.isAccepted(IntrospectionRules.mediaType, by: accept))
    }
}

extension ReceivedIntrospection: RedactedDescription {}
