// Creates token responses with the token type and the DPoP nonce that the request needs.

import JOSE

extension TokenResponse {
    /// Creates the response to a token request.
    ///
    /// Its `token_type` is `DPoP` if the request had a DPoP proof. It includes a new nonce if the
    /// client needs one.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - accessToken: The access token, bound to `request.keyThumbprint`.
    ///   - idToken: The ID Token.
    ///   - expiresIn: The lifetime of the access token; 0 to 253402300799 whole seconds.
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

    /// Creates the response to a poll of a backchannel request; see the initializer for a token
    /// request.
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

extension AccessTokenResponse {
    /// Creates the response to a client credentials request, with the request's scopes; see the
    /// initializer for a token request.
    public init(
        to request: RegisteredClient.ReceivedClientCredentials, accessToken: String,
        expiresIn: Duration? = nil
    ) {
        self.init(
            accessToken: accessToken,
            expiresInSeconds: expiresIn.map { Int64($0.wholeSeconds) }, type: request.tokenType)
        scopes = request.scopes.isEmpty ? nil : request.scopes
        members.nonce = request.nextNonce
    }

    /// Creates the response to a refresh request; see the initializer for a token request. Pass the
    /// next refresh token and a new ID Token, if any.
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
