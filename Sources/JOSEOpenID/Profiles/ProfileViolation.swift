// A violated rule of a profile: misuse for the sender, an error response for the receiver.

import JOSE

/// The rule of the profile that an authorization request violates.
struct ProfileViolation: Error {
    let reason: StaticString
    let errorCode: OAuthErrorCode

    init(_ reason: StaticString, _ errorCode: OAuthErrorCode = .invalidRequest) {
        self.reason = reason
        self.errorCode = errorCode
    }

    /// The error for the party that builds the request.
    var misuse: JOSEError { .misuse(reason) }
    /// The error for the party that receives the request.
    var malformed: JOSEError { .malformed(.message, reason) }
}
