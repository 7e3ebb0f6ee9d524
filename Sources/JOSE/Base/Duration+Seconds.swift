// Durations of a caller as whole seconds, in which claims and messages count.

extension Duration {
    /// The number of seconds; -1, which is in no range of a rule, where it is not a whole number of
    /// them.
    package var wholeSeconds: Int {
        // A Duration may be longer than its components can tell.
        guard .seconds(-1) <= self, self <= .seconds(Int64.max) else { return -1 }
        let (seconds, attoseconds) = components
        return attoseconds == 0 ? Int(exactly: seconds) ?? -1 : -1
    }
}
