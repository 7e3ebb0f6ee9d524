// Checks that a public client has no secret and uses PKCE.

import JOSE

extension OpenIDProfile {
    /// Throws `misuse` for a public client with a secret or without PKCE (RFC 9700, 2.1.1).
    func checkPublicClient(secret: ClientSecret?) throws(JOSEError) {
        guard client.authentication == .publicClient else { return }
        guard secret == nil else {
            throw .misuse(
                "a public client has no secret (client.authentication is .publicClient)")
        }
        guard authorization.requiresPKCE else {
            throw .misuse("a public client needs PKCE: set authorization.requiresPKCE")
        }
    }
}
