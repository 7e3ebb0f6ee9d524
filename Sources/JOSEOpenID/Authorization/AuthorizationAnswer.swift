// The answer that the browser brings back: a code or an error, as values.

package import JOSE
import JOSEBytes

/// What came to the redirect address, after `state` was checked.
public enum AuthorizationAnswer: Sendable, Hashable {
    /// The code for the token request.
    case code(String)
    /// The provider's error.
    case error(AuthorizationError)
}

extension AuthorizationAnswer {
    /// The same answer, its texts byte for byte.
    public static func == (a: AuthorizationAnswer, b: AuthorizationAnswer) -> Bool {
        switch (a, b) {
        case (.code(let a), .code(let b)): a.isExactly(b)
        case (.error(let a), .error(let b)): a == b
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .code(let code): hasher.combine(ExactText(code))
        case .error(let error): hasher.combine(error)
        }
    }
}

extension AuthorizationAnswer: RedactedDescription {
    package var shownAs: String { "authorization answer" }
}

/// An error at the redirect address (RFC 6749, 4.1.2.1).
public struct AuthorizationError: Sendable, Hashable {
    /// What went wrong.
    public var code: OAuthErrorCode
    /// A text for developers.
    public var description: String?
    /// A page about it.
    public var uri: String?

    /// An error.
    public init(_ code: OAuthErrorCode, description: String? = nil, uri: String? = nil) {
        self.code = code
        self.description = description
        self.uri = uri
    }

    /// Reads `error` and its companions; nil where there is no `error`. A companion with characters that it may not have
    /// (RFC 6749, 4.1.2.1) is left out.
    init?(_ parameters: OpenIDParameters) throws(JOSEError) {
        guard let name = parameters["error"] else { return nil }
        code = try OAuthErrorCode(name: name)
        description = parameters["error_description"]?.errorText
        uri = parameters["error_uri"]?.errorAddress
    }

    /// Writes the error; one guide wants a description with every one, so there always is one.
    func append(to parameters: inout OpenIDParameters) {
        parameters.append("error", code.name)
        parameters.append("error_description", description?.errorText ?? code.sentence)
        parameters.append("error_uri", uri?.errorAddress)
    }
}

extension AuthorizationError {
    private var texts: [ExactText?] { [description, uri].map { $0.map(ExactText.init) } }

    /// The same error, its texts byte for byte.
    public static func == (a: AuthorizationError, b: AuthorizationError) -> Bool {
        a.code == b.code && a.texts == b.texts
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(texts)
    }
}

extension RememberedRequest {
    /// Reads the answer in the query of the redirect.
    ///
    /// - Parameters:
    ///   - query: What stands behind the question mark.
    ///   - requiresIssuer: Whether the metadata say that `iss` is there (RFC 9207); it must always fit. Who has a party asks
    ///     it to read.
    /// - Throws: `claimRejected` with `state` or `iss` where one does not fit, in constant time for `state`;
    ///   `malformed` for anything that is not one answer, or one that came by another way than the asked one.
    package func answer(
        query: String, requiresIssuer: Bool = false
    ) throws(JOSEError) -> AuthorizationAnswer {
        guard responseMode == .query else {
            throw .malformed(.message, "the answer came by another response mode")
        }
        return try answer(OpenIDParameters(decoding: query), requiresIssuer)
    }

    /// Reads the answer that the browser posted as a form.
    ///
    /// - Parameters:
    ///   - form: The body of the post.
    ///   - requiresIssuer: As for a query.
    /// - Throws: As for a query.
    package func answer(
        form: String, requiresIssuer: Bool = false
    ) throws(JOSEError) -> AuthorizationAnswer {
        guard responseMode == .formPost else {
            throw .malformed(.message, "the answer came by another response mode")
        }
        return try answer(OpenIDParameters(decoding: form), requiresIssuer)
    }

    private func answer(
        _ parameters: OpenIDParameters, _ requiresIssuer: Bool
    ) throws(JOSEError) -> AuthorizationAnswer {
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
                throw .malformed(.message, "the answer holds neither a code nor an error")
            }
            return .error(failure)
        }
        guard failure == nil else {
            throw .malformed(.message, "the answer holds a code and an error")
        }
        guard code.utf8.count <= 4_096, code.isVisible else {
            throw .malformed(.message, "the code is not visible ASCII")
        }
        return .code(code)
    }
}
