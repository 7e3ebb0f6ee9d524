// What a type that holds secrets, tokens or claims shows of itself in logs, messages and dumps.

/// Shows `shownAs` wherever text is made of the value, and nothing of its members to `dump` and mirrors.
///
/// Public types adopt it; what they show is public by the protocols that it refines.
package protocol RedactedDescription: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// What the value is, in words that tell nothing of what it holds.
    var shownAs: String { get }
}

extension RedactedDescription {
    /// What the value is; nothing of what it holds.
    public var description: String { shownAs }
    /// The same as `description`.
    public var debugDescription: String { shownAs }
    /// Shows nothing to `dump`.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
