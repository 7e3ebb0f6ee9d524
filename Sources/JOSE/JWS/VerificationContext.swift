// What one verification judges by, besides the rules of its verifier.

/// The rule for `typ`, the time, and where the steps are noted.
///
/// Lent to every step and never copied: a copy for each closure on the way cost a tenth of a
/// microsecond.
struct VerificationContext: ~Copyable {
    /// What the header's `typ` must be.
    var type = MediaTypeRule.any
    /// The time to judge by; the system's clock, read late, where none is given.
    var now: NumericDate?
    /// Where the steps are noted, for an explanation.
    var trace: Trace?
}
