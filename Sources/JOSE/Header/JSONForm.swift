// The two forms of the JSON serialisations.

/// The form of a JSON serialisation (RFC 7515, 7.2; RFC 7516, 7.2).
public enum JSONForm: Sendable, Hashable {
    /// One signature or recipient, with its members in the outer object.
    case flattened
    /// A list of signatures or recipients, one or more.
    case general
}
