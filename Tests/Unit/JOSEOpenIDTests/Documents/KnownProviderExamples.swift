// The examples of the page about known providers, word for word.

import JOSE
import JOSEOpenID

/// Verifies Keycloak's access tokens for an API. `realm` is the issuer.
func keycloakAccessTokens(
    realm: String, audience: String, keys: any KeySource
) throws -> AsyncJWTVerifier {
    var policy = ClaimsPolicy(issuer: realm, audience: audience)
    policy.require("typ", as: String.self) { $0 == "Bearer" }  // ID Tokens have "ID"
    return try AsyncJWTVerifier(policy: policy, keys: keys, algorithms: [.rs256])
}

/// Verifies access tokens of the Entra tenants that use this API. Each tenant is an issuer.
///
/// A token needs the API's `scope` (a user is signed in) or its `role` (an app in its own name).
func entraAccessTokens(
    tenants: [String], audience: String, scope: String, role: String,
    keys: (_ tenant: String) throws -> any KeySource
) throws -> AsyncJWTVerifier {
    try AsyncJWTVerifier(
        byIssuer: tenants.map { tenant in
            var policy = ClaimsPolicy(
                issuer: "https://login.microsoftonline.com/\(tenant)/v2.0", audience: audience)
            policy.requiredClaims = ["exp", "azp"]
            for claim in ["nonce", "at_hash", "c_hash"] {  // must be absent: no ID Tokens
                policy.require(claim) { $0[claim] == nil }
            }
            policy.require("scp") { claims in
                let scopes = claims["scp"]?.string?.split(separator: " ") ?? []
                let roles = claims["roles"]?.array?.compactMap(\.string) ?? []
                return scopes.contains { $0 == scope } || roles.contains(role)
            }
            return try AsyncJWTVerifier(
                policy: policy, keys: keys(tenant), algorithms: [.rs256])
        })
}

/// Verifies access tokens of a Cognito user pool for one app client.
func cognitoAccessTokens(
    region: String, pool: String, client: String, keys: any KeySource
) throws -> AsyncJWTVerifier {
    var policy = ClaimsPolicy(
        issuer: .exactly("https://cognito-idp.\(region).amazonaws.com/\(pool)"), audience: .any)
    policy.require("token_use", as: String.self) { $0 == "access" }
    policy.require("client_id", as: String.self) { $0 == client }
    return try AsyncJWTVerifier(policy: policy, keys: keys, algorithms: [.rs256])
}

/// Makes Apple's client secret, for an hour. Make a new one before it expires.
func appleSecret(key: JWK, team: String, client: String) throws -> ClientSecret {
    let issuer = try JWTIssuer(key: key, algorithm: .es256, lifetime: .seconds(3_600))
    return ClientSecret(
        try issuer.issue(["iss": team, "sub": client, "aud": "https://appleid.apple.com"]))
}

/// Verifies Google's ID Tokens that an app sends to your server. `apps` are the client IDs of the
/// apps, such as that for Android, which `azp` names.
func googleIDTokens(
    client: String, apps: [String], keys: any KeySource
) throws -> AsyncJWTVerifier {
    var policy = ClaimsPolicy.openID(issuer: "https://accounts.google.com", clientID: client)
    policy.issuer = .anyOf(["https://accounts.google.com", "accounts.google.com"])
    policy.trustedAudiences = apps
    return try AsyncJWTVerifier(policy: policy, keys: keys, algorithms: [.rs256])
}
