// A request that a relying party pushes, and what it is answered (RFC 9126).

public import JOSE
import JOSEBytes

/// A request that is to be pushed before the browser is sent.
public struct PushedAuthorization: Sendable {
    /// The POST to the pushed authorization request endpoint.
    public let request: TokenRequest
    /// What to keep until the answer of the redirect comes.
    public let session: AuthorizationSession
}

extension PushedAuthorization: RedactedDescription {
    package var shownAs: String { "pushed authorization" }
}

/// The answer to a pushed request that was accepted.
public struct PushedAuthorizationResponse: Sendable {
    /// `request_uri`: what the browser brings in the request's place.
    public let reference: String
    /// How long it can be brought, in seconds, 1 to 253402300799.
    public let expiresInSeconds: Int64

    /// Reads the body of an answer with status 201; other answers are a `TokenError`.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - limits: Bounds on it.
    /// - Throws: `malformed` unless it has an absolute `request_uri` without fragment of at most 512 characters and a
    ///   positive `expires_in`; `limitExceeded`.
    ///
    /// Source: RFC 9126, 2.2; RFC 9101, 5.2.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: limits)
        try message.checkIsNoError()
        guard let reference = try message.string("request_uri"), reference.utf8.count <= 512,
            WebURL.isRedirect(reference)
        else { throw .malformed(.message, "the answer holds no request_uri") }
        guard let seconds = try message.seconds("expires_in"), seconds > 0 else {
            throw .malformed(.message, "expires_in is no positive number of seconds")
        }
        self.reference = reference
        expiresInSeconds = seconds
    }
}

extension PushedAuthorizationResponse: RedactedDescription {
    package var shownAs: String { "pushed answer" }
}
