// A rejected authorization request on its way to whoever is told of it.

import JOSE

/// Why a request is rejected, with the parameters that may say where the answer goes.
struct AuthorizationRejection: Error {
    let cause: JOSEError
    let errorCode: OAuthErrorCode
    let parameters: OpenIDParameters
    /// The broken rule of the profile, which the client may be told; nil where the cause is a check of a token.
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

    /// A signed request that was rejected, or something of what stands around it.
    init(signed cause: JOSEError, _ errorCode: OAuthErrorCode, _ parameters: OpenIDParameters) {
        self.init(
            cause, .serverSide(cause) ?? errorCode, parameters,
            rule: AuthorizationRejection.failure(of: cause))
    }

    /// In kind, what a client whose signature was right is told of its own object; nil for all else, keys and signatures first of all.
    private static func failure(of cause: JOSEError) -> StaticString? {
        if cause.code == .replayed {
            return "the signed request was used before, or is older than what is remembered"
        }
        guard cause.code == .claimRejected, let claim = cause.claim else { return nil }
        return failures.first { claim.isExactly($0.key) }?.value
    }

    private static let failures: KeyValuePairs<String, StaticString> = [
        "exp": "the signed request has ended, lives too long or does not say how long",
        "nbf": "the signed request does not count yet, lives too long or is too old",
        "iat": "the signed request is from the future or does not say when it was made",
        "aud": "the signed request is for another audience than this provider",
        "iss": "the signed request is not by the client that sends it",
        "jti": "the signed request has no jti, or none that can be remembered",
    ]

    /// The `error_description`.
    var description: String { rule?.description ?? errorCode.sentence }
}
