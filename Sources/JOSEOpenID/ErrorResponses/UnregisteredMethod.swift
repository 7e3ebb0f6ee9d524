// Clients that authenticate with another method than the registered one.

internal import JOSE

/// An authentication method that the client used, but is not registered for. `error`, for the
/// provider's log, names the registered method too; the response names only the used one.
enum UnregisteredMethod: CaseIterable {
    case basicInsteadOfPost
    case basicInsteadOfAssertion
    case postInsteadOfBasic
    case postInsteadOfAssertion
    case postOfPublicClient

    var error: JOSEError {
        switch self {
        case .basicInsteadOfPost:
            .claimRejected(
                "client_secret", "it came by HTTP Basic; the client registered client_secret_post")
        case .basicInsteadOfAssertion:
            .claimRejected(
                "client_assertion", "it came by HTTP Basic; the client registered private_key_jwt")
        case .postInsteadOfBasic:
            .claimRejected(
                "client_secret", "it came in the form; the client registered client_secret_basic")
        case .postInsteadOfAssertion:
            .claimRejected(
                "client_secret", "it came in the form; the client registered private_key_jwt")
        case .postOfPublicClient:
            .claimRejected(
                "client_secret", "it came in the form; the client is registered as a public client")
        }
    }

    var description: StaticString {
        switch self {
        case .basicInsteadOfPost, .basicInsteadOfAssertion:
            "the client used HTTP Basic and may not authenticate that way"
        case .postInsteadOfBasic, .postInsteadOfAssertion, .postOfPublicClient:
            "client_secret came in the body, and this client may not send it there"
        }
    }

    init?(_ error: JOSEError) {
        guard let used = Self.allCases.first(where: { $0.error == error }) else { return nil }
        self = used
    }
}
