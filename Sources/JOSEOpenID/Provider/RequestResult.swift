// The result of receiving a request: accepted, or rejected with a response.

public import JOSE

/// The result of receiving a client's request.
public enum RequestResult<Request: Sendable, Rejection: Sendable>: Sendable {
    /// The request is valid: go on with it.
    case accepted(Request)
    /// The request is invalid: send the response to the client.
    case rejected(Rejection)
}

extension RequestResult where Request == PushedRequest, Rejection == RejectedRequest {
    /// The HTTP response for the client, with a DPoP nonce if the client needs one.
    ///
    /// - Throws: `misuse` if it cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        switch self {
        case .accepted(let request): try request.response()
        case .rejected(let rejected): try rejected.response()
        }
    }
}

/// A rejected pushed or backchannel request.
public struct RejectedRequest: Sendable {
    /// The cause, for the log.
    public let cause: JOSEError
    /// The error for the client.
    public let error: TokenError
    /// Whether the request had an `Authorization` header.
    let hasHeader: Bool
    /// The HTTP status; nil for the status of `error`.
    var status: Int?

    /// The HTTP response, in the format of the token endpoint (RFC 9126, 2.3; CIBA Core 1.0, 13).
    /// For a pushed request the status is 413 if it is too large, and 429 for too many requests.
    ///
    /// - Throws: `misuse` if it cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        guard let status else { return try error.response(authorization: hasHeader ? "" : nil) }
        return try .notStored(try error.json(), type: "application/json", status: status)
    }
}

extension AuthorizationRejection {
    var tokenError: TokenError { TokenError(errorCode, description: description) }
}
