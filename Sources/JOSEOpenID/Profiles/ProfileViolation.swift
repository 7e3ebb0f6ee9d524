// A broken rule, before it is known on which side: misuse where we build, an error answer where we receive.

import JOSE

/// Which rule of the profile an authorization request breaks.
struct ProfileViolation: Error {
    let reason: StaticString
    let response: OAuthErrorCode

    init(_ reason: StaticString, _ response: OAuthErrorCode = .invalidRequest) {
        self.reason = reason
        self.response = response
    }

    /// For the side that built the request.
    var misuse: JOSEError { .misuse(reason) }
    /// For the side that received it.
    var malformed: JOSEError { .malformed(.message, reason) }
}
