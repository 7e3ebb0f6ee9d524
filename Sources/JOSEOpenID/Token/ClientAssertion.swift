// The claims of a client assertion (RFC 7523, 3; OpenID Connect Core, 9).

import JOSE

/// What a client says of itself at the token endpoint; `iat` and `exp` are added by the issuer.
struct ClientAssertionClaims: Encodable {
    let iss: String
    let sub: String
    let aud: String
    let jti: String
}
