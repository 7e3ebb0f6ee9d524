// What a public client's rules must be: it has no secret, and a code challenge in place of one.

import JOSE

extension OpenIDProfile {
    /// Throws `misuse` for rules that leave the codes of a public client without protection
    /// (RFC 9700, 2.1.1).
    func checkPublicClient(secret: ClientSecret?) throws(JOSEError) {
        guard client.authentication == .publicClient else { return }
        guard secret == nil else {
            throw .misuse(
                "a public client has no secret (client.authentication is .publicClient)")
        }
        guard authorization.requiresPKCE else {
            throw .misuse("a public client sends a code challenge (authorization.requiresPKCE)")
        }
    }
}
