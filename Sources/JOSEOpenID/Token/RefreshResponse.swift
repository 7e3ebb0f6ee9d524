// The answer to a refresh request.

public import JOSE
import JOSEBytes

/// A successful answer to a refresh request (RFC 6749, 6; OpenID Connect Core, 12.2).
public struct RefreshResponse: Sendable {
    var members: TokenMembers
    /// The new access token.
    public var accessToken: String { members.accessToken }
    /// A new ID Token, unverified, where the provider gives one: see `RelyingParty.verifyRefreshed`.
    public var idToken: String? {
        get { members.idToken }
        set { members.idToken = newValue }
    }
    /// How long the access token lives; 0 to 253402300799 whole seconds.
    public var expiresIn: Duration? {
        get { members.expiresInSeconds.map { .seconds($0) } }
        set { members.expiresInSeconds = newValue.map { Int64($0.wholeSeconds) } }
    }
    /// What to refresh by from now on: where it is there, the old one is used up.
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

    /// An answer to give, by hand.
    package init(
        accessToken: String, refreshToken: String? = nil, idToken: String? = nil,
        expiresInSeconds: Int64? = nil, type: AccessTokenType = .bearer
    ) {
        members = TokenMembers(accessToken, type, idToken: idToken, lives: expiresInSeconds)
        members.refreshToken = refreshToken
    }

    /// Reads the body of an answer with status 200.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - request: What it answers. Where that brought a proof, a bearer token is rejected.
    ///   - limits: Bounds on the answer.
    /// - Throws: `malformed` unless it has an access token of the request's type; `limitExceeded`.
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
    }

    /// The answer to give, which no cache keeps.
    ///
    /// - Throws: `misuse` where it cannot be written, or for a life that is not 0 to 253402300799 seconds.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        try members.response()
    }
}

extension RefreshResponse: RedactedDescription {
    package var shownAs: String { "refresh answer" }
}
