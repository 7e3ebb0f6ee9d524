// What a provider makes of a request: accepted, or rejected with what to tell the client.

public import JOSE

/// What a provider makes of a client's request.
public enum RequestResult<Request: Sendable, Rejection: Sendable>: Sendable {
    /// Go on with it: ask the user, or let it wait.
    case accepted(Request)
    /// Tell the client.
    case rejected(Rejection)
}

extension RequestResult where Request == PushedRequest, Rejection == RejectedRequest {
    /// The answer to give to the client, with a nonce where its proofs need one.
    ///
    /// - Throws: `misuse` where it cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        switch self {
        case .accepted(let request): try request.response()
        case .rejected(let rejected): try rejected.response()
        }
    }
}

/// A rejected pushed or backchannel request.
public struct RejectedRequest: Sendable {
    /// Why, for the log.
    public let cause: JOSEError
    /// What the client is told.
    public let error: TokenError
    private let hasHeader: Bool
    private let status: Int?

    /// - Parameters:
    ///   - error: What the client is told, with the nonce that it asks for.
    ///   - hasHeader: Whether the request had an `Authorization` header.
    ///   - status: Another status than the error's own.
    init(cause: JOSEError, error: TokenError, hasHeader: Bool, status: Int? = nil) {
        self.cause = cause
        self.error = error
        self.hasHeader = hasHeader
        self.status = status
    }

    /// The answer to give: as the token endpoint's (RFC 9126, 2.3; CIBA Core 1.0, 13), 413 for a
    /// request that is too large, 429 for a client that has too many waiting; with a nonce where
    /// `error` asks for one.
    ///
    /// - Throws: `misuse` where it cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        guard let status else { return try error.response(authorization: hasHeader ? "" : nil) }
        return try .notStored(try error.json(), type: "application/json", status: status)
    }
}

extension AuthorizationRejection {
    /// The error of the token, pushed or backchannel endpoint.
    var tokenError: TokenError { TokenError(errorCode, description: description) }
}
