// Errors of reading and writing files, and values given instead of a file name.

import JOSEBytes

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A file or stream cannot be read or written. The exit code is 3.
struct SystemError: Error {
    enum Action: String {
        case read, write
    }
    let action: Action
    /// The path from the command line, or the name of a standard stream.
    let name: String
    let reason: String

    init(_ action: Action, _ name: String, reason: String) {
        self.action = action
        self.name = name
        self.reason = reason
    }

    init(_ action: Action, _ name: String, error: Int32 = errno) {
        // Safe: strerror always returns a text, which is copied immediately.
        self.init(action, name, reason: unsafe String(cString: strerror(error)))
    }

    /// Replaces the file name by the option: the user may have given the secret instead of a name.
    func withoutName(_ option: String) -> SystemError {
        SystemError(
            action, "the file of --\(option)",
            reason: "\(reason) (the option takes the name of a file, not its content)")
    }

    var message: String {
        if let other = MisplacedValue(name) { return "cannot \(action.rawValue) \(other.text)" }
        return "cannot \(action.rawValue) \(printable(name)): \(reason)"
    }
}

/// A value that was given instead of a file name. It may be secret: errors do not repeat it.
enum MisplacedValue {
    /// A key, a token or JSON.
    case contents
    case url

    init?(_ name: String) {
        let bytes = name.utf8
        let start = bytes.first { $0 > 0x20 }
        if start == UInt8(ascii: "{") || start == UInt8(ascii: "[")
            || MisplacedValue.hasKeyMarks(bytes) || MisplacedValue.isEncoded(name)
        {
            self = .contents
        } else if ["https://", "http://"].contains(where: { bytes.starts(with: $0.utf8) }) {
            self = .url
        } else {
            return nil
        }
    }

    /// Finds a quotation mark (JSON), a carriage return, dashes of PEM, or the prefix `base64:`.
    private static func hasKeyMarks(_ bytes: String.UTF8View) -> Bool {
        let dashes = Array("-----".utf8)
        return bytes.contains(0x22) || bytes.contains(0x0d) || bytes.starts(with: "base64:".utf8)
            || bytes.indices.contains { bytes[$0...].starts(with: dashes) }
    }

    /// Finds a line feed, or base64 that is longer than most file names: DER, PEM, a token, or a
    /// `k`.
    private static func isEncoded(_ name: String) -> Bool {
        let bytes = name.utf8
        if bytes.contains(0x0a) { return true }
        if bytes.count >= 64, ["MI", "LS0t", "ey"].contains(where: { bytes.starts(with: $0.utf8) })
        {
            return true
        }
        return bytes.count >= 40
            && bytes.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2b, 0x2d, 0x3d, 0x5f: true
                default: false
                }
            }
    }

    var text: String {
        switch self {
        case .contents: "a file: expected its name, found its contents"
        case .url:
            "a file: expected its name, found a URL; download it first "
                + "(curl -fsS URL -o FILE)"
        }
    }
}
