// The token endpoint's response to a refresh or client credentials request.

public import JOSE
import JOSEBytes

/// A successful response to a refresh request (RFC 6749, 6; OpenID Connect Core, 12.2) or a client
/// credentials request (RFC 6749, 4.4.3). An ID Token is optional.
public struct AccessTokenResponse: Sendable {
    var members: TokenMembers
    /// The new access token.
    public var accessToken: String { members.accessToken }
    /// The unverified new ID Token, if any. Verify it with `RelyingParty.verifyRefreshed`.
    public var idToken: String? {
        get { members.idToken }
        set { members.idToken = newValue }
    }
    /// The lifetime of the access token, 0 to 253402300799 whole seconds.
    public var expiresIn: Duration? {
        get { members.expiresInSeconds.map { .seconds($0) } }
        set { members.expiresInSeconds = newValue.map { Int64($0.wholeSeconds) } }
    }
    /// The refresh token to use from now on, possibly the old one; nil to keep the old one.
    public var refreshToken: String? {
        get { members.refreshToken }
        set { members.refreshToken = newValue }
    }
    /// `scope`: the token's scopes, at most 256; nil if they are the requested ones.
    public var scopes: [String]? {
        get { members.scopes }
        set { members.scopes = newValue }
    }
    /// Whether the access token is a bearer token or bound to a DPoP key.
    public var type: AccessTokenType { members.type }

    package init(
        accessToken: String, refreshToken: String? = nil, idToken: String? = nil,
        expiresInSeconds: Int64? = nil, type: AccessTokenType = .bearer
    ) {
        members = TokenMembers(
            accessToken, type, idToken: idToken, expiresInSeconds: expiresInSeconds)
        members.refreshToken = refreshToken
    }

    /// Reads the body of a response with status 200.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - request: The request. If it had a DPoP proof, a bearer token is rejected.
    ///   - limits: The limits of the body.
    /// - Throws: `malformed` unless the body has an access token of the request's type.
    ///   `limitExceeded`.
    public init(
        json: String, to request: TokenRequest, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(json: json, type: request.tokenType, limits: limits)
    }

    package init(
        json: String, type: AccessTokenType = .bearer, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        members = try TokenMembers(json: json, type: type, limits: limits)
    }

    /// Creates the HTTP response, which caches do not store.
    ///
    /// - Throws: The errors of `TokenResponse.json()`.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        try members.response()
    }
}

extension AccessTokenResponse: RedactedDescription {}
