// The response of the token endpoint to a refresh or client credentials request. It needs no ID
// Token.

public import JOSE
import JOSEBytes

/// A successful response to a refresh request (RFC 6749, 6; OpenID Connect Core, 12.2) or to client
/// credentials (RFC 6749, 4.4.3). It needs no ID Token.
public struct AccessTokenResponse: Sendable {
    var members: TokenMembers
    /// The new access token.
    public var accessToken: String { members.accessToken }
    /// An unverified new ID Token, if there is one. Verify it with `RelyingParty.verifyRefreshed`.
    public var idToken: String? {
        get { members.idToken }
        set { members.idToken = newValue }
    }
    /// The lifetime of the access token, 0 to 253402300799 whole seconds.
    public var expiresIn: Duration? {
        get { members.expiresInSeconds.map { .seconds($0) } }
        set { members.expiresInSeconds = newValue.map { Int64($0.wholeSeconds) } }
    }
    /// The refresh token to use from now on; nil to keep the old one. A provider that does not
    /// rotate refresh tokens may send the old one again.
    public var refreshToken: String? {
        get { members.refreshToken }
        set { members.refreshToken = newValue }
    }
    /// `scope`: the scopes of the access token, at most 256; nil if they are those of the request
    /// (RFC 6749, 5.1).
    public var scopes: [String]? {
        get { members.scopes }
        set { members.scopes = newValue }
    }
    /// How the access token is used.
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

    /// Reads the body of a response with an access token of this type.
    package init(
        json: String, type: AccessTokenType = .bearer, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        members = try TokenMembers(json: json, type: type, limits: limits)
    }

    /// Creates the HTTP response, which caches do not store.
    ///
    /// - Throws: `misuse` for a lifetime that is not 0 to 253402300799 seconds, and if the response
    ///   cannot be written.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        try members.response()
    }
}

extension AccessTokenResponse: RedactedDescription {}
