// Tasks of JOSE's cookbook that are about claims, compiled; TokenRecipeTests runs them.

import JOSE

/// Makes a verifier of access tokens (RFC 9068) for a service with two names.
func accessTokens(issuer: String, names: [String], keys: PublicJWKSet) throws -> JWTVerifier {
    var limits = JOSELimits()
    limits.tokenBytes = 16_384
    return try JWTVerifier(
        policy: ClaimsPolicy(issuer: .exactly(issuer), audience: .anyOf(names), type: "at+jwt"),
        signature: .required(keys: keys, algorithms: [.rs256, .es256]), limits: limits)
}

/// Makes a policy with custom checks. They run last, and a rejection names the claim.
func readers(issuer: String, audience: String) -> ClaimsPolicy {
    var policy = ClaimsPolicy(issuer: issuer, audience: audience)
    policy.requiredClaims = ["exp", "sub"]
    policy.require("roles", as: [JSONValue].self) { $0.contains("reader") }
    policy.require("tenant") { claims in
        // Either claim may be missing, and two missing claims would be equal.
        guard let tenant = claims["tenant"]?.string else { return false }
        return claims["azp"] == .string(tenant)  // JSONValue compares bytes; String does not
    }
    return policy
}

/// Makes a verifier for several issuers, each with its own keys; these may be behind URLs.
func tokens(of issuers: [(name: String, keys: any KeySource)]) throws -> AsyncJWTVerifier {
    try AsyncJWTVerifier(
        byIssuer: issuers.map { issuer in
            try AsyncJWTVerifier(
                issuer: issuer.name, audience: "client-1", keys: issuer.keys, algorithms: [.rs256])
        })
}

/// Verifies a logout token and records its use after every other check.
func logout(
    _ token: String, _ verifier: AsyncJWTVerifier, _ store: any ReplayStore
) async throws -> String? {
    let verified = try await verifier.verifyOnce(token, in: store, purpose: "logout")
    return verified.subject
}

/// Issues access tokens for ten minutes, with a custom header parameter.
func accessTokenIssuer(_ key: JWK) throws -> JWTIssuer {
    try JWTIssuer(
        key: key, algorithm: .es256, lifetime: .seconds(600), type: "at+jwt",
        header: HeaderParameters(additional: ["region": "eu"]))
}
