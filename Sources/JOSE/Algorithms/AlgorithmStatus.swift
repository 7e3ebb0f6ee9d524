// How advisable an algorithm is.

/// How advisable an algorithm is today.
public enum AlgorithmStatus: String, Sendable, Hashable {
    /// A good choice. A policy can allow all recommended algorithms as a group.
    case recommended
    /// Secure; a policy must name it.
    case acceptable
    /// For old peers only; needs a package trait and a policy that names it.
    case legacy
}
