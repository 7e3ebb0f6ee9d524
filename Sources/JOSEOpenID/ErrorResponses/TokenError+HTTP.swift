// The error of the token endpoint as an answer of HTTP.

public import JOSE

extension TokenError {
    /// The answer to a token request, with the error's nonce.
    ///
    /// - Parameter authorization: The `Authorization` header of the request. A client that tried to prove itself by it is
    ///   told 401 and the scheme; one that proves itself in the form is told 400, as a 401 must name a scheme and there is
    ///   none for that.
    /// - Throws: `misuse` where it cannot be written.
    ///
    /// Source: RFC 6749, 5.2; RFC 9110, 15.5.2.
    public func response(authorization: String? = nil) throws(JOSEError) -> OpenIDHTTPResponse {
        let isChallenge = code == .invalidClient && authorization != nil
        return try .notStored(
            try json(), type: "application/json", status: isChallenge ? 401 : code.errorStatus,
            further: isChallenge
                ? [OpenIDParameter("WWW-Authenticate", "Basic realm=\"token\", charset=\"UTF-8\"")]
                : OpenIDHTTPResponse.carrying(nonce: nonce))
    }
}

extension OAuthErrorCode {
    /// The status that says whose fault it is: 503 and 500 for the provider's, 400 for all else.
    var errorStatus: Int {
        switch self {
        case .temporarilyUnavailable: 503
        case .serverError: 500
        default: 400
        }
    }
}

extension OpenIDHTTPResponse {
    /// The page for a user whose request was rejected where nothing may be redirected; nothing of the cause but whose fault
    /// it is.
    ///
    /// - Parameters:
    ///   - error: What rejected the request: status 503 for `unavailable`, 500 where the provider failed, 400 for all else.
    ///   - text: The one sentence of the page.
    /// - Throws: `misuse` where it cannot be written.
    public static func page(
        rejecting error: JOSEError, text: String = "This request cannot be answered."
    ) throws(JOSEError) -> OpenIDHTTPResponse {
        try ResponsePage.text(
            text, status: (OAuthErrorCode.ours(error) ?? .invalidRequest).errorStatus)
    }
}
