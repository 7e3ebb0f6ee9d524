// The authorization response: a code or an error.

package import JOSE
import JOSEBytes

/// The authorization response at the redirect URI. Responses other than `unauthenticatedError` had
/// the session's `state`.
public enum AuthorizationResponse: Sendable, Hashable {
    /// The code for the token request.
    case code(String)
    /// The provider's error.
    case error(AuthorizationError)
    /// An error without `state`, which anyone may have sent.
    ///
    /// A provider that cannot read the request does not know its `state`. Log the error and show a
    /// page with your own text. Keep the session: the response to its request may still come.
    case unauthenticatedError(AuthorizationError)
}

extension AuthorizationResponse {
    /// The maximum length of a code in bytes. Codes that contain the provider's session are long.
    public static let maxCodeBytes = 16_384

    /// Returns the code, or throws the error of the response.
    ///
    /// - Throws: The provider's error, such as `access_denied` if the user declined.
    public func code() throws(AuthorizationError) -> String {
        switch self {
        case .code(let code): return code
        case .error(let error), .unauthenticatedError(let error): throw error
        }
    }

    /// Compares strings byte by byte.
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

/// An error of an authorization response (RFC 6749, 4.1.2.1).
public struct AuthorizationError: Error, Hashable {
    /// `error`, such as `access_denied`. Do not trust it: the browser can change the response.
    public var code: OAuthErrorCode
    /// `error_description`, escaped. Use it in logs only, never on a page: the sender of the
    /// redirect chooses it.
    public var description: String? {
        get { exactDescription?.text }
        set { exactDescription = ExactString(newValue) }
    }
    /// `error_uri`: a page about the error.
    public var uri: String? {
        get { exactURI?.text }
        set { exactURI = ExactString(newValue) }
    }
    private var exactDescription: ExactString?
    private var exactURI: ExactString?
    /// Whether the response had the `state` of the request. If not, keep the session: anyone may
    /// have sent the error.
    public internal(set) var isAuthenticated = true

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: `error`.
    ///   - description: `error_description`, for developers.
    ///   - uri: `error_uri`.
    public init(_ code: OAuthErrorCode, description: String? = nil, uri: String? = nil) {
        self.code = code
        self.description = description
        self.uri = uri
    }

    /// Nil without `error`. `OpenIDParameters` has already escaped description and URI.
    init?(_ parameters: OpenIDParameters) throws(JOSEError) {
        guard let name = parameters["error"] else { return nil }
        code = try OAuthErrorCode(name: name)
        description = parameters["error_description"]
        uri = parameters["error_uri"]
    }

    /// Always writes a description: the guide of itsme's first generation requires it.
    func append(to parameters: inout OpenIDParameters) {
        parameters.append("error", code.name)
        parameters.append("error_description", description?.errorText ?? code.sentence)
        parameters.append("error_uri", uri?.errorURI)
    }
}

extension AuthorizationSession {
    /// Reads a plain response. An `iss` must match; `requiresIssuer` requires it (RFC 9207).
    ///
    /// - Throws: `claimRejected` with `state` (compared in constant time) or `iss`. `malformed` for
    ///   a malformed response, or one with another response mode than requested.
    package func response(
        _ text: String, in carrier: ResponseMode.Carrier, requiresIssuer: Bool = false
    ) throws(JOSEError) -> AuthorizationResponse {
        if let error = try unauthenticatedError(text, in: carrier) {
            return .unauthenticatedError(error)
        }
        let parameters = try readParameters(text, in: carrier)
        let hasJWT =
            parameters["response"] != nil && parameters["code"] == nil
            && parameters["error"] == nil
        guard !responseMode.isSigned, !hasJWT else { throw AuthorizationSession.otherMode }
        return try response(parameters, requiresIssuer)
    }

