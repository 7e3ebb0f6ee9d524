// Durations of a caller as whole seconds, in which claims and messages count.

extension Duration {
    /// The number of seconds; -1, which is in no range of a rule, where it is not a whole number of
    /// them.
    package var wholeSeconds: Int {
        let (seconds, attoseconds) = components
        guard attoseconds == 0 else { return -1 }
        return Int(exactly: seconds) ?? -1
    }
}
