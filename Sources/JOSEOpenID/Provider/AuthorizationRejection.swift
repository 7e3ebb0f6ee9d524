// A rejected authorization request, with the destination of the error response.

import JOSE

/// A rejected request. `parameters` name the redirect URI and the `state` of the error response.
struct AuthorizationRejection: Error {
    let cause: JOSEError
    let errorCode: OAuthErrorCode
    let parameters: OpenIDParameters
    /// The violated rule as text for the client; nil for the default text of the error code.
    let rule: StaticString?

    init(
        _ cause: JOSEError, _ errorCode: OAuthErrorCode, _ parameters: OpenIDParameters,
        rule: StaticString? = nil
    ) {
        self.cause = cause
        self.errorCode = errorCode
        self.parameters = parameters
        self.rule = rule
    }

    init(_ violation: ProfileViolation, _ parameters: OpenIDParameters) {
        self.init(violation.malformed, violation.errorCode, parameters, rule: violation.reason)
    }

    init(ofObject cause: JOSEError, _ errorCode: OAuthErrorCode, _ parameters: OpenIDParameters) {
        self.init(
            cause, .serverSide(cause) ?? errorCode, parameters,
            rule: AuthorizationRejection.objectErrorText(of: cause))
    }

    /// Returns the text for a correctly signed object that was used before or has an invalid claim.
    /// Returns nil for other errors, such as those of keys and signatures.
    private static func objectErrorText(of cause: JOSEError) -> StaticString? {
        if cause.code == .replayed {
            return "the signed request was used before, or is older than the replay store's records"
        }
        guard cause.code == .claimRejected, let claim = cause.claim else { return nil }
        return objectErrorTexts.first { claim.isExactly($0.key) }?.value
    }

    private static let objectErrorTexts: KeyValuePairs<String, StaticString> = [
        "exp": "the signed request has expired, is valid for too long or has no exp",
        "nbf": "the signed request is not valid yet, is valid for too long or is too old",
        "iat": "the signed request was issued in the future or has no iat",
        "aud": "the signed request is for another audience than this provider",
        "iss": "the signed request was not issued by the client that sent it",
        "jti": "the signed request has no jti, or one that cannot be stored",
    ]

    /// The `error_description` for the client.
    var description: String { rule?.description ?? errorCode.sentence }
}
