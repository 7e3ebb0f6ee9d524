// What the tables say of a row besides its parameters.

/// How advisable an algorithm is today.
public enum AlgorithmStatus: String, Sendable, Hashable {
    /// A good choice; a policy may ask for all recommended rows as a group.
    case recommended
    /// Sound; used where a policy names it.
    case acceptable
    /// Kept for old peers; behind a package trait and a policy that names it.
    case legacy
}
