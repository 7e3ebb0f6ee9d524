// RedactedDescription: the descriptions of types that hold secrets, tokens or claims.

/// Converts a value to the text `shownAs`, and hides its members from `dump` and mirrors. Public
/// types inherit the public members below.
package protocol RedactedDescription: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The kind of value, without any contents. By default it is the type's name.
    var shownAs: String { get }
}

extension RedactedDescription {
    package var shownAs: String { "\(Self.self)" }
    /// The kind of value, without its contents.
    public var description: String { shownAs }
    /// The same as `description`.
    public var debugDescription: String { shownAs }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
