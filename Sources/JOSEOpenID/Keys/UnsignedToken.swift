// A token of ours between its making and its signature.

import JOSE

/// A token before it is signed: its claims, and the issuer and the recipient that it is for.
///
/// The claims are laid out once; the signature is made here or by an external key.
struct UnsignedToken: Sendable {
    let issuer: JWTIssuer
    /// The whole claims as JSON text.
    let claims: [UInt8]
    /// The recipient of an encrypted token; nil for a token that is only signed.
    var recipient: JWTRecipient?
    /// The time by which the recipient's certificates are checked; the system's clock if nil.
    var now: NumericDate?

    /// Signs with a key that is here.
    func signed() throws(JOSEError) -> String {
        try issuer.issue(checked: claims.span, encryptedFor: recipient, at: now)
    }

    /// Signs with a key that may be external.
    ///
    /// - Parameter end: The latest end of the caller's wait; nil leaves an external key the time
    ///   of its rule.
    nonisolated(nonsending) func signed(
        before end: ContinuousClock.Instant?
    ) async throws(JOSEError) -> String {
        try await issuer.issue(checked: claims, encryptedFor: recipient, at: now, before: end)
    }
}
