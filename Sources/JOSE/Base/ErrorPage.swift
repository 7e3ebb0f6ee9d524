// Where a rejection is explained to people: the article Errors, one section for each code and for each claim with rules.

/// The sections of the article Errors.
package enum ErrorPage {
    /// What stands before the anchor of a section; the package's address is set by `tools/run
    /// address`.
    private static let place: StaticString =
        "https://example.org/swift-jose/blob/main/Sources/JOSE/JOSE.docc/Errors.md"

    /// The claims that have a section of their own; each is named `claim` and its name.
    package static let claims = [
        "iss", "sub", "aud", "azp", "exp", "nbf", "iat", "auth_time", "nonce", "jti", "acr",
        "at_hash",
        "c_hash", "typ", "cnf", "scope", "events",
    ]

    /// The parameters of requests and the members of proofs and metadata, which have one section together.
    package static let parameters = [
        "access_token", "ath", "auth_req_id", "client_assertion", "client_assertion_type",
        "client_id",
        "client_notification_token", "client_secret", "code", "code_challenge", "code_verifier",
        "DPoP",
        "dpop_jkt", "grant_type", "htm", "htu", "introspection_endpoint", "issuer", "redirect_uri",
        "refresh_token", "request_uri", "resource", "state", "token_introspection",
    ]

    /// The section for a rejection, as its heading's anchor: `signature-invalid`, `claim-exp`.
    package static func anchor(_ code: JOSEError.Code, claim: String?) -> String {
        guard code == .claimRejected, let claim else { return code.name }
        if claims.contains(where: claim.isExactly) { return "claim-\(claim)" }
        return parameters.contains(where: claim.isExactly) ? "parameters-and-proofs" : code.name
    }

    /// The address of the section for a rejection, which ends in `Errors.md#claim-exp`.
    package static func address(_ code: JOSEError.Code, claim: String?) -> String {
        "\(place)#\(anchor(code, claim: claim))"
    }
}
