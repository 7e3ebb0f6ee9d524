// Tasks of JOSE's cookbook that are about claims, compiled; TokenRecipeTests runs them.

import JOSE

/// Judges access tokens (RFC 9068) of one issuer for a service with two names.
func accessTokens(issuer: String, names: [String], keys: PublicJWKSet) throws -> JWTVerifier {
    var limits = JOSELimits()
    limits.tokenBytes = 16_384
    return try JWTVerifier(
        policy: ClaimsPolicy(issuer: .exactly(issuer), audience: .anyOf(names), type: "at+jwt"),
        signature: .required(keys: keys, algorithms: [.rs256, .es256]), limits: limits)
}

/// A policy with checks of one's own: they run last, and a rejection names the claim.
func readers(issuer: String, audience: String) -> ClaimsPolicy {
    var policy = ClaimsPolicy(issuer: issuer, audience: audience)
    policy.requiredClaims = ["exp", "sub"]
    policy.require("roles", as: [JSONValue].self) { $0.contains("reader") }
    policy.require("tenant") { claims in
        // A claim may be missing here, and two that are missing would be equal.
        guard let tenant = claims["tenant"]?.string else { return false }
        return claims["azp"] == .string(tenant)  // JSONValue compares bytes, String letters
    }
    return policy
}

/// Judges tokens of several issuers, each by its own keys and rules; the keys may be behind URLs.
func tokens(of issuers: [(name: String, keys: any KeySource)]) throws -> AsyncJWTVerifier {
    try AsyncJWTVerifier(
        byIssuer: issuers.map { issuer in
            try AsyncJWTVerifier(
                issuer: issuer.name, audience: "client-1", keys: issuer.keys, algorithms: [.rs256])
        })
}

/// Takes each logout token once: it is verified, and its use is claimed behind every other check.
func logout(
    _ token: String, _ verifier: AsyncJWTVerifier, _ store: any ReplayStore
) async throws -> String? {
    let verified = try await verifier.verifyOnce(token, in: store, purpose: "logout")
    return verified.subject
}

/// Issues access tokens for ten minutes, with a member of one's own in the header.
func accessTokenIssuer(_ key: JWK) throws -> JWTIssuer {
    try JWTIssuer(
        key: key, algorithm: .es256, lifetime: .seconds(600), type: "at+jwt",
        header: HeaderParameters(additional: ["region": "eu"]))
}
