// Answers of the token endpoint by what they answer: it says how the access token is used, and which nonce comes next.

import JOSE

extension TokenResponse {
    /// The answer to a token request: its `token_type` is `DPoP` where that brought a proof, and a newer nonce goes with it where
    /// there is one.
    ///
    /// - Parameters:
    ///   - request: What is answered.
    ///   - accessToken: The access token, bound to `request.keyThumbprint`.
    ///   - idToken: The ID Token.
    ///   - expiresIn: How long the access token lives; 0 to 253402300799 whole seconds.
    ///
    /// Source: RFC 6749, 5.1; RFC 9449, 5 and 8.2.
    public init(
        to request: ReceivedTokenRequest, accessToken: String, idToken: String,
        expiresIn: Duration? = nil
    ) {
        self.init(
            accessToken: accessToken, idToken: idToken,
            expiresInSeconds: expiresIn.map { Int64($0.wholeSeconds) },
            type: request.tokenType)
        members.nonce = request.nextNonce
    }

    /// The answer to a question about a user without a browser, as to a token request.
    ///
    /// - Parameters:
    ///   - poll: What is answered.
    ///   - accessToken: The access token, bound to `poll.keyThumbprint`.
    ///   - idToken: The ID Token.
    ///   - expiresIn: How long the access token lives; 0 to 253402300799 whole seconds.
    public init(
        to poll: ReceivedBackchannelPoll, accessToken: String, idToken: String,
        expiresIn: Duration? = nil
    ) {
        self.init(
            accessToken: accessToken, idToken: idToken,
            expiresInSeconds: expiresIn.map { Int64($0.wholeSeconds) },
            type: poll.tokenType)
        members.nonce = poll.nextNonce
    }
}

extension RefreshResponse {
    /// The answer to a refresh request, as to a token request.
    ///
    /// - Parameters:
    ///   - request: What is answered.
    ///   - accessToken: The access token, bound to `request.keyThumbprint`.
    ///   - refreshToken: The next refresh token.
    ///   - idToken: A new ID Token.
    ///   - expiresIn: How long the access token lives; 0 to 253402300799 whole seconds.
    public init(
        to request: ReceivedRefreshRequest, accessToken: String, refreshToken: String? = nil,
        idToken: String? = nil, expiresIn: Duration? = nil
    ) {
        self.init(
            accessToken: accessToken, refreshToken: refreshToken, idToken: idToken,
            expiresInSeconds: expiresIn.map { Int64($0.wholeSeconds) }, type: request.tokenType)
        members.nonce = request.nextNonce
    }
}
