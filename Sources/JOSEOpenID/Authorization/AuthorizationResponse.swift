// The answer that the browser brings back: a code or an error, as values.

package import JOSE
import JOSEBytes

/// What came to the redirect address, after `state` was checked.
public enum AuthorizationResponse: Sendable, Hashable {
    /// The code for the token request.
    case code(String)
    /// The provider's error.
    case error(AuthorizationError)
    /// An error that came without `state`: nothing shows that it answers this request, or that the
    /// provider sent it.
    ///
    /// A provider that cannot read the request, such as one that does not know our key, cannot
    /// repeat its `state`. Anyone can send such a redirect: write it to the log, show a page with a
    /// text of your own, and keep the request that waits. The answer to that request may still
    /// come.
    case unauthenticatedError(AuthorizationError)
}

extension AuthorizationResponse {
    /// The most characters of a code that is read: 16,384. Providers that put the session into the
    /// code need thousands.
    public static let maxCodeBytes = 16_384

    /// The code, for who goes on with nothing else.
    ///
    /// - Throws: The provider's error, such as `access_denied`: the user said no.
    public func code() throws(AuthorizationError) -> String {
        switch self {
        case .code(let code): return code
        case .error(let error), .unauthenticatedError(let error): throw error
        }
    }

    /// The same answer, its texts byte for byte.
    public static func == (a: AuthorizationResponse, b: AuthorizationResponse) -> Bool {
        switch (a, b) {
        case (.code(let a), .code(let b)): a.isExactly(b)
        case (.error(let a), .error(let b)): a == b
        case (.unauthenticatedError(let a), .unauthenticatedError(let b)): a == b
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .code(let code): hasher.combine(ExactString(code))
        case .error(let error), .unauthenticatedError(let error): hasher.combine(error)
        }
    }
}

extension AuthorizationResponse: RedactedDescription {
    package var shownAs: String { "authorization answer" }
}

/// An error at the redirect address (RFC 6749, 4.1.2.1).
public struct AuthorizationError: Error, Hashable {
    /// What went wrong.
    public var code: OAuthErrorCode
    /// A text for developers, escaped where it was read: for logs, never for a page that a user
    /// sees. Whoever sends the redirect chooses it.
    public var description: String? {
        get { exactDescription?.text }
        set { exactDescription = ExactString(newValue) }
    }
    /// A page about it.
    public var uri: String? {
        get { exactURI?.text }
        set { exactURI = ExactString(newValue) }
    }
    private var exactDescription: ExactString?
    private var exactURI: ExactString?
    /// Whether the error came with the `state` of the request that it answers. Without, anyone may
    /// have sent it: end nothing because of it.
    public internal(set) var isAuthenticated = true

    /// An error.
    ///
    /// - Parameters:
    ///   - code: The registered word.
    ///   - description: `error_description`, for developers.
    ///   - uri: `error_uri`.
    public init(_ code: OAuthErrorCode, description: String? = nil, uri: String? = nil) {
        self.code = code
        self.description = description
        self.uri = uri
    }

    /// Reads `error` and its companions, which are in their readable form already; nil where there
    /// is no `error`.
    init?(_ parameters: OpenIDParameters) throws(JOSEError) {
        guard let name = parameters["error"] else { return nil }
        code = try OAuthErrorCode(name: name)
        description = parameters["error_description"]
        uri = parameters["error_uri"]
    }

    /// Writes the error; one guide wants a description with every one, so there always is one.
    func append(to parameters: inout OpenIDParameters) {
        parameters.append("error", code.name)
        parameters.append("error_description", description?.errorText ?? code.sentence)
        parameters.append("error_uri", uri?.errorURI)
    }
}

extension AuthorizationSession {
    /// Reads the plain answer that the browser brought.
    ///
    /// - Parameters:
    ///   - text: What stands behind the question mark, or the body of the post.
    ///   - carrier: What it came in.
    ///   - requiresIssuer: Whether the metadata say that `iss` is there (RFC 9207); it must always fit. Who has a party asks
    ///     it to read.
    /// - Throws: `claimRejected` with `state` or `iss` where one does not fit, in constant time for `state`;
    ///   `malformed` for anything that is not one answer, or one that came by another way than the asked one.
    package func response(
        _ text: String, in carrier: ResponseMode.Carrier, requiresIssuer: Bool = false
    ) throws(JOSEError) -> AuthorizationResponse {
        if let error = try unauthenticatedError(text, in: carrier) {
            return .unauthenticatedError(error)
        }
        let parameters = try parameters(text, in: carrier)
        let isSigned =
            parameters["response"] != nil && parameters["code"] == nil
            && parameters["error"] == nil
        guard !responseMode.isSigned, !isSigned else { throw AuthorizationSession.otherMode }
        return try response(parameters, requiresIssuer)
    }

