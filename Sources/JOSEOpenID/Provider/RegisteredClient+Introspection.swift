// Receiving introspection requests of resource servers, which are clients too (RFC 7662; RFC 9701, 4).

public import JOSE
import JOSEBytes

/// An introspection request whose client proved who it is.
public struct ReceivedIntrospection: Sendable {
    /// The token to tell of: look it up, or verify it.
    public let token: String
    /// `token_type_hint`.
    public let hint: String?
    /// Whether the answer is to be a token: the request's `Accept` names its media type.
    public let wantsToken: Bool
}

extension ReceivedIntrospection: RedactedDescription {
    package var shownAs: String { "received introspection" }
}

extension RegisteredClient {
    /// Receives an introspection request and proves that this client sent it; whoever does not prove itself is told nothing
    /// (RFC 9701, 8.2).
    ///
    /// - Parameters:
    ///   - body: The form.
    ///   - authorization: The `Authorization` header.
    ///   - accept: The `Accept` header.
    ///   - now: The time to judge by; the system's clock where none is given.
    /// - Throws: As for a token request; answer `OpenIDProvider.error(rejecting:)`.
    public func receiveIntrospectionRequest(
        _ body: String, authorization: String? = nil, accept: String? = nil,
        at now: NumericDate? = nil
    ) async throws(JOSEError) -> ReceivedIntrospection {
        let form = try OpenIDParameters(decoding: body)
        try checkServed()
        if let clientID = form["client_id"], !clientID.isExactly(registration.clientID) {
            throw .claimRejected("client_id", "it is another client's")
        }
        guard let token = form["token"] else { throw .malformed(.message, "the token is missing") }
        try await authenticate(form, authorization, to: .introspection, at: now ?? .now)
        return ReceivedIntrospection(
            token: token, hint: form["token_type_hint"],
            wantsToken: MediaType.isAccepted(IntrospectionRules.mediaType, by: accept))
    }
}
