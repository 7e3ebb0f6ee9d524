// A refused authorization request on its way to whoever is told of it.

import JOSE

/// Why a request is refused, with the parameters that may say where the answer goes.
struct AuthorizationRefusal: Error {
    let cause: JOSEError
    let answer: OAuthErrorCode
    let parameters: OpenIDParameters
    /// The broken rule of the profile, which the client may be told; nil where the cause is a check of a token.
    let rule: StaticString?

    init(
        _ cause: JOSEError, _ answer: OAuthErrorCode, _ parameters: OpenIDParameters,
        rule: StaticString? = nil
    ) {
        self.cause = cause
        self.answer = answer
        self.parameters = parameters
        self.rule = rule
    }

    init(_ breach: RuleBreach, _ parameters: OpenIDParameters) {
        self.init(breach.malformed, breach.answer, parameters, rule: breach.reason)
    }

    /// The `error_description`.
    var description: String { rule?.description ?? answer.sentence }
}
