// The default error_description of each error code.

extension OAuthErrorCode {
    var sentence: String { OAuthErrorCode.sentences[self] ?? "the request was rejected" }

    private static let sentences: [OAuthErrorCode: String] = [
        .invalidRequest: "the request is malformed or incomplete",
        .invalidClient: "the client is unknown or failed to authenticate",
        .invalidGrant: "the grant is invalid, used, expired or was issued to another client",
        .unauthorizedClient: "the client is not authorized to do this",
        .unsupportedGrantType: "the grant type is not supported",
        .unsupportedResponseType: "the response type is not supported",
        .invalidScope: "a scope is missing or unknown",
        .accessDenied: "the user or the provider denied the request",
        .serverError: "the provider failed",
        .temporarilyUnavailable: "the provider is temporarily unavailable",
        .interactionRequired: "the user must interact with the provider",
        .loginRequired: "the user must sign in",
        .consentRequired: "the user must consent",
        .accountSelectionRequired: "the user must select an account",
        .unmetAuthenticationRequirements: "the required authentication is not possible",
        .invalidRequestObject: "the request object is invalid",
        .invalidRequestURI: "the request_uri is invalid",
        .requestNotSupported: "the parameter request is not supported",
        .requestURINotSupported: "the parameter request_uri is not supported",
        .registrationNotSupported: "the parameter registration is not supported",
        .invalidDPoPProof: "the DPoP proof is missing or invalid",
        .useDPoPNonce: "the DPoP proof must contain the nonce of this response",
        .expiredLoginHintToken: "the login_hint_token has expired",
        .unknownUserID: "the hint identifies no user",
        .missingUserCode: "user_code is required for this user",
        .invalidUserCode: "user_code is wrong",
        .invalidBindingMessage: "binding_message cannot be displayed",
        .authorizationPending: "the user has not decided yet",
        .slowDown: "the user has not decided yet; poll less often",
        .expiredToken: "the request has expired",
        .unsupportedTokenType: "tokens of this type cannot be revoked",
        .invalidTarget: "a resource is malformed, unknown or not allowed for this client",
        .invalidAuthorizationDetails:
            "authorization_details are malformed, unknown or not allowed for this client",
        .notImplemented: "the provider does not support this",
    ]
}
