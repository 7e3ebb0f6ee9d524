// What the operating system refuses, in one line for people.

import JOSEBytes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

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

    var message: String {
        guard !isContents else {
            return "cannot \(action.rawValue) a file: expected its name, found its contents"
        }
        return "cannot \(action.rawValue) \(printable(name)): \(reason)"
    }

    /// Whether a key or a JSON text was given in place of a file's name: it may be secret, and is not
    /// repeated.
    private var isContents: Bool {
        let start = name.utf8.first { $0 > 0x20 }
        return start == UInt8(ascii: "{") || start == UInt8(ascii: "[")
            || name.utf8.starts(with: "-----".utf8)
    }
}
