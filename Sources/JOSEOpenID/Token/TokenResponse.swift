// The answer of the token endpoint.

public import JOSE
import JOSEBytes

/// A successful answer of the token endpoint (RFC 6749, 5.1; OpenID Connect Core, 3.1.3.3).
public struct TokenResponse: Sendable {
    var members: TokenMembers
    /// The ID Token, unverified.
    public let idToken: String
    /// The access token for the UserInfo endpoint.
    public var accessToken: String { members.accessToken }
    /// How long the access token lives; 0 to 253402300799 whole seconds.
    public var expiresIn: Duration? { members.expiresInSeconds.map { .seconds($0) } }
    /// A refresh token, where the provider gives one.
    public var refreshToken: String? {
        get { members.refreshToken }
        set { members.refreshToken = newValue }
    }
    /// `scope`: what the access token is for; nil where it is all that was asked for, and to be said where it is not (RFC 6749, 5.1).
    /// At most 256 are read.
    public var scopes: [String]? {
        get { members.scopes }
        set { members.scopes = newValue }
    }
    /// How the access token is used.
    public var type: AccessTokenType { members.type }

    /// Reads the body of an answer with status 200.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - request: What it answers. Where that brought a proof, a bearer token is rejected: one that is bound to nothing is not what
    ///     was asked for (RFC 9449, 5).
    ///   - limits: Bounds on the answer.
    /// - Throws: `malformed` unless it has an access token of the request's type and an ID Token; `limitExceeded`.
    public init(
        json: String, to request: TokenRequest, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(json: json, type: request.tokenType, limits: limits)
    }

    /// As `init(json:to:limits:)`, for an access token that is used so.
    package init(
        json: String, type: AccessTokenType = .bearer, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        members = try TokenMembers(json: json, type: type, limits: limits)
        guard let identity = members.idToken, !identity.isEmpty else {
            throw .malformed(.message, "the response holds no ID Token")
        }
        idToken = identity
    }

    /// An answer to give, by hand.
    package init(
        accessToken: String, idToken: String, expiresInSeconds: Int64? = nil,
        type: AccessTokenType = .bearer
    ) {
        members = TokenMembers(accessToken, type, idToken: idToken, lives: expiresInSeconds)
        self.idToken = idToken
    }

    /// The answer to give, which no cache keeps (RFC 6749, 5.1).
    ///
    /// - Throws: As `json()`.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        try members.response()
    }

    /// The body of the answer.
    ///
    /// - Throws: `misuse` where it cannot be written, or for a life that is not 0 to 253402300799 seconds.
    public func json() throws(JOSEError) -> String { try members.json() }
}

extension TokenResponse: RedactedDescription {
    package var shownAs: String { "token answer" }
}
