// A token whose claims are written but that is not signed yet.

import JOSE

struct UnsignedToken: Sendable {
    let issuer: JWTIssuer
    let claims: [UInt8]
    /// Nil for a token that is only signed.
    var recipient: JWTRecipient?
    /// The time for checking the recipient's certificates; nil for the system's clock.
    var now: NumericDate?

    func signed() throws(JOSEError) -> String {
        try issuer.issue(checked: claims.span, encryptedFor: recipient, at: now)
    }

    /// Signs with a local or an external key. `end` is when to stop waiting for the key; nil leaves
    /// only the time limit of the key itself.
    nonisolated(nonsending) func signed(
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> String {
        try await issuer.issue(checked: claims, encryptedFor: recipient, at: now, before: end)
    }
}
