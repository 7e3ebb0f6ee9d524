// What Foundation shows of an error: the same words as ours.

public import Foundation
public import JOSE

/// `localizedDescription` of Foundation; as everywhere, without token text.
extension JOSEError: LocalizedError {
    /// `code at step: message`.
    public var errorDescription: String? { description }
    /// The message alone.
    public var failureReason: String? { message }
    /// The section of the article Errors that explains it, such as `claim-exp`.
    public var helpAnchor: String? { ErrorPage.anchor(code, claim: claim) }
}
