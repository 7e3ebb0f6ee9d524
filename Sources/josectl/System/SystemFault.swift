// What the operating system refuses, in one line for people.

import Glibc

/// A file or stream that could not be read or written; ends the tool with exit code 3.
struct SystemFault: Error {
    enum Action: String {
        case read, write
    }
    let action: Action
    /// The path as the caller gave it, or the name of a standard stream.
    let name: String
    let reason: String

    init(_ action: Action, _ name: String, reason: String) {
        self.action = action
        self.name = name
        self.reason = reason
    }

    /// The reason is that of the last failed system call.
    init(_ action: Action, _ name: String, error: Int32 = errno) {
        // Safe: strerror always gives a text, which is copied at once.
        self.init(action, name, reason: unsafe String(cString: strerror(error)))
    }

    var message: String { "cannot \(action.rawValue) \(printable(name)): \(reason)" }
}

/// Foreign text in a form that cannot forge a line or move a cursor.
func printable(_ text: String, atMost most: Int = 200) -> String {
    var printed = ""
    for scalar in text.unicodeScalars.prefix(most) {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            printed += "\\u{" + String(scalar.value, radix: 16) + "}"
        default: printed.unicodeScalars.append(scalar)
        }
    }
    return text.unicodeScalars.dropFirst(most).isEmpty ? printed : printed + "…"
}