    /// The token of the signed answer that the browser brought, unverified. What stands beside it counts for nothing.
    ///
    /// - Throws: `malformed` for a plain answer, one that came by another way than the asked one, or a text that is more than the
    ///   answer, such as a whole address.
    package func jarm(
        _ text: String, in carrier: ResponseMode.Carrier
    ) throws(JOSEError) -> String {
        guard responseMode.isSigned else { throw AuthorizationSession.otherMode }
        let parameters = try parameters(text, in: carrier)
        if let token = parameters["response"] { return token }
        guard parameters["code"] == nil, parameters["error"] == nil else {
            throw AuthorizationSession.otherMode
        }
        throw .malformed(
            .message, "the answer holds no response: give what stands behind the ? or the #")
    }

    private static var otherMode: JOSEError {
        .malformed(.message, "the answer came by another response mode")
    }

    private func parameters(
        _ text: String, in carrier: ResponseMode.Carrier
    ) throws(JOSEError) -> OpenIDParameters {
        guard carrier == responseMode.carrier else { throw AuthorizationSession.otherMode }
        return try OpenIDParameters(decoding: text)
    }

    /// Reads what a verified token says (JARM, 2.1): its parameters are texts.
    ///
    /// - Throws: As for a plain answer; `malformed` for a parameter that is no text.
    func response(_ token: VerifiedJWT) throws(JOSEError) -> AuthorizationResponse {
        var parameters = OpenIDParameters()
        let names = ["code", "state", "error", "error_description", "error_uri", "iss"]
        for (name, index) in zip(names, token.document.members(named: names)) {
            guard let index else { continue }
            guard let text = token.document.string(at: index) else {
                throw .malformed(.message, "a parameter of the signed answer is no text")
            }
            // As in a query, what is empty counts as absent.
            guard !text.isEmpty else { continue }
            switch name {
            case "error_description": parameters.append(name, ReadableText.description(text))
            case "error_uri": parameters.append(name, ReadableText.uri(text))
            default: parameters.append(name, text)
            }
        }
        return try response(parameters, true)
    }

    /// An error without `state`, also where another response mode was asked for: a provider that
    /// cannot read the request does not know its mode, and such an error comes in the query, or
    /// unsigned as the signed response would. Nil for any other answer.
    func unauthenticatedError(
        _ text: String, in carrier: ResponseMode.Carrier
    ) throws(JOSEError) -> AuthorizationError? {
        guard carrier == .query || carrier == responseMode.carrier else { return nil }
        return try unauthenticatedError(OpenIDParameters(decoding: text))
    }

    /// An error without `state` and without anything else that an answer has; nil for any other
    /// answer.
    private func unauthenticatedError(
        _ parameters: OpenIDParameters
    ) throws(JOSEError) -> AuthorizationError? {
        guard parameters["state"] == nil, parameters["code"] == nil,
            parameters["response"] == nil, var error = try AuthorizationError(parameters)
        else { return nil }
        if let issuer = parameters["iss"], !issuer.isExactly(self.issuer) {
            throw .claimRejected("iss", "the answer is of another provider")
        }
        error.isAuthenticated = false
        return error
    }

    private func response(
        _ parameters: OpenIDParameters, _ requiresIssuer: Bool
    ) throws(JOSEError) -> AuthorizationResponse {
        guard let state = parameters["state"], state.isSecretly(self.state) else {
            throw .claimRejected("state", "it is missing or not the one that was sent")
        }
        if let issuer = parameters["iss"] {
            guard issuer.isExactly(self.issuer) else {
                throw .claimRejected("iss", "the answer is of another provider")
            }
        } else if requiresIssuer {
            throw .claimRejected("iss", "it is required and missing")
        }
        let failure = try AuthorizationError(parameters)
        guard let code = parameters["code"] else {
            guard let failure else {
                throw .malformed(
                    .message,
                    "the answer holds neither a code nor an error: give what stands behind the ?")
            }
            return .error(failure)
        }
        guard failure == nil else {
            throw .malformed(.message, "the answer holds a code and an error")
        }
        guard code.utf8.count <= AuthorizationResponse.maxCodeBytes else {
            throw .limitExceeded(
                .message,
                "the code has {} characters; at most {} are read (AuthorizationResponse.maxCodeBytes)",
                .number(code.utf8.count), .number(AuthorizationResponse.maxCodeBytes))
        }
        guard code.isVisible else {
            throw .malformed(.message, "the code is not visible ASCII")
        }
        return .code(code)
    }
}
