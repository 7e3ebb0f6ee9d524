// Fixed texts for the error codes, for pages that a user sees.

extension OAuthErrorCode {
    /// A text in English for a page that a user sees: a constant, never text of the other party.
    ///
    /// Do not show `name` or a description on a page. Anyone can open your redirect URI with an
    /// error and texts of their choice.
    public var pageText: String {
        switch self {
        case .accessDenied: "The sign-in was cancelled."
        case .serverError, .temporarilyUnavailable:
            "The provider cannot sign you in now. Try again later."
        case .interactionRequired, .loginRequired, .consentRequired, .accountSelectionRequired:
            "The provider needs your input. Please sign in again."
        case .unmetAuthenticationRequirements:
            "The provider cannot sign you in as this site requires."
        case .invalidRequest, .invalidRequestObject, .invalidRequestURI, .unauthorizedClient,
            .unsupportedResponseType, .invalidScope, .requestNotSupported,
            .requestURINotSupported, .registrationNotSupported, .notImplemented, .invalidTarget,
            .invalidAuthorizationDetails:
            "The sign-in is not set up correctly. Please contact the operator of this site."
        default: "The sign-in failed. Please try again."
        }
    }
}
