// The answer to a refresh request.

public import JOSE
import JOSEBytes

/// A successful answer to a refresh request (RFC 6749, 6; OpenID Connect Core, 12.2).
public struct RefreshAnswer: Sendable {
    /// The new access token.
    public let accessToken: String
    /// A new ID Token, unverified, where the provider gives one: see `RelyingParty.verifyRefreshed`.
    public var idToken: String?
    /// How long the access token lives, in seconds, 0 to 253402300799.
    public var expiresInSeconds: Int64?
    /// What to refresh by from now on: where it is there, the old one is used up.
    public var refreshToken: String?

    /// How the access token is used.
    public let type: AccessTokenType

    /// An answer to give.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - refreshToken: The next refresh token.
    ///   - idToken: A new ID Token.
    ///   - expiresInSeconds: How long the access token lives.
    ///   - type: `ReceivedRefreshRequest.tokenType`: how the access token is used.
    public init(
        accessToken: String, refreshToken: String? = nil, idToken: String? = nil,
        expiresInSeconds: Int64? = nil, type: AccessTokenType = .bearer
    ) {
        self.type = type
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.expiresInSeconds = expiresInSeconds
    }

    /// Reads the body of an answer with status 200.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - type: How the access token must be used: `.dpop` where the request brought a proof.
    ///   - limits: Bounds on the answer.
    /// - Throws: `malformed` unless it has an access token of this type; `limitExceeded`.
    public init(
        json: String, type: AccessTokenType = .bearer, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        var bounds = limits
        // Two tokens and a few words.
        bounds.tokenBytes = limits.tokenBytes * 2
        let message = try JSONMessage(Array(json.utf8), limits: bounds)
        guard let word = try message.string("token_type"), AccessTokenType(word: word) == type
        else { throw .malformed(.message, "token_type is not the one that was asked for") }
        self.type = type
        guard let access = try message.string("access_token"), !access.isEmpty, access.isVisible
        else { throw .malformed(.message, "the answer holds no access token") }
        accessToken = access
        idToken = try message.string("id_token")
        expiresInSeconds = try message.seconds("expires_in")
        refreshToken = try message.string("refresh_token")
    }

    /// The answer to give, which no cache keeps.
    ///
    /// - Parameter nonce: A newer nonce for proofs of possession, `ReceivedRefreshRequest.nextNonce`.
    /// - Throws: `misuse` where it cannot be written, or for a life that is not 0 to 253402300799 seconds.
    public func answer(nonce: String? = nil) throws(JOSEError) -> HTTPAnswer {
        guard expiresInSeconds.map({ NumericDate.ages ~= $0 }) ?? true else {
            throw .misuse("an access token lives 0 to 253402300799 seconds")
        }
        let bytes = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("access_token", accessToken)
            members.string("token_type", type.rawValue)
            if let expiresInSeconds { members.integer("expires_in", expiresInSeconds) }
            if let refreshToken { members.string("refresh_token", refreshToken) }
            if let idToken { members.string("id_token", idToken) }
        }
        return try .notStored(
            String(decoding: bytes, as: UTF8.self), type: "application/json",
            further: HTTPAnswer.carrying(nonce: nonce))
    }
}

extension RefreshAnswer: RedactedDescription {
    package var shownAs: String { "refresh answer" }
}
