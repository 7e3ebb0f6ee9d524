// The texts of an error as Foundation's LocalizedError.

public import Foundation
public import JOSE

extension JOSEError: LocalizedError {
    /// `code at step: message`.
    public var errorDescription: String? { description }
    /// The message.
    public var failureReason: String? { message }
    /// The section of the article Errors that explains the error, such as `claim-exp`.
    public var helpAnchor: String? { ErrorPage.anchor(code, claim: claim) }
}
