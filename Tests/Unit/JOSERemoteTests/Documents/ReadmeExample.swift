// The README's verifier of a JWT whose keys come from a URL, compiled.

import JOSE
import JOSERemote

func claimsOfToken(_ token: String) async throws -> VerifiedJWT {
    let keys = try RemoteJWKSet(url: "https://idp.example/jwks", transport: CurlTransport())
    let verifier = try AsyncJWTVerifier(
        issuer: "https://idp.example", audience: "my-api", keys: keys, algorithms: [.rs256])
    let jwt = try await verifier.verify(token)  // jwt.subject, jwt["scope"], …
    return jwt
}
