// The error of the token endpoint: JSON, and a status that says whose fault it is.

public import JOSE
import JOSEBytes

/// An error answer of the token endpoint (RFC 6749, 5.2).
public struct TokenError: Error, Hashable {
    /// What went wrong.
    public var code: OAuthErrorCode
    /// A text for developers.
    public var description: String?
    /// A page about it.
    public var uri: String?
    /// The value of `DPoP-Nonce` to answer with; nil where no proof was rejected for its nonce.
    public internal(set) var nonce: String?
    /// The HTTP status that it came with; nil unless `init(response:)` read it.
    public internal(set) var httpStatus: Int?

    /// An error.
    ///
    /// - Parameters:
    ///   - code: The registered word.
    ///   - description: `error_description`, for developers; nil for what the code means.
    ///   - uri: `error_uri`.
    public init(_ code: OAuthErrorCode, description: String? = nil, uri: String? = nil) {
        self.code = code
        self.description = description
        self.uri = uri
    }

    /// Reads the body of an answer with status 400, 401, 500 or 503. Characters that a description
    /// or the URL of a page may not have (RFC 6749, 5.2) are escaped, such as `\u{a}` for a line
    /// break; either is nil if it is no text.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - limits: Bounds on it.
    /// - Throws: `malformed` for anything but an error answer; `limitExceeded`.
    public init(json: String, limits: JOSELimits = .standard) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: limits)
        guard let name = try message.string("error") else {
            throw .malformed(.message, "the answer holds no error")
        }
        code = try OAuthErrorCode(name: name)
        let document = message.document
        description = document.member("error_description").flatMap { document.string(at: $0) }
            .flatMap(ReadableText.description)
        uri = document.member("error_uri").flatMap { document.string(at: $0) }
            .flatMap(ReadableText.uri)
    }

    /// Reads an error answer of the token, pushed or backchannel endpoint with its HTTP status.
    ///
    /// - Parameters:
    ///   - answer: What came instead of the successful answer, in any status.
    ///   - limits: Bounds on the body.
    /// - Throws: Where the body is no error of OAuth, such as the page of a proxy: `unavailable`
    ///   for a status from 500 on, else `malformed`. The text has the status.
    public init(response: OpenIDHTTPResponse, limits: JOSELimits = .standard) throws(JOSEError) {
        do {
            try self.init(json: response.body, limits: limits)
        } catch {
            throw response.withoutError
        }
        httpStatus = response.status
    }

    /// The HTTP status to answer with: 503 where something that the provider needs cannot answer now, 500 where the provider
    /// itself failed, 401 for a client that tried to prove itself by the `Authorization` header and did not, 400 for all else.
    ///
    /// A 401 must name a scheme (RFC 9110, 15.5.2), and there is none for a client that proves itself in the form.
    ///
    /// - Parameter authorization: The `Authorization` header of the request.
    ///
    /// Source: RFC 6749, 5.2.
    public func status(authorization: String?) -> Int {
        switch code {
        case .invalidClient: authorization == nil ? 400 : 401
        case .temporarilyUnavailable: 503
        case .serverError: 500
        default: 400
        }
    }

    /// The body to answer with; it always has an `error_description`.
    ///
    /// - Throws: `misuse` where it cannot be written.
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

    /// The same error, its texts byte for byte; a nonce and a status are of one answer and no part
    /// of it.
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
    /// What a provider answers to a token request that `error` rejected; nothing of the cause but
    /// its class, and by which method a client came that may not use it (`otherMethod`): the form
    /// (`invalid_request`, `unsupported_grant_type`, `unauthorized_client`, `invalid_target`), a client that did not prove itself (`invalid_client`), or its
    /// proof of possession (`invalid_dpop_proof`, `use_dpop_nonce`, whose nonce the provider adds).
    package init(rejecting error: JOSEError) {
        let code = OAuthErrorCode.ours(error) ?? TokenError.code(rejecting: error)
        self.init(code, description: TokenError.otherMethod(error, code)?.description)
    }

    /// What a client is told that proved itself by another method than the one that it is
    /// registered for: the method that it used, and not the one that it registered. Nil for any
    /// other error.
    static func otherMethod(_ error: JOSEError, _ code: OAuthErrorCode) -> StaticString? {
        guard code == .invalidClient else { return nil }
        let reason = "\(error.reason.text)"
        if reason.begins(with: "it came in the form;") {
            return "client_secret came in the body, and this client may not send it there"
        }
        guard reason.begins(with: "it came by HTTP Basic;") else { return nil }
        return "the client came by HTTP Basic, and may not prove itself so"
    }

    private static func code(rejecting error: JOSEError) -> OAuthErrorCode {
        if let proof = OAuthErrorCode(proof: error) { return proof }
        if error.claim?.isExactly("resource") == true { return .invalidTarget }
        if error.claim?.isExactly("grant_type") == true { return .unauthorizedClient }
        guard error.step == .message else { return .invalidClient }
        return error.code == .unsupported ? .unsupportedGrantType : .invalidRequest
    }

    /// What a provider answers where the client proved itself but its code was rejected.
    public init(rejectingGrant error: JOSEError) {
        let isTarget = error.claim?.isExactly("resource") == true
        let isScope = error.claim?.isExactly("scope") == true
        self.init(
            .ours(error) ?? (isTarget ? .invalidTarget : isScope ? .invalidScope : .invalidGrant))
    }
}
