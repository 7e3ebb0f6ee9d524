// The HTTP responses for token endpoint errors, and an error page for the user.

public import JOSE

extension TokenError {
    /// The HTTP response to a token request, with the error's nonce.
    ///
    /// - Parameter authorization: The `Authorization` header of the request; see
    ///   `status(authorization:)`. A response with status 401 names the scheme Basic.
    /// - Throws: `misuse` if it cannot be written.
    ///
    /// Source: RFC 6749, 5.2; RFC 9110, 15.5.2.
    public func response(authorization: String? = nil) throws(JOSEError) -> OpenIDHTTPResponse {
        let isChallenge = code == .invalidClient && authorization != nil
        return try .notStored(
            try json(), type: "application/json", status: status(authorization: authorization),
            further: isChallenge
                ? [OpenIDParameter("WWW-Authenticate", "Basic realm=\"token\", charset=\"UTF-8\"")]
                : OpenIDHTTPResponse.carrying(nonce: nonce))
    }
}

extension OAuthErrorCode {
    var errorStatus: Int {
        switch self {
        case .temporarilyUnavailable: 503
        case .serverError: 500
        default: 400
        }
    }
}

extension OpenIDHTTPResponse {
    /// An error page for the user, for a rejected request that has no trusted redirect URI.
    ///
    /// - Parameters:
    ///   - error: The error that rejected the request. It sets only the status: 503 for
    ///     `unavailable`, 500 for a failure of the provider, 400 for everything else.
    ///   - text: The sentence on the page.
    /// - Throws: `misuse` if it cannot be written.
    public static func page(
        rejecting error: JOSEError, text: String = "This request cannot be processed."
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        try ResponsePage.text(
            text, status: (OAuthErrorCode.serverSide(error) ?? .invalidRequest).errorStatus)
    }
}
