// The inputs of one verification besides the rules of its verifier.

/// The rule for `typ`, the time and the trace of one verification.
///
/// It is borrowed by every step and never copied: copies for closures cost a tenth of a
/// microsecond.
struct VerificationContext: ~Copyable {
    /// The rule for the header's `typ`.
    var type = MediaTypeRule.any
    /// The time for all checks; nil for the system clock, which is read only when it is needed.
    var now: NumericDate?
    /// Records the steps for an explanation.
    var trace: Trace?
}
