// The claims of a client assertion (RFC 7523, 3; OpenID Connect Core, 9).

import JOSE

/// The claims of a client assertion. `JWTIssuer` adds `iat` and `exp`.
struct ClientAssertionClaims: Encodable {
    let iss: String
    let sub: String
    let aud: String
    let jti: String
}
