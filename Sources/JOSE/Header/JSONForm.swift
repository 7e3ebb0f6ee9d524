// The two forms of the JSON serialisations.

/// How a token of the JSON serialisations is written (RFC 7515, 7.2; RFC 7516, 7.2).
public enum JSONForm: Sendable, Hashable {
    /// One signature or recipient, its members in the outer object.
    case flattened
    /// A list of signatures or recipients, one or more.
    case general
}
