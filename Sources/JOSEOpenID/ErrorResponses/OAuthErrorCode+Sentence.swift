// What each error code means, in a sentence for developers: an answer always says something.

extension OAuthErrorCode {
    /// The `error_description` where nobody has a better one.
    var sentence: String { OAuthErrorCode.sentences[self] ?? "the request was rejected" }

    private static let sentences: [OAuthErrorCode: String] = [
        .invalidRequest: "the request lacks something or is malformed",
        .invalidClient: "the client is unknown or did not prove who it is",
        .invalidGrant:
            "what was to be redeemed is wrong, was used, has ended or is another client's",
        .unauthorizedClient: "the client may not do this",
        .unsupportedGrantType: "the grant type is not supported",
        .unsupportedResponseType: "the response type is not supported",
        .invalidScope: "a scope is missing or unknown",
        .accessDenied: "the user or the provider rejected",
        .serverError: "the provider failed",
        .temporarilyUnavailable: "the provider cannot answer now",
        .interactionRequired: "the user has to be asked",
        .loginRequired: "the user has to sign in",
        .consentRequired: "the user has to consent",
        .accountSelectionRequired: "the user has to choose an account",
        .unmetAuthenticationRequirements: "the user cannot be asked in the way that was demanded",
        .invalidRequestObject: "the request object cannot be accepted",
        .invalidRequestURI: "the request_uri cannot be used",
        .requestNotSupported: "request is not supported",
        .requestURINotSupported: "request_uri is not supported",
        .registrationNotSupported: "registration is not supported",
        .invalidDPoPProof: "the proof of possession is missing or cannot be accepted",
        .useDPoPNonce: "the proof of possession must hold the nonce of this answer",
        .expiredLoginHintToken: "the login_hint_token has ended",
        .unknownUserID: "no user is known by the hint",
        .missingUserCode: "the user has a code, and the request does not",
        .invalidUserCode: "the user has another code",
        .invalidBindingMessage: "the message cannot be shown to the user",
        .authorizationPending: "the user has not decided yet",
        .slowDown: "the user has not decided yet, and the client asks too often",
        .expiredToken: "the user took too long",
        .invalidTarget: "a resource is malformed, unknown or not this client's",
        .invalidAuthorizationDetails: "details are malformed, unknown or not this client's",
        .notImplemented: "this provider does not have that",
    ]
}
