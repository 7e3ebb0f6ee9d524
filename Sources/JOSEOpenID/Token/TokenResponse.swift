// The token endpoint's response to a code or backchannel (CIBA) grant.

public import JOSE
import JOSEBytes

/// A successful response of the token endpoint (RFC 6749, 5.1; OpenID Connect Core, 3.1.3.3).
public struct TokenResponse: Sendable {
    var members: TokenMembers
    /// The unverified ID Token. Verify it with `RelyingParty.verifyIDToken`.
    public let idToken: String
    /// The access token for UserInfo and other APIs.
    public var accessToken: String { members.accessToken }
    /// The lifetime of the access token, 0 to 253402300799 whole seconds.
    public var expiresIn: Duration? { members.expiresInSeconds.map { .seconds($0) } }
    /// The refresh token, if there is one.
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

    /// Reads the body of a response with status 200. Read other statuses with `TokenError`.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - request: The request. If it had a DPoP proof, a bearer token is rejected, since no key
    ///     protects a bearer token (RFC 9449, 5).
    ///   - limits: The limits of the body.
    /// - Throws: `malformed` unless the body has an access token of the request's type and an ID
    ///   Token. `limitExceeded`.
    public init(
        json: String, to request: TokenRequest, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(json: json, type: request.tokenType, limits: limits)
    }

    package init(
        json: String, type: AccessTokenType = .bearer, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        members = try TokenMembers(json: json, type: type, limits: limits)
        guard let token = members.idToken, !token.isEmpty else {
            throw .malformed(.message, "the ID Token (id_token) is missing")
        }
        idToken = token
    }

    package init(
        accessToken: String, idToken: String, expiresInSeconds: Int64? = nil,
        type: AccessTokenType = .bearer
    ) {
        members = TokenMembers(
            accessToken, type, idToken: idToken, expiresInSeconds: expiresInSeconds)
        self.idToken = idToken
    }

    /// Creates the HTTP response, which caches do not store (RFC 6749, 5.1).
    ///
    /// - Throws: The errors of `json()`.
    public func response() throws(JOSEError) -> OpenIDHTTPResponse {
        try members.response()
    }

    /// Returns the body of the response.
    ///
    /// - Throws: `misuse` for a lifetime that is not 0 to 253402300799 seconds, for an empty list
    ///   of scopes, for an invalid scope, and if the response cannot be written.
    public func json() throws(JOSEError) -> String { try members.json() }
}

extension TokenResponse: RedactedDescription {}
