// Asking for the claims of an access token.

public import JOSE

extension RelyingParty {
    /// The request for the claims that `verifyUserInfo` reads.
    ///
    /// - Parameters:
    ///   - accessToken: The access token of the token answer.
    ///   - way: How it travels.
    /// - Throws: `misuse` for a provider without a UserInfo endpoint, `malformed` for a token that cannot be sent.
    public func userInfoRequest(
        accessToken: String, by way: UserInfoRequest.Way = .get
    ) throws(JOSEError) -> UserInfoRequest {
        try setup.userInfoRequest(accessToken, way)
    }
}

extension AsyncRelyingParty {
    /// The request for the claims that `verifyUserInfo` reads; see `RelyingParty.userInfoRequest`.
    public func userInfoRequest(
        accessToken: String, by way: UserInfoRequest.Way = .get
    ) throws(JOSEError) -> UserInfoRequest {
        try setup.userInfoRequest(accessToken, way)
    }
}

extension PartySetup {
    func userInfoRequest(
        _ accessToken: String, _ way: UserInfoRequest.Way
    ) throws(JOSEError) -> UserInfoRequest {
        guard let url = metadata.userInfoEndpoint else {
            throw .misuse("the provider has no UserInfo endpoint")
        }
        return try UserInfoRequest(
            way, url: url, accessToken: accessToken, accept: profile.userInfo.mediaType)
    }
}
