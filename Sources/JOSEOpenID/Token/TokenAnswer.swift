// The answer of the token endpoint.

public import JOSE
import JOSEBytes

/// A successful answer of the token endpoint (RFC 6749, 5.1; OpenID Connect Core, 3.1.3.3).
public struct TokenAnswer: Sendable {
    /// The access token for the UserInfo endpoint.
    public let accessToken: String
    /// The ID Token, unverified.
    public let idToken: String
    /// How long the access token lives, in seconds, 0 to 253402300799.
    public let expiresInSeconds: Int64?
    /// A refresh token, where the provider gives one.
    public var refreshToken: String?
    /// How the access token is used.
    public let type: AccessTokenType

    /// Reads the body of an answer with status 200.
    ///
    /// - Parameters:
    ///   - json: The body.
    ///   - type: How the access token must be used: `.dpop` where the request brought a proof, as one that is bound to nothing is then
    ///     not what was asked for (RFC 9449, 5).
    ///   - limits: Bounds on the answer.
    /// - Throws: `malformed` unless it has an access token of this type and an ID Token; `limitExceeded`.
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
        guard let identity = try message.string("id_token"), !identity.isEmpty else {
            throw .malformed(.message, "the answer holds no ID Token")
        }
        accessToken = access
        idToken = identity
        expiresInSeconds = try message.seconds("expires_in")
        refreshToken = try message.string("refresh_token")
    }

    /// An answer to give.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - idToken: The ID Token.
    ///   - expiresInSeconds: How long the access token lives.
    ///   - type: `ReceivedTokenRequest.tokenType`: how the access token is used.
    public init(
        accessToken: String, idToken: String, expiresInSeconds: Int64? = nil,
        type: AccessTokenType = .bearer
    ) {
        self.type = type
        self.accessToken = accessToken
        self.idToken = idToken
        self.expiresInSeconds = expiresInSeconds
        refreshToken = nil
    }

    /// The answer to give, which no cache keeps (RFC 6749, 5.1).
    ///
    /// - Parameter nonce: A newer nonce for proofs of possession, `ReceivedTokenRequest.nextNonce`.
    /// - Throws: As `json()`.
    public func answer(nonce: String? = nil) throws(JOSEError) -> HTTPAnswer {
        try .notStored(
            try json(), type: "application/json", further: HTTPAnswer.carrying(nonce: nonce))
    }

    /// The body of the answer.
    ///
    /// - Throws: `misuse` where it cannot be written, or for a life that is not 0 to 253402300799 seconds.
    public func json() throws(JOSEError) -> String {
        guard expiresInSeconds.map({ NumericDate.ages ~= $0 }) ?? true else {
            throw .misuse("an access token lives 0 to 253402300799 seconds")
        }
        let bytes = try ClaimsEncoder.object { (members) throws(JOSEError) in
            members.string("access_token", accessToken)
            members.string("token_type", type.rawValue)
            if let expiresInSeconds { members.integer("expires_in", expiresInSeconds) }
            members.string("id_token", idToken)
            if let refreshToken { members.string("refresh_token", refreshToken) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension TokenAnswer: RedactedDescription {
    package var shownAs: String { "token answer" }
}
