// A token between writing its claims and signing it.

import JOSE

/// A token before it is signed: its claims, issuer and recipient.
///
/// The claims are written once; a local or an external key signs them.
struct UnsignedToken: Sendable {
    let issuer: JWTIssuer
    /// The claims as JSON text.
    let claims: [UInt8]
    /// The recipient of an encrypted token; nil for a token that is only signed.
    var recipient: JWTRecipient?
    /// The time for checking the recipient's certificates; the system's clock if nil.
    var now: NumericDate?

    /// Signs with a local key.
    func signed() throws(JOSEError) -> String {
        try issuer.issue(checked: claims.span, encryptedFor: recipient, at: now)
    }

    /// Signs with a key that may be external.
    ///
    /// - Parameter end: When the caller stops waiting; nil for the time limits of the key alone.
    nonisolated(nonsending) func signed(
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> String {
        try await issuer.issue(checked: claims, encryptedFor: recipient, at: now, before: end)
    }
}
