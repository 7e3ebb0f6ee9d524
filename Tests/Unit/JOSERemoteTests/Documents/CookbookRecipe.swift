// The cookbook task of JOSE with keys behind a URL, compiled. CookbookRecipeTests runs it.

import JOSE
import JOSERemote

/// Verifies the access token of each request. Create it once, when the service starts.
struct TokenCheck {
    private let verifier: AsyncJWTVerifier

    /// Pass a `CurlTransport()`, one for all sets.
    init(transport: any JWKSetTransport) throws {
        let keys = try RemoteJWKSet(url: "https://idp.example/jwks", transport: transport)
        verifier = try AsyncJWTVerifier(
            issuer: "https://idp.example", audience: "api", keys: keys, algorithms: [.rs256],
            type: "at+jwt")
    }

    /// Returns the HTTP status and the user of the request.
    func check(_ token: String) async -> (status: Int, user: String?) {
        do {
            return (200, try await verifier.verify(token).subject)
        } catch {
            return switch error.code {
            case .unavailable: (503, nil)
            case .misuse, .internal: (500, nil)
            default: (401, nil)
            }
        }
    }
}
