// What a user may be shown of an error: a fixed text for each code.

extension OAuthErrorCode {
    /// A text for a page that a user sees, in English: one of a few constants, whatever the other
    /// side wrote.
    ///
    /// Neither `name` nor a description belongs on a page: whoever sends the redirect chooses them.
    public var pageText: String {
        switch self {
        case .accessDenied: "The sign-in was cancelled."
        case .serverError, .temporarilyUnavailable:
            "The provider cannot sign you in now. Try again later."
        case .interactionRequired, .loginRequired, .consentRequired, .accountSelectionRequired:
            "The provider has to ask you something. Begin again."
        case .unmetAuthenticationRequirements:
            "The provider cannot sign you in as this site requires."
        case .invalidRequest, .invalidRequestObject, .invalidRequestURI, .unauthorizedClient,
            .unsupportedResponseType, .invalidScope, .requestNotSupported,
            .requestURINotSupported, .registrationNotSupported, .notImplemented, .invalidTarget,
            .invalidAuthorizationDetails:
            "This site is not set up correctly at the provider. Tell its operator."
        default: "The sign-in failed. Begin again."
        }
    }
}
