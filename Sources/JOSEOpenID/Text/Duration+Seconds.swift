// Durations of a caller as the whole seconds in which OpenID Connect counts.

extension Duration {
    /// The number of seconds; -1, which is in no range of a rule, where it is not a whole number of
    /// them.
    var wholeSeconds: Int {
        let (seconds, attoseconds) = components
        guard attoseconds == 0 else { return -1 }
        return Int(exactly: seconds) ?? -1
    }
}
