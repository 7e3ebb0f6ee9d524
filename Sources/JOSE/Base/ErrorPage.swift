// Finds the section of Errors.md that explains an error.

package enum ErrorPage {
    /// Claims with a section of their own, `claim NAME`.
    package static let claims = [
        "iss", "sub", "aud", "azp", "exp", "nbf", "iat", "auth_time", "nonce", "jti", "acr",
        "at_hash", "c_hash", "typ", "cnf", "scope", "events",
    ]

    /// Request parameters, proof members and metadata members. They share one section.
    package static let parameters = [
        "access_token", "ath", "auth_req_id", "authorization_servers", "client_assertion",
        "client_assertion_type", "client_id", "client_notification_token", "client_secret", "code",
        "code_challenge",
        "code_verifier", "DPoP", "dpop_jkt", "grant_type", "htm", "htu",
        "introspection_endpoint", "issuer", "post_logout_redirect_uri", "redirect_uri",
        "refresh_token", "request_uri", "resource", "state", "token_introspection",
    ]

    /// Returns the anchor of an error's section, such as `signature-invalid` or `claim-exp`.
    package static func anchor(_ code: JOSEError.Code, claim: String?) -> String {
        guard code == .claimRejected, let claim else { return code.name }
        if claims.contains(where: claim.isExactly) { return "claim-\(claim)" }
        return parameters.contains(where: claim.isExactly) ? "parameters-and-proofs" : code.name
    }

    package static func path(_ code: JOSEError.Code, claim: String?) -> String {
        "Sources/JOSE/JOSE.docc/Errors.md#\(anchor(code, claim: claim))"
    }
}
