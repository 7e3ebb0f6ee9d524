// A caller's Duration as whole seconds.

extension Duration {
    /// The duration in whole seconds, or -1, which every range check rejects. It is -1 if the
    /// duration has a fraction, is negative or does not fit an `Int64`.
    package var wholeSeconds: Int {
        // `components` traps for a duration whose seconds do not fit an Int64.
        guard .zero <= self, self <= .seconds(Int64.max) else { return -1 }
        let (seconds, attoseconds) = components
        return attoseconds == 0 ? Int(exactly: seconds) ?? -1 : -1
    }
}
