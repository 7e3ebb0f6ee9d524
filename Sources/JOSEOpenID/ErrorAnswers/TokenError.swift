// The error of the token endpoint: status 400 (401 for a client that did not prove itself) and JSON.

public import JOSE

/// An error answer of the token endpoint (RFC 6749, 5.2).
public struct TokenError: Sendable, Hashable {
    /// What went wrong.
    public var code: ErrorCode
    /// A text for developers.
    public var description: String?
    /// A page about it.
    public var uri: String?

    /// An error.
    public init(_ code: ErrorCode, description: String? = nil, uri: String? = nil) {
        self.code = code
        self.description = description
        self.uri = uri
    }

    /// Reads the body of an answer with status 400 or 401.
    ///
    /// - Throws: `malformed` for anything but an error answer; `limitExceeded`.
    public init(json: String, limits: Limits = .standard) throws(JOSEError) {
        let message = try JSONMessage(Array(json.utf8), limits: limits)
        guard let name = try message.string("error") else {
            throw .malformed(.message, "the answer holds no error")
        }
        code = try ErrorCode(name: name)
        description = try message.string("error_description")
        uri = try message.string("error_uri")
    }

    /// The HTTP status to answer with.
    public var status: Int { code == .invalidClient ? 401 : 400 }

    /// The body to answer with.
    ///
    /// - Throws: `misuse` where it cannot be written.
    public func json() throws(JOSEError) -> String {
        let bytes = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("error", code.name)
            if let description { members.string("error_description", description) }
            if let uri { members.string("error_uri", uri) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TokenError {
    /// What a provider answers to a token request that `error` refused; nothing of the cause but its class.
    public init(refusing error: JOSEError) {
        if error.code == .internal || error.code == .misuse {
            self.init(.serverError)
        } else if error.step == .message {
            self.init(.invalidRequest)
        } else {
            self.init(.invalidClient)
        }
    }

    /// What a provider answers where the client proved itself but its code was refused.
    public init(refusingGrant error: JOSEError) {
        self.init(error.code == .internal || error.code == .misuse ? .serverError : .invalidGrant)
    }
}
