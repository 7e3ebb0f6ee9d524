// A violated rule of a profile: misuse for the sender, malformed for the receiver.

import JOSE

struct ProfileViolation: Error {
    let reason: StaticString
    let errorCode: OAuthErrorCode

    init(_ reason: StaticString, _ errorCode: OAuthErrorCode = .invalidRequest) {
        self.reason = reason
        self.errorCode = errorCode
    }

    var misuse: JOSEError { .misuse(reason) }
    var malformed: JOSEError { .malformed(.message, reason) }
}
