// The error response of the token endpoint (RFC 6749, 5.2).

public import JOSE
import JOSEBytes

/// An error of the token, pushed request or backchannel endpoint (RFC 6749, 5.2).
public struct TokenError: Error, Hashable {
    /// The error code.
    public var code: OAuthErrorCode
    /// `error_description`, for developers.
    public var description: String?
    /// `error_uri`: a web page about the error.
    public var uri: String?
    /// At a provider: the nonce to send in `DPoP-Nonce`; nil if none is required. A client reads
    /// this header of the response instead.
    public internal(set) var nonce: String?
    /// The HTTP status of the response; nil unless `init(response:)` read it.
    public internal(set) var httpStatus: Int?

    /// Creates an error; see the properties. A nil description becomes a default text.
    public init(_ code: OAuthErrorCode, description: String? = nil, uri: String? = nil) {
        self.code = code
        self.description = description
        self.uri = uri
    }

    /// Reads the body of an error response.
    ///
    /// Characters that a description or `error_uri` may not have (RFC 6749, 5.2) are escaped, such
    /// as `\u{a}` for a line break. A member that is not a string becomes nil.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - limits: Limits for the body.
    /// - Throws: `malformed` if the body is not an OAuth error; `limitExceeded`.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: limits)
        guard let name = try message.string("error") else {
            throw .malformed(.message, "the response is not an OAuth error: it has no member error")
        }
        code = try OAuthErrorCode(name: name)
        let document = message.document
        description = document.member("error_description").flatMap { document.string(at: $0) }
            .flatMap(EscapedText.description)
        uri = document.member("error_uri").flatMap { document.string(at: $0) }
            .flatMap(EscapedText.uri)
    }

    /// Reads an error response of the token, pushed request or backchannel endpoint.
    ///
    /// - Parameters:
    ///   - response: The response, with any status.
    ///   - limits: Limits for the body.
    /// - Throws: If the body is not an OAuth error, such as the page of a proxy: `unavailable` for
    ///   a status of at least 500, else `malformed`. The error text contains the status.
    public init(response: OpenIDHTTPResponse, limits: JOSELimits = .standard) throws(JOSEError) {
        do {
            try self.init(json: response.body, limits: limits)
        } catch {
            throw response.unreadableError
        }
        httpStatus = response.status
    }

    /// The HTTP status to send. It is 503 if a service that the provider needs is unavailable, 500
    /// if the provider failed, and 400 for other errors. It is 401 for a client that failed to
    /// authenticate with the header. A 401 must name a scheme (RFC 9110, 15.5.2), and
    /// authentication in the form has none.
    ///
    /// - Parameter authorization: The `Authorization` header of the request.
    ///
    /// Source: RFC 6749, 5.2.
    public func status(authorization: String?) -> Int {
        code == .invalidClient && authorization != nil ? 401 : code.errorStatus
    }

    /// Writes the body, always with an `error_description`.
    ///
    /// - Throws: `misuse` if it cannot be written.
    public func json() throws(JOSEError) -> String {
        let bytes = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("error", code.name)
            members.string("error_description", description?.errorText ?? code.sentence)
            if let uri = uri?.errorURI { members.string("error_uri", uri) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TokenError {
    private var texts: [ExactString?] { [ExactString(description), ExactString(uri)] }

    /// Compares code, description and URI, byte for byte. Nonce and status are not compared.
    public static func == (a: TokenError, b: TokenError) -> Bool {
        a.code == b.code && a.texts == b.texts
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(texts)
    }
}

extension TokenError {
    /// Creates the response to a token request that `error` rejected. The provider adds the nonce.
    /// The description names the authentication method if the client is not registered for it.
    package init(rejecting error: JOSEError) {
        self.init(
            OAuthErrorCode.serverSide(error) ?? TokenError.code(rejecting: error),
            description: UnregisteredMethod(error)?.description.description)
    }

    private static func code(rejecting error: JOSEError) -> OAuthErrorCode {
        if let proof = OAuthErrorCode(proof: error) { return proof }
        if error.claim?.isExactly("resource") == true { return .invalidTarget }
        if error.claim?.isExactly("grant_type") == true { return .unauthorizedClient }
        if error.claim?.isExactly("scope") == true { return .invalidScope }
        guard error.step == .message else { return .invalidClient }
        return error.code == .unsupported ? .unsupportedGrantType : .invalidRequest
    }

    /// Creates the response for an authenticated client whose grant was rejected.
    public init(rejectingGrant error: JOSEError) {
        let isTarget = error.claim?.isExactly("resource") == true
        let isScope = error.claim?.isExactly("scope") == true
        self.init(
            .serverSide(error)
                ?? (isTarget ? .invalidTarget : isScope ? .invalidScope : .invalidGrant))
    }
}