    /// Returns the unverified JWT of a signed response. Parameters next to it are ignored.
    ///
    /// - Throws: `malformed` for a plain response, another response mode, and a whole URL.
    package func jarm(
        _ text: String, in carrier: ResponseMode.Carrier
    ) throws(JOSEError) -> String {
        guard responseMode.isSigned else { throw AuthorizationSession.otherMode }
        let parameters = try readParameters(text, in: carrier)
        if let token = parameters["response"] { return token }
        guard parameters["code"] == nil, parameters["error"] == nil else {
            throw AuthorizationSession.otherMode
        }
        throw .malformed(
            .message, "there is no response parameter: pass the text after the ? or the #")
    }

    private static var otherMode: JOSEError {
        .malformed(.message, "the response came by another response_mode than the requested one")
    }

    private func readParameters(
        _ text: String, in carrier: ResponseMode.Carrier
    ) throws(JOSEError) -> OpenIDParameters {
        guard carrier == responseMode.carrier else { throw AuthorizationSession.otherMode }
        return try OpenIDParameters(decoding: text)
    }

    /// Reads the parameters of a verified JWT, which must be strings (JARM, 2.1).
    func response(_ token: VerifiedJWT) throws(JOSEError) -> AuthorizationResponse {
        var parameters = OpenIDParameters()
        let names = ["code", "state", "error", "error_description", "error_uri", "iss"]
        for (name, index) in zip(names, token.document.members(named: names)) {
            guard let index else { continue }
            guard let text = token.document.string(at: index) else {
                throw .malformed(.message, "a parameter of the signed response is not a string")
            }
            // As in a query, an empty value counts as absent.
            guard !text.isEmpty else { continue }
            switch name {
            case "error_description": parameters.append(name, EscapedText.description(text))
            case "error_uri": parameters.append(name, EscapedText.uri(text))
            default: parameters.append(name, text)
            }
        }
        return try response(parameters, true)
    }

    /// Returns an error without `state`, else nil. Such an error is unsigned, in the query or the
    /// requested carrier: a provider that cannot read the request does not know its mode.
    func unauthenticatedError(
        _ text: String, in carrier: ResponseMode.Carrier
    ) throws(JOSEError) -> AuthorizationError? {
        guard carrier == .query || carrier == responseMode.carrier else { return nil }
        return try unauthenticatedError(OpenIDParameters(decoding: text))
    }

    private func unauthenticatedError(
        _ parameters: OpenIDParameters
    ) throws(JOSEError) -> AuthorizationError? {
        guard parameters["state"] == nil, parameters["code"] == nil,
            parameters["response"] == nil, var error = try AuthorizationError(parameters)
        else { return nil }
        if let issuer = parameters["iss"], !issuer.isExactly(self.issuer) {
            throw .claimRejected("iss", "the response is from another provider")
        }
        error.isAuthenticated = false
        return error
    }

    private func response(
        _ parameters: OpenIDParameters, _ requiresIssuer: Bool
    ) throws(JOSEError) -> AuthorizationResponse {
        guard let state = parameters["state"], state.equalsConstantTime(self.state) else {
            throw .claimRejected("state", "it is missing or differs from the session's")
        }
        if let issuer = parameters["iss"] {
            guard issuer.isExactly(self.issuer) else {
                throw .claimRejected("iss", "the response is from another provider")
            }
        } else if requiresIssuer {
            throw .claimRejected("iss", "it is required and missing")
        }
        let failure = try AuthorizationError(parameters)
        guard let code = parameters["code"] else {
            guard let failure else {
                throw .malformed(
                    .message,
                    "there is neither a code nor an error: pass the whole query, form or fragment")
            }
            return .error(failure)
        }
        guard failure == nil else {
            throw .malformed(.message, "the response has both a code and an error")
        }
        guard code.utf8.count <= AuthorizationResponse.maxCodeBytes else {
            throw .limitExceeded(
                .message,
                "the code has {} bytes; at most {} are read (AuthorizationResponse.maxCodeBytes)",
                .number(code.utf8.count), .number(AuthorizationResponse.maxCodeBytes))
        }
        guard code.isPrintableASCII else {
            throw .malformed(.message, "the code is not printable ASCII")
        }
        return .code(code)
    }
}

extension AuthorizationResponse: RedactedDescription {}
